"""Reading a large JSON object fast: what `governance.strict_json` refuses is refused here too, with its place.

orjson reads a state in a fraction of the time that the strict reader takes, but it keeps the last of two equal keys,
makes floats of integers beyond 64 bits, and takes NUL. Each of these shows in the bytes, so that they are looked for
there; where one may be, the strict reader decides, and names the place.
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
#: How much JSON a state may be.
MAX_BYTES = 64 * MIB
#: How long a body may be that has one: the rest is its names, and what else a request says.
MAX_BODY_BYTES = MAX_BYTES + 64 * 1024
#: How many values and names, and how many objects and lists: each costs memory while it is read.
MAX_VALUES = 4_000_000
MAX_CONTAINERS = 1_000_000

_MARKS = b'"[]{},:'
_NOT_MARKS = bytes(set(range(256)) - set(_MARKS))
_QUOTE, _COMMA, _COLON, _BACKSLASH = b'",:\\'
_OPENING, _CLOSING = b"[{", b"]}"
#: Every digit as 0, and what is 0 already as nothing that is a digit.
_DIGITS_AS_ZERO = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
_MANY_DIGITS = b"0" * 19
_LONG_INTEGER = re.compile(rb"[\[,:\s]-?[0-9]{19,}[\s,\]}]")
#: An escape that orjson would write as the colon itself, and those of what cannot be stored.
_ESCAPE_TO_CHECK = re.compile(rb"\\u(?:0000|003[aA])")


class TooManyValues(TooLarge):
    """The state has too many values."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of the object: its value, and its JSON without white space."""

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
        # what nothing is wrong with after all
        return _members(parse_object(body, max_values=MAX_VALUES))
    try:
        with _uncollected():
            value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        parse_object(body, max_values=MAX_VALUES)
        raise MalformedBody(f"Not valid JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from None
    if not isinstance(value, dict):
        raise MalformedBody("The body must be a JSON object.", pointer="")
    if not is_too_deep(value):
        found = _members(value)
        if not (_has_repeated_key(body, found) or _may_have_long_integer(body, found)):
            return found
    return _members(parse_object(body, max_values=MAX_VALUES))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector: a tree of JSON has no cycles, and a hundred thousand new objects would have it walk
    everything that the server has, again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _members(value: dict[str, Any]) -> dict[str, Member]:
    return {name: Member(one, orjson.dumps(one)) for name, one in value.items()}


def _require_bounded(body: bytes) -> None:
    """Raises TooManyValues for what would cost too much memory, before anything is made of it."""
    # The least that a list takes is `[],`, and a value `1,`. Marks in texts are counted too at first: few bodies have
    # so many.
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
    """The body without escaped backslashes and escaped quotes, so that each quote that is left begins or ends a string.
    Escaped backslashes are removed first, because a quote after one is not escaped."""
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
    """How many values and names, and how many objects and lists there are outside of strings, and how deep they are
    nested. Of what is no JSON it says something, and the reader refuses it."""
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
    """Whether an object lost a member on its way through orjson: with it goes a colon. Texts keep theirs, because no
    colon of the body is escaped."""
    kept = sum(orjson.dumps(name).count(b":") + 1 + one.json.count(b":") for name, one in members.items())
    return kept != body.count(b":")
