"""The JSON of an audience, and the usersets that it means.

    {"principals": ["patient:bo", "subject"], "roles": ["billing"],
     "relations": ["clinician_of", "patient:cy#clinician_of"]}

A userset is a principal `type:id`, or `type:id#relation` for all who stand in that relation to it; a role is the
userset `role:<name>#member`. `subject`, and a relation without an object, are relative to the record's subject: `#` and
`#relation`, until `resolve` puts the subject before them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from governance.acting.principals import MalformedPrincipal, is_principal, is_relation
from governance.faults import Faults
from governance.inputs import ListField, StrictSerializer, TextField
from governance.refusals import Fault
from governance.relations.refusals import MalformedAudience, MalformedRelation
from governance.text import TextRule

#: The name of the record's subject among the principals.
SUBJECT = "subject"
AT_MOST = 1_000

_MEMBER = "member"
_NAME = TextRule(251)
_USERSET = TextRule(302)


class AudienceInput(StrictSerializer):
    principals = ListField(
        child=TextField(_NAME),
        required=False,
        max_length=AT_MOST,
        help_text="Who hears it, `type:id`; `subject` is the subject of the record.",
    )
    roles = ListField(
        child=TextField(_NAME),
        required=False,
        max_length=AT_MOST,
        help_text="Roles whose members hear it: a role is a relation `member` to the object `role:<name>`.",
    )
    relations = ListField(
        child=TextField(_USERSET),
        required=False,
        max_length=AT_MOST,
        help_text="All who stand in this relation to the subject of the record, such as `clinician_of`, or to another"
        " object, such as `patient:cy#clinician_of`.",
    )


def parse(value: Any, pointer: str, faults: Faults) -> list[str]:
    """The usersets of an audience, sorted; those that begin with # are relative to a subject. Adds faults to `faults`;
    then do not use the result."""
    before = len(faults.found)
    given = AudienceInput().read(value, pointer, faults)
    if len(faults.found) > before:
        return []
    found: set[str] = set()
    for index, name in enumerate(given.get("principals", [])):
        if name != SUBJECT and not is_principal(name):
            detail = f"Neither type:id, such as patient:ada, nor {SUBJECT}."
            faults.add(f"{pointer}/principals/{index}", detail, MalformedPrincipal.code)
        found.add("#" if name == SUBJECT else name)
    for index, name in enumerate(given.get("roles", [])):
        if not is_principal(f"role:{name}"):
            detail = "The name of a role has 1 to 200 printable characters without # and |."
            faults.add(f"{pointer}/roles/{index}", detail, MalformedPrincipal.code)
        found.add(f"role:{name}#{_MEMBER}")
    for index, name in enumerate(given.get("relations", [])):
        of, hash_, relation = name.rpartition("#")
        if not is_relation(relation) or (hash_ and not is_principal(of)):
            detail = "Neither a relation, such as clinician_of, nor one to an object, such as patient:cy#clinician_of."
            faults.add(f"{pointer}/relations/{index}", detail, MalformedRelation.code)
        found.add(f"{of}#{relation}")
    if not 1 <= len(found) <= AT_MOST:
        faults.add(pointer, MalformedAudience().detail, MalformedAudience.code)
    return sorted(found)


def render(usersets: Iterable[str]) -> dict[str, list[str]]:
    """The JSON of usersets: what `parse` reads. Lists without a member are left out."""
    shown: dict[str, list[str]] = {"principals": [], "roles": [], "relations": []}
    for one in usersets:
        of, hash_, relation = one.rpartition("#")
        if not hash_:
            shown["principals"].append(one)
        elif not relation:
            shown["principals"].append(SUBJECT)
        elif relation == _MEMBER and of.startswith("role:"):
            shown["roles"].append(of.removeprefix("role:"))
        else:
            shown["relations"].append(one if of else relation)
    return {name: listed for name, listed in shown.items() if listed}


def needs_subject(usersets: Iterable[str]) -> bool:
    """Whether one of them is relative to a subject."""
    return any(one.startswith("#") for one in usersets)


def resolve(
    usersets: Sequence[str], subject_type: str | None, subject_id: str | None, pointer: str = "/audience"
) -> list[str]:
    """The usersets of a record about this subject, sorted: none is relative any more. Raises MalformedAudience, with
    `pointer`, if one is relative and the record has no subject, or one that cannot be a principal."""
    if not needs_subject(usersets):
        return sorted(set(usersets))
    subject = f"{subject_type}:{subject_id}"
    if subject_type is None or subject_id is None:
        why = "The audience refers to the record's subject. Give the record a subject_type and a subject_id."
    elif not is_principal(subject):
        why = f"The audience refers to the record's subject, which cannot be a principal. {MalformedPrincipal().detail}"
    else:
        return sorted(
            {subject if one == "#" else f"{subject}{one}" if one.startswith("#") else one for one in usersets}
        )
    raise MalformedAudience(why, errors=[Fault(pointer=pointer, detail=why, code=MalformedAudience.code)])
