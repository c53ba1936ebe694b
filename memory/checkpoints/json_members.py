"""Reads large JSON objects fast, with the same strictness and error positions as `governance.strict_json`.

orjson takes a fraction of the strict reader's time, but it keeps the last of two equal keys, converts integers beyond
64 bits to floats, and accepts NUL. Each of these leaves traces in the bytes. If there is such a trace, the strict
reader decides, and names the position.
"""

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from governance.refusals import TooLarge
from governance.strict_json import MAX_DEPTH, MalformedBody, is_too_deep, parse_object
from memory.checkpoints.refusals import CheckpointTooLarge

MIB = 1024 * 1024
#: Maximum bytes of a state's JSON.
MAX_BYTES = 64 * MIB
#: Maximum bytes of a body with a state: the rest is names and other fields.
MAX_BODY_BYTES = MAX_BYTES + 64 * 1024
#: Maximum number of values and names, and of objects and lists: each costs memory while it is read.
MAX_VALUES = 4_000_000
MAX_CONTAINERS = 1_000_000

_MARKS = b'"[]{},:'
_NOT_MARKS = bytes(set(range(256)) - set(_MARKS))
_QUOTE, _COMMA, _COLON, _BACKSLASH = b'",:\\'
_OPENING, _CLOSING = b"[{", b"]}"
#: Maps every digit to 0, and all other bytes to themselves.
_DIGITS_AS_ZERO = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
_MANY_DIGITS = b"0" * 19
_LONG_INTEGER = re.compile(rb"[\[,:\s]-?[0-9]{19,}[\s,\]}]")
#: An escape that orjson would decode to a colon, and escapes of NUL, which cannot be stored.
_ESCAPE_TO_CHECK = re.compile(rb"\\u(?:0000|003[aA])")


class TooManyValues(TooLarge):
    """The state has too many values."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the object: its value, and its JSON without white space."""

    value: Any
    json: bytes


def read_members(body: bytes) -> dict[str, Member]:
    """The members of the JSON object in `body`; none for an empty one.

    Raises MalformedBody with the place, CheckpointTooLarge and TooManyValues.
    """
    if len(body) > MAX_BODY_BYTES:
        raise CheckpointTooLarge
    if not body.strip():
        return {}
    _require_bounded(body)
    if _may_have_escapes(body):
        # nothing is wrong after all
        return members_of(parse_object(body, max_values=MAX_VALUES))
    try:
        with _uncollected():
            value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        parse_object(body, max_values=MAX_VALUES)
        raise MalformedBody(f"Not valid JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from None
    if not isinstance(value, dict):
        raise MalformedBody("The body must be a JSON object.", pointer="")
    if not is_too_deep(value):
        found = members_of(value)
        if not (_has_repeated_key(body, found) or _may_have_long_integer(body, found)):
            return found
    return members_of(parse_object(body, max_values=MAX_VALUES))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector: a JSON tree has no cycles, and each hundred thousand new objects would trigger a
    scan of all objects of the server."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def members_of(value: dict[str, Any]) -> dict[str, Member]:
    """The members of an object that `read_members` has read."""
    return {name: Member(one, orjson.dumps(one)) for name, one in value.items()}


def _require_bounded(body: bytes) -> None:
    """Raise TooManyValues before parsing a body that would cost too much memory."""
    # A list takes at least `[],`, and a value `1,`. First count marks inside strings too: few bodies have that many.
    may_have_many = len(body) > 2 * MAX_VALUES and body.count(b",") + body.count(b":") > MAX_VALUES // 2
    if not may_have_many and (len(body) <= 3 * MAX_CONTAINERS or body.count(b"[") + body.count(b"{") <= MAX_CONTAINERS):
        return
    values, containers, depth = _shape_of(_unescaped(body))
    if depth > MAX_DEPTH:
        parse_object(body, max_values=MAX_VALUES)
    if values > MAX_VALUES:
        raise TooManyValues(f"The state has more than {MAX_VALUES:,} values and names.")
    if containers > MAX_CONTAINERS:
        raise TooManyValues(f"The state has more than {MAX_CONTAINERS:,} objects and lists.")


def _unescaped(body: bytes) -> bytes:
    """Remove escaped backslashes and then escaped quotes, so that every remaining quote begins or ends a string.
    Backslashes come first, because a quote after an escaped backslash is not escaped."""
    return body.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in body else body


def _may_have_escapes(body: bytes) -> bool:
    """Whether the body has an escape of NUL or of a colon, or begins with a byte order mark."""
    if b"\\u00" in body:
        return _ESCAPE_TO_CHECK.search(_unescaped(body)) is not None
    return body.startswith(b"\xef\xbb\xbf")


def _may_have_long_integer(body: bytes, members: dict[str, Member]) -> bool:
    """Whether an integer of the body may have become a float, which orjson writes with a positive exponent."""
    if not any(b"e+" in one.json for one in members.values()):
        return False
    return _MANY_DIGITS in body.translate(_DIGITS_AS_ZERO) and _LONG_INTEGER.search(body) is not None


def _shape_of(unescaped: bytes) -> tuple[int, int, int]:
    """The numbers of values and names, and of objects and lists, outside of strings, and the nesting depth. For invalid
    JSON the result is arbitrary; the reader refuses it."""
    marks = np.frombuffer(unescaped.translate(None, _NOT_MARKS), np.uint8)
    within = (np.cumsum(marks == _QUOTE, dtype=np.uint8) & 1).astype(bool)
    outside = marks[~within]
    opened = (outside == _OPENING[0]) | (outside == _OPENING[1])
    closed = (outside == _CLOSING[0]) | (outside == _CLOSING[1])
    depths = np.cumsum(opened.astype(np.int8) - closed.astype(np.int8), dtype=np.int32)
    containers = int(np.count_nonzero(opened))
    separators = int(np.count_nonzero((outside == _COMMA) | (outside == _COLON)))
    return separators + containers, containers, int(depths.max(initial=0))


def _has_repeated_key(body: bytes, members: dict[str, Member]) -> bool:
    """Whether orjson dropped a duplicate member: then a colon is missing. Colons in strings are not escaped, so they
    count equally on both sides."""
    kept = sum(orjson.dumps(name).count(b":") + 1 + one.json.count(b":") for name, one in members.items())
    return kept != body.count(b":")
