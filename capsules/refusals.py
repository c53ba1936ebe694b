"""What a capsule's audience, expiry and revocation refuse. The refusals of an access are kept in the access log."""

import uuid
from typing import NoReturn

from governance.identity.principals import Principal
from governance.ledger import access
from governance.models import AccessRecord
from governance.refusals import Conflict, Forbidden, Invalid, NotFound


class CapsuleDoesNotFit(Invalid):
    """Some of what the capsule names cannot be in it."""


class NoSuchCapsule(NotFound):
    """There is no such capsule."""


class NotInAudience(Forbidden):
    """This capsule is not for you: only its author, its audience and people with a role read it."""

    keeps_record = True


class CapsuleIsRevoked(Forbidden):
    """This capsule was revoked. Ask its author for another one."""

    keeps_record = True


class CapsuleHasExpired(Forbidden):
    """This capsule has expired. Ask its author for another one."""

    keeps_record = True


class NotForwardable(Forbidden):
    """Its author does not let this capsule be forwarded."""

    keeps_record = True


class NotYourCapsule(Forbidden):
    """Only its author, or a person with the admin role, revokes a capsule."""

    keeps_record = True


class UsageNotYours(Forbidden):
    """Only its author and people with a role see how a capsule was used."""

    keeps_record = True


class CapsuleIsOver(Conflict):
    """This capsule has expired already: there is nothing to revoke."""


#: The refusals that the gate's functions answer, by name.
_REFUSALS: dict[str, type[Forbidden]] = {
    "outside": NotInAudience,
    "revoked": CapsuleIsRevoked,
    "expired": CapsuleHasExpired,
    "not_forwardable": NotForwardable,
    "not_yours": NotYourCapsule,
    "usage": UsageNotYours,
}


def refuse(reason: str, action: str, capsule_id: uuid.UUID, *, actor: Principal) -> NoReturn:
    """Note in the access log that `action` was refused, and raise the refusal. Raises NoSuchCapsule without a note for
    what is not there."""
    if reason == "unknown":
        raise NoSuchCapsule
    access.log(
        action,
        actor=actor,
        target_type="capsule",
        target_id=capsule_id,
        outcome=AccessRecord.Outcome.REFUSED,
        details={"refusal": reason},
    )
    raise _REFUSALS[reason]
