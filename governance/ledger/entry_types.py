"""The types of ledger entries. Each room and each app registers its own; docs/ledger-entries.md is generated from them.

To add a type, declare it in your app's `entry_types.py`, and run
`manage.py ledger_entry_types > docs/ledger-entries.md`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from suture_verify.canonical import LARGEST_NUMBER, fault_in
from suture_verify.entries import GOVERNANCE

#: The field of every entry with the actor.
ACTOR = "actor"

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = re.compile(r"[0-9a-f]{64}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


class UnknownEntryType(LookupError):  # noqa: N818 (a mistake of ours, as KeyError)
    """No app has registered this type of entry."""


class EntryDoesNotFit(ValueError):  # noqa: N818 (a mistake of ours, as ValueError)
    """The metadata or the chain does not match the declaration of the type."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The type of a value: its name in the documentation, and a check."""

    name: str
    fits: Callable[[Any], bool]


def _text_like(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


ID = Shape("id", _text_like(_ID))
HASH = Shape("32 bytes, hexadecimal", _text_like(_HASH))
MOMENT = Shape("time", _text_like(_MOMENT))
TEXT = Shape("text", lambda value: isinstance(value, str))
NUMBER = Shape("number", lambda value: type(value) is int and abs(value) <= LARGEST_NUMBER)
FLAG = Shape("true or false", lambda value: isinstance(value, bool))
LIST = Shape("list", lambda value: isinstance(value, list))
OBJECT = Shape("object", lambda value: isinstance(value, dict))


class Presence(StrEnum):
    """Whether a field is required."""

    ALWAYS = "always"
    NULLABLE = "always, may be null"
    OPTIONAL = "sometimes"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an entry's metadata."""

    name: str
    shape: Shape
    meaning: str
    presence: Presence = Presence.ALWAYS

    def fits(self, metadata: Mapping[str, Any]) -> bool:
        """Whether the metadata has this field as declared."""
        if self.name not in metadata:
            return self.presence is Presence.OPTIONAL
        value = metadata[self.name]
        return self.shape.fits(value) or (value is None and self.presence is Presence.NULLABLE)


class Chains(StrEnum):
    """Which chains a type is appended to."""

    GOVERNANCE = "the governance chain"
    OTHERS = "every chain except governance"
    EVERY = "every chain"


@dataclass(frozen=True, slots=True)
class EntryType:
    """A type of entry: the admin shows `label`, `appended` completes "is appended when ...", and `about` names the
    fields with the record that the entry is about, the best first."""

    name: str
    label: str
    appended: str
    fields: tuple[Field, ...] = ()
    about: tuple[str, ...] = ()
    chains: Chains = Chains.GOVERNANCE

    def require_fits(self, metadata: Mapping[str, Any], chain: str) -> None:
        """Raises EntryDoesNotFit for a missing, wrong or undeclared field, for a value that no entry can have (see
        suture_verify/canonical.py), and for a chain that the type does not allow."""
        if self.chains is not Chains.EVERY and (self.chains is Chains.GOVERNANCE) != (chain == GOVERNANCE):
            raise EntryDoesNotFit(f"{self.name} is not for the chain {chain}")
        if wrong := [field.name for field in self.fields if not field.fits(metadata)]:
            raise EntryDoesNotFit(f"{self.name}: missing or not as declared: {', '.join(wrong)}")
        if unknown := metadata.keys() - {field.name for field in self.fields}:
            raise EntryDoesNotFit(f"{self.name}: not declared: {', '.join(sorted(unknown))}")
        if fault := fault_in(metadata, "metadata", depth=2):
            raise EntryDoesNotFit(f"{self.name}: {fault}")


_types: dict[str, EntryType] = {}


def register(*types: EntryType) -> None:
    """Allow entries of these types; called once by their app's `ready()`."""
    _types.update({type.name: type for type in types})


def registered() -> list[EntryType]:
    """All types, by name."""
    return sorted(_types.values(), key=lambda type: type.name)


def find(name: str) -> EntryType:
    """The type of this name. Raises UnknownEntryType."""
    try:
        return _types[name]
    except KeyError:
        raise UnknownEntryType(name) from None


def about(name: str) -> tuple[str, ...]:
    """The fields with the record that an entry of this type is about, the best first; none for an unknown type."""
    return _types[name].about if name in _types else ()


def label_of(name: str) -> str:
    """The label of a type; its name if no app registers it."""
    return _types[name].label if name in _types else name
