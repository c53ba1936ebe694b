"""The JSON of an audience, and the usersets that it means.

    {"principals": ["patient:bo", "subject"], "roles": ["billing"],
     "relations": ["clinician_of", "patient:cy#clinician_of"]}

A userset is a principal `type:id`, or `type:id#relation` for all who stand in that relation to it; a role is the
userset `role:<name>#member`. `subject`, and a relation without an object, are relative to the record's subject: `#` and
`#relation`, until the database puts the subject before them (audience_for).
"""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.utils import extend_schema_field

from governance.acting.principals import MalformedPrincipal, is_principal, is_relation
from governance.faults import Faults
from governance.inputs import InputField, ListField, StrictSerializer, TextField
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


#: In place of an object: the audience of the channel's rule, whatever the tenant's rules say.
DEFAULT = "default"

_LISTS = {"type": "array", "items": {"type": "string"}}
_SCHEMA = {
    "type": "object",
    "properties": dict.fromkeys(("principals", "roles", "relations"), _LISTS),
    "additionalProperties": False,
}
_HELP = (
    "Who may read it (docs/principals.md): `principals` (`type:id`, or `subject`), `roles`, and `relations` to the"
    " subject or, as `type:id#relation`, to another object. A reader needs one of them. `default`: everyone who may"
    " read the channel. Without it, your tenant's rules decide."
)


class AudienceField(InputField):
    """The audience of a record. Reads a tuple of usersets; an empty one is `default`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_null": True, "help_text": _HELP, **options})

    def read(self, value: Any, pointer: str, faults: Faults) -> tuple[str, ...]:
        """The usersets, sorted; adds a fault for each that has no valid form."""
        return () if value == DEFAULT else tuple(parse(value, pointer, faults))


class _Audience(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call] # the package has no types
    target_class = AudienceField

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> Any:
        """The schema of an audience: the word, or the object by its name."""
        named = auto_schema.resolve_serializer(AudienceInput, direction)
        return {"oneOf": [{"type": "string", "const": DEFAULT}, named.ref]}


@extend_schema_field(_SCHEMA)
class AudienceArgument(AudienceField):
    """The audience in the arguments of a tool, whose schema has no alternatives."""


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


def resolved(usersets: Iterable[str], subject_type: str | None, subject_id: str | None) -> list[str]:
    """The usersets with the record's subject in them, as the database resolves them (audience_for)."""
    subject = f"{subject_type}:{subject_id}"
    return [subject if one == "#" else f"{subject}{one}" if one.startswith("#") else one for one in usersets]


def needs_subject(usersets: Iterable[str]) -> bool:
    """Whether one of them is relative to a subject."""
    return any(one.startswith("#") for one in usersets)
