"""The faults of a request, collected so that one answer names them all."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from governance.refusals import Fault, Invalid

#: The most faults that one answer lists; a batch of a thousand wrong events must not answer with megabytes.
MAX_FAULTS = 100
#: Characters of a wrong value that an error repeats.
SHOWN_AT_MOST = 100
#: Characters of an unknown name that are compared with the known ones.
_COMPARED_LENGTH = 50
#: How similar (from 0 to 1) an unknown name must be to a known one to be its misspelling, and not another name.
#: `action` and `actor` are 0.73.
_MISSPELLED = 0.75


class Faults:
    """The faults of one request, over all of its fields."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, pointer: str, detail: str, code: str = "invalid") -> None:
        self.found.append(Fault(pointer=pointer, detail=detail, code=code))

    def raise_any(self) -> None:
        """Raises Invalid with every fault, if there are any."""
        if self.found:
            raise invalid(self.found)


def invalid(faults: list[Fault]) -> Invalid:
    """The refusal for these faults: the text of a single one, or how many there are."""
    if len(faults) == 1:
        return Invalid(faults[0]["detail"], errors=faults)
    listed = f"; the first {MAX_FAULTS} are listed" if len(faults) > MAX_FAULTS else ""
    return Invalid(f"The request has {len(faults)} errors{listed}.", errors=faults)


def unknown_fields(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each of the first 100 names with its fault. The last fault counts the remaining names."""
    for name in names[: MAX_FAULTS - 1]:
        yield name, "Unknown field."
    if len(names) >= MAX_FAULTS:
        others = len(names) - MAX_FAULTS
        yield names[MAX_FAULTS - 1], f"Unknown field, as are {others:,} others." if others else "Unknown field."


def hint(name: str, fields: Collection[str], elsewhere: Mapping[str, Sequence[str]] = MappingProxyType({})) -> str:
    """A hint for an unknown name: the closest field, and all fields.

    `elsewhere` maps a field to the names that other systems use for it.
    """
    named = [field for field in fields if name.lower() in elsewhere.get(field, ())]
    near = named or difflib.get_close_matches(name[:_COMPARED_LENGTH].lower(), fields, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"{meant} Allowed: {', '.join(fields)}." if fields else " No fields are allowed."


def is_near_miss(
    name: str, fields: Collection[str], elsewhere: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> bool:
    """Whether an unknown name is a misspelling of a field, or another system's name for it."""
    compared = name[:_COMPARED_LENGTH].lower()
    return any(compared in others for others in elsewhere.values()) or bool(
        difflib.get_close_matches(compared, fields, n=1, cutoff=_MISSPELLED)
    )


def not_a_choice(value: Any, known: Iterable[Any]) -> str:
    """The error text for a value that is not one of the choices; it lists them."""
    shown = str(value)
    shown = shown if len(shown) <= SHOWN_AT_MOST else f"{shown[:SHOWN_AT_MOST]}…"
    return f'"{shown}" is not a valid choice. Choose one of: {", ".join(map(str, known))}.'
