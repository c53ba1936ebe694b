"""Canonical JSON (RFC 8785), and the values that are allowed in a ledger."""

import json
import re
from collections.abc import Mapping
from typing import Any

import rfc8785

#: The largest absolute value of a whole number. RFC 8785 writes numbers as IEEE 754 doubles, which cannot represent
#: all larger ones.
LARGEST_NUMBER = 2**53 - 1

#: The deepest nesting of arrays and objects. Entries are far below.
MAX_DEPTH = 64

# Code points beyond U+FFFF, in UTF-8. UTF-16 sorts them before those from U+E000 to U+FFFF, UTF-8 after them.
_BEYOND_BMP = re.compile(rb"[\xf0-\xf4]")
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class NotCanonical(ValueError):  # noqa: N818 (bad input, not a bug)
    """The bytes are not canonical JSON; the message gives the reason."""


class _FractionError(Exception):
    """The text has a number with a fraction or an exponent."""


def _refuse_fraction(text: str) -> None:
    raise _FractionError


def _whole(text: str) -> int:
    if abs(value := int(text)) > LARGEST_NUMBER:
        raise ValueError("a number beyond 2**53 - 1")
    return value


_DECODER = json.JSONDecoder(parse_int=_whole, parse_float=_refuse_fraction, parse_constant=_refuse_fraction)
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def parse_canonical(canonical: bytes) -> Any:
    """Parse bytes in RFC 8785 form.

    Raises NotCanonical for any other text: names out of order or repeated, a lone surrogate, a number beyond
    LARGEST_NUMBER or in another notation (1.0, -0), or arrays and objects nested deeper than MAX_DEPTH.
    """
    _require_shallow(canonical)
    try:
        text = canonical.decode()
        # The standard library writes the canonical form many times faster than rfc8785. If the two may differ
        # (fractions, the order of some names), rfc8785 decides.
        try:
            value = _DECODER.decode(text)
            writes_the_same = not _BEYOND_BMP.search(canonical)
        except _FractionError:
            value, writes_the_same = json.loads(text), False
        written = _ENCODER.encode(value).encode() if writes_the_same else rfc8785.dumps(value)
    except UnicodeEncodeError:
        raise NotCanonical("a lone surrogate") from None
    except ValueError as error:
        raise NotCanonical(str(error)) from None
    if written != canonical:
        raise NotCanonical("not in canonical form")
    return value


def fault_in(value: Any, place: str, depth: int = 1) -> str | None:
    """Return why a value cannot be part of an entry, with its path; None if it can. `depth` is the nesting depth of the
    value, starting with 1."""
    if isinstance(value, str):
        return f"{place} has a lone surrogate" if any("\ud800" <= char <= "\udfff" for char in value) else None
    if isinstance(value, bool | None):
        return None
    if isinstance(value, int | float):
        # Also doubles: all beyond are whole, and RFC 8785 writes those below 1e21 as whole numbers.
        return None if abs(value) <= LARGEST_NUMBER else f"{place} is a number beyond 2**53 - 1"
    if isinstance(value, Mapping | list | tuple) and depth > MAX_DEPTH:
        return f"{place} is nested too deeply"
    if isinstance(value, Mapping):
        for name, part in value.items():
            where = f"{place}.{name}"
            if not isinstance(name, str):
                return f"{where} is a name that is not a string"
            if fault := fault_in(name, where) or fault_in(part, where, depth + 1):
                return fault
        return None
    if isinstance(value, list | tuple):
        for at, one in enumerate(value):
            if fault := fault_in(one, f"{place}[{at}]", depth + 1):
                return fault
        return None
    return f"{place} is not a JSON value"


def _require_shallow(canonical: bytes) -> None:
    if canonical.count(b"[") + canonical.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(canonical):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            raise NotCanonical("nested too deeply")
