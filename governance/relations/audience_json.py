"""An audience as JSON, and as the usersets that the database keeps."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field

from governance.acting.principals import is_principal
from governance.faults import Faults, hint
from governance.inputs import InputField

#: Maximum number of principals, roles and relations of an audience.
MAX_USERSETS = 1_000
#: The subject of a record, in place of a principal.
SUBJECT = "subject"
#: In place of an object: the audience of the channel's rule, whatever the tenant's rules say.
DEFAULT = "default"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
_LISTS = {
    "principals": "a principal, type:id, or `subject`",
    "roles": "the name of a role: lower-case letters, digits and _",
    "relations": "a relation to the record's subject, such as clinician_of, or to an object, such as"
    " patient:bo#clinician_of",
}
_SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "array", "items": {"type": "string"}} for name in _LISTS},
    "additionalProperties": False,
}
_HELP = (
    "Who may read it (docs/principals.md): `principals` (`type:id`, or `subject`), `roles`, and `relations` to the"
    " subject or, as `type:id#relation`, to another object. A reader needs one of them. `default`: everyone who may"
    " read the channel. Without it, your tenant's rules decide."
)


@extend_schema_field({"oneOf": [{"type": "string", "const": DEFAULT}, _SCHEMA]})
class AudienceField(InputField):
    """The audience of a record: reads a tuple of usersets, which is empty for `default`. `#relation` is relative to the
    record's subject, and `#` is the subject itself."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_null": True, "help_text": _HELP, **options})

    def read(self, value: Any, pointer: str, faults: Faults) -> tuple[str, ...]:
        """The usersets, sorted. Adds a fault for each that has no valid form."""
        if value == DEFAULT:
            return ()
        if not isinstance(value, Mapping):
            faults.add(pointer, f"Send {DEFAULT!r}, or an object with {', '.join(_LISTS)}.")
            return ()
        for name in value.keys() - _LISTS.keys():
            faults.add(f"{pointer}/{name}", f"Unknown field.{hint(name, tuple(_LISTS))}")
        found = {
            userset
            for name, form in _LISTS.items()
            for userset in _usersets(name, form, value.get(name), f"{pointer}/{name}", faults)
        }
        if not found and not any(value.get(name) for name in _LISTS):
            faults.add(pointer, f"An audience names at least one of {', '.join(_LISTS)}; or send {DEFAULT!r}.")
        if len(found) > MAX_USERSETS:
            faults.add(pointer, f"An audience has at most {MAX_USERSETS:,} principals, roles and relations.")
        return tuple(sorted(found))


@extend_schema_field(_SCHEMA)
class AudienceArgument(AudienceField):
    """The audience in the arguments of a tool, whose schema has no alternatives."""


def as_json(usersets: Iterable[str]) -> dict[str, list[str]]:
    """The JSON of usersets. The opposite of AudienceField.read."""
    found: dict[str, list[str]] = {name: [] for name in _LISTS}
    for userset in sorted(usersets):
        place, mark, relation = userset.partition("#")
        if not mark:
            found["principals"].append(userset)
        elif not relation:
            found["principals"].append(SUBJECT)
        elif relation == "member" and place.startswith("role:"):
            found["roles"].append(place.removeprefix("role:"))
        else:
            found["relations"].append(userset if place else relation)
    return {name: listed for name, listed in found.items() if listed}


def _usersets(name: str, form: str, values: Any, pointer: str, faults: Faults) -> Iterable[str]:
    if values is None:
        return
    if not isinstance(values, list):
        faults.add(pointer, "Send a list of texts.")
        return
    for place, value in enumerate(values):
        userset = _userset(name, value) if isinstance(value, str) else None
        if userset is None:
            faults.add(f"{pointer}/{place}", f"Not {form}.")
        else:
            yield userset


def _userset(name: str, value: str) -> str | None:
    """The userset of a text in one of the lists; None if its form is not valid."""
    if name == "principals":
        return "#" if value == SUBJECT else value if is_principal(value) else None
    if name == "roles":
        return f"role:{value}#member" if _NAME.fullmatch(value) else None
    place, mark, relation = value.partition("#")
    if not mark:
        return f"#{value}" if _NAME.fullmatch(value) else None
    return value if is_principal(place) and _NAME.fullmatch(relation) else None
