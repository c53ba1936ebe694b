"""The ids in LangGraph's values, by which Suture finds memory that is corrected or erased later."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import ormsgpack
from langgraph.checkpoint.serde import jsonplus

#: The length of the shortest form of an id: 32 hexadecimal digits.
_SHORTEST = 32
#: The part of an id's usual form, of any version, that has a literal: searching for the whole takes much longer.
_MIDDLE = re.compile(r"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_WHOLE = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
#: An id without hyphens: of version 7, as the server generates them, and no part of a longer number, such as a hash.
_PLAIN = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15}(?![0-9a-fA-F])")


def ids_in(kind: str, content: bytes) -> set[str]:
    """The ids in a value, as LangGraph's serialiser wrote it; none in an encrypted one."""
    if kind == "msgpack":
        # Not in the bytes themselves: the length of a text, or the next number, may look like a digit.
        texts = _texts_in(_unpacked(content))
    elif kind in {"bytes", "bytearray"}:
        texts = iter([content.decode("latin-1")])
    else:
        return set()
    together = "\n".join(text for text in texts if len(text) >= _SHORTEST)
    starts = (middle.start() - 8 for middle in _MIDDLE.finditer(together))
    found = {whole[0].lower() for start in starts if start >= 0 and (whole := _WHOLE.match(together, start))}
    return found | {str(UUID(plain)) for plain in _PLAIN.findall(together)}


def _unpacked(content: bytes) -> Any:
    return ormsgpack.unpackb(content, ext_hook=_opened, option=ormsgpack.OPT_NON_STR_KEYS)


def _opened(code: int, content: bytes) -> Any:
    """The parts of an object, of which nothing is created. A UUID is a text, of any version."""
    held = _unpacked(content)
    if code == jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG and list(held[:2]) == ["uuid", "UUID"]:
        return str(UUID(held[2]))
    return held


def _texts_in(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, bytes):
            yield one.decode("latin-1")
        elif isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
