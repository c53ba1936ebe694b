"""The form of sealed rows: the JSON array whose hash is a leaf, built from a row's columns as PostgreSQL prints them.

The bytes are those of PostgreSQL's `jsonb`: ", " between the elements, and minimal escapes in strings. A leaf's hash
covers them, so a form never changes: a new form gets a new name.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from json.encoder import encode_basestring
from operator import itemgetter
from typing import Any, NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Type(StrEnum):
    """The type of a column, which determines how its value is written in the array."""

    TEXT = "text"
    UUID = "uuid"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    MOMENT = "moment"
    BYTES = "bytes"
    TEXTS = "texts"
    INTEGERS = "integers"
    JSON = "json"

    @property
    def meaning(self) -> str:
        """The notation of a value, for the documentation."""
        return _MEANINGS[self]


_MEANINGS = {
    Type.TEXT: "a string",
    Type.UUID: "a string of 36 lower-case characters",
    Type.INTEGER: "a number",
    Type.NUMBER: "a number with the decimals of its column (`0.5000`)",
    Type.BOOLEAN: "`true` or `false`",
    Type.MOMENT: "a number: microseconds since 1970-01-01 UTC",
    Type.BYTES: "a string of lower-case hexadecimal digits",
    Type.TEXTS: "an array of strings",
    Type.INTEGERS: "an array of numbers",
    Type.JSON: "the value itself, as `jsonb` prints it",
}


class Column(NamedTuple):
    """The value of a column."""

    name: str
    type: Type = Type.TEXT


class Optional(NamedTuple):
    """The value of a column that a form got later: left out if it is NULL, so that older leaves stay. Forms end with
    these."""

    name: str
    type: Type = Type.TEXT


class Words(NamedTuple):
    """The hash (hexadecimal) of a content row, of its salt and words, whose id is in a column. The hash stays when the
    words are erased."""

    column: str


class TextDigest(NamedTuple):
    """The SHA-256 (hexadecimal) of the text of a JSON column."""

    column: str


class Gathered(NamedTuple):
    """Values of other rows: those of `table` whose `key` is this row's id, in the order of the whole number `order`.

    With one column, the array of its numbers. With several, the SHA-256 (hexadecimal) of one line per row: its values
    that are not NULL, separated by spaces.
    """

    table: str
    key: str
    order: str
    columns: tuple[Column, ...]


class Group(NamedTuple):
    """A nested array."""

    elements: tuple["Element", ...]


_Leaf = Column | Optional | Words | TextDigest | Gathered
Element = _Leaf | Group

#: Gathered rows: a tuple of printed values each, in order.
GatheredRows = Sequence[Sequence[str | None]]


class UnprintableValue(ValueError):  # noqa: N818 (a bad row, not a bug)
    """A value that no leaf can contain, such as a time after the year 9999."""


def optional(text: str) -> tuple[Optional, ...]:
    """Parse optional columns from a text, like `columns`."""
    return tuple(Optional(*column) for column in columns(text))


def columns(text: str) -> tuple[Column, ...]:
    """Parse columns from a text: `name:type`, separated by spaces. The default type is text."""
    found = (word.partition(":") for word in text.split())
    return tuple(Column(name, Type(kind or Type.TEXT)) for name, _, kind in found)


class LeafForm:
    """The content of the leaves of one kind of rows. The array starts with the form's name, the tenant and the id."""

    def __init__(self, name: str, *elements: Element) -> None:
        self.name = name
        self.elements: tuple[Element, ...] = (Column("tenant_id", Type.UUID), Column("id", Type.UUID), *elements)
        leaf = _flattened(self.elements)
        #: The elements that are hashes of words, and those from other rows.
        self.words = tuple(element for element in leaf if isinstance(element, Words))
        self.gathered = tuple(element for element in leaf if isinstance(element, Gathered))
        read = {column.name: column for element in leaf for column in _columns_of(element)}
        #: The columns to read, each once, in the order in which `render` takes their values.
        self.columns = tuple(read.values())
        places: list[object] = [*read, *self.words, *self.gathered]
        self._take = itemgetter(*(places.index(_place_of(element)) for element in leaf))
        self._encoders = [_encoder_of(element) for element in leaf]
        self._nulls = ["" if isinstance(element, Optional) else "null" for element in leaf]
        self._template = f"[{encode_basestring(name)}, {_template(self.elements)}]"

    def render(self, values: Sequence[Any]) -> str:
        """Render the JSON array of a row from the printed values of `columns`, then a hash (or None) for each of
        `words`, then the rows for each of `gathered`. Raises UnprintableValue."""
        try:
            taken = zip(self._encoders, self._nulls, self._take(values), strict=True)
            return self._template % tuple([null if value is None else encode(value) for encode, null, value in taken])
        except ValueError as error:
            raise UnprintableValue(str(error)) from None

    def hash(self, values: Sequence[Any]) -> bytes:
        """Compute the leaf hash of a row (RFC 6962, 2.1) from the values for `render`. Raises UnprintableValue."""
        return sha256(b"\x00" + self.render(values).encode()).digest()


def _flattened(elements: Sequence[Element]) -> list[_Leaf]:
    found: list[_Leaf] = []
    for element in elements:
        found += _flattened(element.elements) if isinstance(element, Group) else [element]
    return found


def _columns_of(element: _Leaf) -> tuple[Column, ...]:
    """Return the columns that are read for an element."""
    if isinstance(element, Column):
        return (element,)
    if isinstance(element, Optional):
        return (Column(*element),)
    if isinstance(element, Words):
        return (Column(element.column, Type.UUID),)
    return (Column(element.column, Type.JSON),) if isinstance(element, TextDigest) else ()


def _place_of(element: _Leaf) -> object:
    """Return the key of an element among the values for `render`."""
    if isinstance(element, Column | Optional):
        return element.name
    return element.column if isinstance(element, TextDigest) else element


def _encoder_of(element: _Leaf) -> Callable[[Any], str]:
    if isinstance(element, Column):
        return _ENCODERS[element.type]
    if isinstance(element, Optional):
        encode = _ENCODERS[element.type]
        return lambda value: f", {encode(value)}"
    if isinstance(element, Words):
        return _quoted
    if isinstance(element, TextDigest):
        return _digest_of_text
    return _numbers if len(element.columns) == 1 else _digest_of_lines


def _template(elements: Sequence[Element]) -> str:
    held = ", ".join(
        f"[{_template(one.elements)}]" if isinstance(one, Group) else "%s"
        for one in elements
        if not isinstance(one, Optional)
    )
    return held + "%s" * sum(isinstance(one, Optional) for one in elements)


def _quoted(value: str) -> str:
    return f'"{value}"'


def _number(value: str) -> str:
    # jsonb writes numbers that JSON lacks as strings
    return _quoted(value) if value in ("NaN", "Infinity", "-Infinity") else value


def _boolean(value: str) -> str:
    return "true" if value == "t" else "false"


def _moment(value: str) -> str:
    since = datetime.fromisoformat(value) - _EPOCH
    return str((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)


def _bytes(value: str) -> str:
    return _quoted(value[2:])


def _texts(value: Sequence[Any]) -> str:
    if not value:
        return "[]"
    inside = [
        "null" if one is None else _texts(one) if isinstance(one, list) else encode_basestring(one) for one in value
    ]
    return f"[{', '.join(inside)}]"


def _printed(value: str) -> str:
    return value


def _integers(value: Sequence[Any]) -> str:
    return f"[{', '.join('null' if one is None else str(one) for one in value)}]"


def _digest_of_text(value: str) -> str:
    return _quoted(sha256(value.encode()).hexdigest())


def _numbers(rows: GatheredRows) -> str:
    return f"[{', '.join(row[0] or 'null' for row in rows)}]"


def _digest_of_lines(rows: GatheredRows) -> str:
    lines = (" ".join(value for value in row if value is not None) for row in rows)
    return _digest_of_text("\n".join(lines))


_ENCODERS: dict[Type, Callable[[Any], str]] = {
    Type.TEXT: encode_basestring,
    Type.UUID: _quoted,
    Type.INTEGER: _printed,
    Type.NUMBER: _number,
    Type.BOOLEAN: _boolean,
    Type.MOMENT: _moment,
    Type.BYTES: _bytes,
    Type.TEXTS: _texts,
    Type.INTEGERS: _integers,
    Type.JSON: _printed,
}
