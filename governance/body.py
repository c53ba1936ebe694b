"""What plain data from outside may be, field by field: a body of JSON, a line of a file, a parameter of an address.

A `Field` reads one value: it answers what the value means, or it notes faults with their places. It knows no HTTP; the
serializers and the schema of the API are made from it (`governance.http.serializers`).
"""

import base64
import binascii
import difflib
import re
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from governance.refusals import Fault, Invalid, json_pointer
from governance.text import BLANK, NO_TEXT, TextRule

#: A list of faults names so many; a batch of a thousand wrong events must not answer with megabytes.
MAX_FAULTS = 100
#: So many characters of an unknown name are compared with the known ones.
_HINTED_LENGTH = 50


#: Characters of a wrong value that an error repeats.
SHOWN_AT_MOST = 100


class Faults:
    """What is wrong with a body, gathered over all of its fields."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, pointer: str, detail: str, code: str = "invalid") -> None:
        self.found.append(Fault(pointer=pointer, detail=detail, code=code))

    def raise_any(self) -> None:
        """Raises Invalid with all that was found, if anything was."""
        if self.found:
            raise invalid(self.found)


def invalid(faults: list[Fault]) -> Invalid:
    """The refusal that names these faults: the one itself, or how many there are."""
    if len(faults) == 1:
        return Invalid(faults[0]["detail"], errors=faults)
    listed = f"; the first {MAX_FAULTS} are listed" if len(faults) > MAX_FAULTS else ""
    return Invalid(f"The request has {len(faults)} errors{listed}.", errors=faults)


def unknown_fields(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A name and what is wrong with it, for each of the first 100; the last of them speaks for all others."""
    for name in names[: MAX_FAULTS - 1]:
        yield name, "Unknown field."
    if len(names) >= MAX_FAULTS:
        others = len(names) - MAX_FAULTS
        yield names[MAX_FAULTS - 1], f"Unknown field, as are {others:,} others." if others else "Unknown field."


class Field(ABC):
    """One value. `required`: it must be there; else `default` stands for it. `nullable`: null may stand there too."""

    required: bool
    nullable: bool
    default: Any

    @abstractmethod
    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        """What `value`, which is not null, means. Adds to `faults` where it means nothing; the answer is void then."""


@dataclass(frozen=True)
class Text(Field):
    """Text of one kind, exactly as it came."""

    rule: TextRule
    required: bool = True
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if fault := self.rule.fault_in(value):
            faults.add(pointer, fault)
        return value


@dataclass(frozen=True)
class Pattern(Text):
    """A short text of one form, a regular expression; `form` names it in a refusal ("a media type")."""

    pattern: str = ""
    form: str = ""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if fault := self.rule.fault_in(value):
            faults.add(pointer, fault)
        elif not re.fullmatch(self.pattern, value):
            faults.add(pointer, f"Not {self.form}.")
        return value


@dataclass(frozen=True)
class Base64(Field):
    """Bytes, as text in base64; it stays text."""

    required: bool = False
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, str):
            faults.add(pointer, NO_TEXT)
        elif not value:
            faults.add(pointer, BLANK)
        else:
            try:
                base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError):
                faults.add(pointer, "Not base64.")
        return value


@dataclass(frozen=True)
class Choice(Field):
    """One of the words of `choices`, pairs of a value and a label, or of those that a function answers."""

    choices: Sequence[tuple[str, Any]] | Callable[[], Sequence[tuple[str, Any]]]
    required: bool = True
    nullable: bool = False
    default: Any = None

    def pairs(self) -> Sequence[tuple[str, Any]]:
        """The choices that there are now."""
        return self.choices() if callable(self.choices) else self.choices

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        known = [one for one, _ in self.pairs()]
        if not any(value == one for one in known):
            faults.add(pointer, no_choice(value, known), "invalid-choice")
        return value


def no_choice(value: Any, known: Iterable[Any]) -> str:
    """What is said of a value that is not among the choices, with the choices."""
    shown = str(value)
    shown = shown if len(shown) <= SHOWN_AT_MOST else f"{shown[:SHOWN_AT_MOST]}…"
    return f'"{shown}" is not a valid choice. Choose one of: {", ".join(map(str, known))}.'


@dataclass(frozen=True)
class Identity(Field):
    """A UUID in its text form."""

    required: bool = True
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if isinstance(value, str):
            with suppress(ValueError):
                return uuid.UUID(value)
        faults.add(pointer, "Must be a valid UUID.")
        return None


@dataclass(frozen=True)
class WholeNumber(Field):
    """A whole number, in an address."""

    least: int
    most: int
    required: bool = False
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        # The length first: int() of a million digits takes seconds.
        if not (isinstance(value, str) and len(value) <= 20 and re.fullmatch(r"-?[0-9]+", value)):
            faults.add(pointer, "A valid integer is required.")
            return None
        number = int(value)
        if number < self.least:
            faults.add(pointer, f"Ensure this value is greater than or equal to {self.least}.", "min-value")
        elif number > self.most:
            faults.add(pointer, f"Ensure this value is less than or equal to {self.most}.", "max-value")
        return number


@dataclass(frozen=True)
class Integer(Field):
    """A whole number, in a body of JSON."""

    least: int
    most: int
    required: bool = False
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, int) or isinstance(value, bool):
            faults.add(pointer, "A valid integer is required.")
        elif not self.least <= value <= self.most:
            faults.add(pointer, f"Ensure this value is from {self.least} to {self.most}.")
        return value


@dataclass(frozen=True)
class Flag(Field):
    """`true` or `false`, in an address."""

    default: bool = False
    required: bool = False
    nullable: bool = False

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        found = {"true": True, "false": False}.get(str(value).lower())
        if found is None:
            faults.add(pointer, "Must be true or false.")
        return found


@dataclass(frozen=True)
class Truth(Field):
    """`true` or `false`, in a body of JSON."""

    default: bool = False
    required: bool = False
    nullable: bool = False

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, bool):
            faults.add(pointer, "Must be true or false.")
        return value


@dataclass(frozen=True)
class Moment(Field):
    """A time in ISO 8601 with its offset; it means the moment in UTC."""

    required: bool = True
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        try:
            return moment(value)
        except ValueError as error:
            faults.add(pointer, str(error))
            return None


def moment(value: Any) -> datetime:
    """The moment in UTC that a text in ISO 8601 names. A time without its offset is refused, not guessed.

    Raises ValueError, whose message is for the author.
    """
    try:
        if not isinstance(value, str):
            raise TypeError
        found = datetime.fromisoformat(value)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("Not an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z.") from None
    raise ValueError("A time zone offset is missing: write 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+02:00.")


@dataclass(frozen=True)
class ListOf(Field):
    """A list of values of one field, of `max_length` at most."""

    child: Field
    max_length: int
    required: bool = True
    nullable: bool = False
    default: Any = None
    may_be_empty: bool = True

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, list):
            faults.add(pointer, f'Expected a list of items but got type "{type(value).__name__}".')
        elif not value and not self.may_be_empty:
            faults.add(pointer, "This list may not be empty.", "empty")
        elif len(value) > self.max_length:
            faults.add(pointer, f"Ensure this field has no more than {self.max_length} elements.", "max-length")
        else:
            return [read_one(self.child, one, f"{pointer}/{index}", faults) for index, one in enumerate(value)]
        return value


@dataclass(frozen=True)
class AnyObject(Field):
    """A JSON object of any fields."""

    required: bool = True
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, dict):
            faults.add(pointer, f'Expected a dictionary of items but got type "{type(value).__name__}".')
        return value


@dataclass(frozen=True)
class AnyValue(Field):
    """Any JSON value but null."""

    required: bool = False
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        return value


def read_one(shape: Field, value: Any, pointer: str, faults: Faults) -> Any:
    """What `value` means to the field, or None for a null that it takes."""
    if value is None:
        if not shape.nullable:
            faults.add(pointer, "This field may not be null.", "null")
        return None
    return shape.read(value, pointer, faults)


def read_fields(
    fields: Mapping[str, Field],
    body: Any,
    pointer: str,
    faults: Faults,
    *,
    elsewhere: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """What a JSON object means, by field; absent fields by their default. An unknown field is a fault; `elsewhere`
    holds names that others use for a field, for the hint in it."""
    if not isinstance(body, Mapping):
        faults.add(pointer, f"Invalid data. Expected a dictionary, but got {type(body).__name__}.")
        return {}
    values: dict[str, Any] = {}
    for name, shape in fields.items():
        if name in body:
            values[name] = read_one(shape, body[name], f"{pointer}/{name}", faults)
        elif shape.required:
            faults.add(f"{pointer}/{name}", "This field is required.", "required")
        else:
            values[name] = shape.default
    unknown = [name for name in body if name not in fields]
    for name, fault in unknown_fields(unknown):
        # Nobody reads a hint beyond the faults that are listed.
        meant = hint(name, fields, elsewhere) if len(faults.found) < MAX_FAULTS else ""
        faults.add(f"{pointer}{json_pointer([name])}", f"{fault}{meant}", "unknown-field")
    return values


def hint(name: str, fields: Collection[str], elsewhere: Mapping[str, Sequence[str]] = MappingProxyType({})) -> str:
    """Which field may be meant by an unknown one, and which fields there are."""
    named = [field for field in fields if name.lower() in elsewhere.get(field, ())]
    near = named or difflib.get_close_matches(name[:_HINTED_LENGTH].lower(), fields, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"{meant} Allowed: {', '.join(fields)}."
