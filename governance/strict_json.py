"""The only JSON parser. It refuses values that PostgreSQL or a field cannot handle, with their place."""

import json
import math
import re
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import Any

from django.conf import settings

from governance.refusals import Invalid, TooLarge, json_pointer
from governance.text import unstorable_in

MAX_DEPTH = 64
#: Maximum number of values and names in a body: each costs time. A text of any length counts as one.
MAX_VALUES = 200_000
_BIGGEST = 2**63 - 1
_SMALLEST = -(2**63)

# json.loads refuses raw control characters, and UTF-8 has no surrogates: both can only arrive as escapes.
_ESCAPE_TO_CHECK = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
# Outside of strings, a comma, a colon or an opening bracket comes before each value or name but the first.
_BEFORE_VALUES = b",:[{"
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)


class MalformedBody(Invalid):
    """The body is not valid JSON for this API."""


class TooManyValues(TooLarge):
    """The body has too many values."""

    def __init__(self, most: int = MAX_VALUES) -> None:
        super().__init__(f"The body has more than {most:,} values and names. Send it in parts.")


class BodyTooLarge(TooLarge):
    """The body is larger than this server accepts."""

    def __init__(self) -> None:
        super().__init__(f"The body is larger than {settings.MAX_BODY_BYTES} bytes.")


def parse_object(body: bytes, *, max_values: int = MAX_VALUES) -> dict[str, Any]:
    """Parse the JSON object in `body`; `{}` for an empty body, so that a serializer reports the missing fields.
    `max_values` counts names too.

    Raises `MalformedBody` with a JSON pointer, or with line and column if the body cannot be parsed, and TooManyValues.
    """
    text = _decode(body)
    if not text.strip():
        return {}
    if _separators_in(body) > max_values and (refusal := _too_many_values(body, text, max_values)):
        raise refusal
    reading = _Decoder()
    try:
        value = reading.decode(text)
    except json.JSONDecodeError as error:
        raise MalformedBody(f"Not valid JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise _too_deep(text) from None
    if not isinstance(value, dict):
        raise MalformedBody("The body must be a JSON object.", pointer="")
    if (reading.met_marker or _ESCAPE_TO_CHECK.search(text)) and (refusal := _first_fault(value)):
        raise refusal
    if is_too_deep(value):
        raise _too_deep(text)
    return value


def parse_value(text: str) -> Any:
    """Parse the JSON value in a text. Raises `MalformedBody` and TooManyValues."""
    found = parse_object(f'{{"value":{text}}}'.encode())
    if list(found) != ["value"]:
        raise MalformedBody("The text has more than one JSON value.")
    return found["value"]


def _too_many_values(body: bytes, text: str, most: int) -> Invalid | TooLarge | None:
    """The refusal of a body with too many values, or with too many levels at its start. It does not parse the body."""
    marks = end = 0
    for strings, string in enumerate(_STRING.finditer(body)):
        marks += _separators_in(body[end : string.start()])
        end = string.end()
        # with more strings than separators it is not JSON; the parser reports where
        if marks > most or strings > most:
            break
    else:
        marks += _separators_in(body[end:])
    if marks <= most:
        return None
    brackets = islice(_STRING_OR_BRACKET.finditer(text), 10 * MAX_DEPTH)
    depths = accumulate({"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0) for found in brackets)
    return _too_deep(text) if max(depths) > MAX_DEPTH else TooManyValues(most)


def _separators_in(part: bytes) -> int:
    return len(part) - len(part.translate(None, _BEFORE_VALUES))


def _decode(body: bytes) -> str:
    if body.startswith(b"\xef\xbb\xbf"):
        raise MalformedBody("The body starts with a byte order mark; send plain UTF-8 (line 1, column 1).")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise MalformedBody(f"The body is not UTF-8 (line {line}, byte {error.start}).") from None


class _Marker:
    """Placeholder in the tree for a value to refuse: json's hooks do not know the path, the walk does."""

    def __init__(self, detail: str) -> None:
        self.detail = detail


class _Repeating(dict[str, Any]):
    """An object with a repeated key."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__()
        for key, value in pairs:
            if key in self:
                self.repeated = key
                return
            self[key] = value


class _Decoder:
    """One decoding. `met_marker` says whether the tree must be walked."""

    def __init__(self) -> None:
        self.met_marker = False
        self.decode = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._integer,
            parse_float=self._float,
            parse_constant=self._constant,
        ).decode

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        self.met_marker = True
        return _Repeating(pairs)

    def _integer(self, text: str) -> int | _Marker:
        # The length first: int() of a million digits takes seconds.
        if len(text) <= 20 and _SMALLEST <= (number := int(text)) <= _BIGGEST:
            return number
        return self._marker("An integer beyond 64 bits.")

    def _float(self, text: str) -> float | _Marker:
        number = float(text)
        return number if math.isfinite(number) else self._marker("A number beyond the range of a float.")

    def _constant(self, text: str) -> _Marker:
        return self._marker(f"{text} is not a JSON number.")

    def _marker(self, detail: str) -> _Marker:
        self.met_marker = True
        return _Marker(detail)


def _first_fault(root: dict[str, Any]) -> MalformedBody | None:
    """Walk the tree in document order, without recursion, to the first value that must be refused."""
    if isinstance(root, _Repeating):
        return _repeated_key(root, [])
    path: list[str | int] = []
    levels: list[Iterator[tuple[str | int, Any]]] = [iter(root.items())]
    while levels:
        for token, value in levels[-1]:
            if isinstance(token, str) and (refusal := _unstorable(token, path, "A key")):
                return refusal
            if isinstance(value, str):
                if refusal := _unstorable(value, [*path, token], "The text"):
                    return refusal
            elif isinstance(value, _Marker):
                return MalformedBody(value.detail, pointer=json_pointer([*path, token]))
            elif isinstance(value, _Repeating):
                return _repeated_key(value, [*path, token])
            elif isinstance(value, dict | list):
                path.append(token)
                levels.append(iter(value.items() if isinstance(value, dict) else enumerate(value)))
                break
        else:
            levels.pop()
            if path:
                path.pop()
    return None


def _unstorable(text: str, path: list[str | int], what: str) -> MalformedBody | None:
    kind = unstorable_in(text)
    if kind is None:
        return None
    return MalformedBody(f"{what} contains {kind}, which cannot be stored.", pointer=json_pointer(path))


def _repeated_key(value: _Repeating, path: list[str | int]) -> MalformedBody:
    return MalformedBody("This key is repeated.", pointer=json_pointer([*path, value.repeated]))


def is_too_deep(root: dict[str, Any]) -> bool:
    """Whether a tree of JSON has more levels of objects and lists than MAX_DEPTH."""
    level: list[Any] = [root]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _too_deep(text: str) -> MalformedBody:
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                line = text.count("\n", 0, found.start()) + 1
                column = found.start() - text.rfind("\n", 0, found.start())
                return MalformedBody(f"Nested deeper than {MAX_DEPTH} levels (line {line}, column {column}).")
        elif found[0] in ("}", "]"):
            depth -= 1
    return MalformedBody(f"Nested deeper than {MAX_DEPTH} levels.")
