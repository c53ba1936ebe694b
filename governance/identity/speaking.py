"""The principals on whose behalf the requests of a key may ask."""

from collections.abc import Sequence

from governance.acting.principals import is_principal, is_relation
from governance.refusals import Invalid, register_constraint

#: The most patterns of a key.
AT_MOST = 1_000


class MalformedSpeaksFor(Invalid):
    """A key speaks for * (all principals), type:* (all of a type, such as patient:*) or type:id (one, such as
    patient:ada), and for at most 1,000 of these."""


class MustSpeakForSome(Invalid):
    """A key that must name a principal has to be allowed to speak for at least one. Say for which ones it may speak."""


register_constraint("malformed_speaks_for", MalformedSpeaksFor)
register_constraint("must_speak_for_some", MustSpeakForSome)
register_constraint("api_key_speaks_for_whom_it_must", MustSpeakForSome)


def checked(speaks_for: Sequence[str], *, must_speak_for: bool) -> list[str]:
    """The patterns, sorted and each once. Raises MalformedSpeaksFor, MustSpeakForSome; issue_key() in the database has
    the last word."""
    for one in speaks_for:
        type, _, rest = one.partition(":")
        if one != "*" and not (rest == "*" and is_relation(type)) and not is_principal(one):
            raise MalformedSpeaksFor(f"{one[:60]!r} is not allowed here. {MalformedSpeaksFor().detail}")
    if len(speaks_for) > AT_MOST:
        raise MalformedSpeaksFor
    if must_speak_for and not speaks_for:
        raise MustSpeakForSome
    return sorted(set(speaks_for))
