"""Reads the payload that an agent writes to a hook's standard input, whatever its size and however slowly it comes."""

import json
import os
import re
import select
import time
from typing import Any

from suture_client.hooks.call import PRE_TOOL_USE

#: Bytes of a payload that are read as they are, and of a larger one: from its beginning, and from its end.
WHOLE, BEGINNING, END = 4_000_000, 500_000, 65_536
_PIECE = 1_048_576
#: Bytes at the beginning, in which agents name the event.
_NAMING = 4_096
#: Bytes at the end, in which an object's bracket is: what follows is white space.
_END_OF_OBJECT = 64
#: Seconds of silence after which a payload that is complete is taken as such, although nobody closed the input.
_SILENCE = 0.02
#: Seconds that reading may take in any case, however long the process took to start.
_LEAST = 0.1

_PIECES_OF_JSON = r'"(?:[^"\\]|\\.)*+(?P<end>"?)|[{}\[\],]'
_HALF_ESCAPE = r"\\(?:u[0-9a-fA-F]{0,3})?\Z"
#: What stands behind a tool's output, which may be large.
_ID_AT_END = rb'(?<!\\)"tool_use_id"\s*:\s*"([^"\\]{1,200})"'


class Unreadable(ValueError):  # noqa: N818 (the agent is at fault, not the program)
    """Standard input has no payload; the message says why."""


def read(descriptor: int, deadline: float, later: float = 0.0) -> dict[str, Any]:
    """The payload. Of more than WHOLE bytes, and of one that is not complete at the deadline (`time.monotonic`), what
    can be understood of its beginning. `later` is the deadline where that begins an event that may take longer than
    PreToolUse. Raises Unreadable."""
    deadline = max(deadline, time.monotonic() + _LEAST)
    data, end = bytearray(), b""
    is_closed = has_news = False
    size = 0
    while not is_closed and (left := deadline - time.monotonic()) > 0:
        may_be_whole = has_news and size <= WHOLE and data[-_END_OF_OBJECT:].rstrip().endswith(b"}")
        if not _is_ready(descriptor, min(left, _SILENCE) if may_be_whole else left):
            if may_be_whole and (found := _object(data)) is not None:
                return found
            has_news = False
            continue
        try:
            piece = os.read(descriptor, _PIECE)
        except OSError as error:
            raise Unreadable(f"Standard input cannot be read: {error.strerror}.") from None
        is_closed, has_news = not piece, True
        if not size and PRE_TOOL_USE.encode() not in piece[:_NAMING]:
            deadline = max(deadline, later)
        size += len(piece)
        # All of it is read, since the agent waits until it is, and kept as far as it is used.
        data += piece[: max(0, WHOLE + 1 - len(data))]
        end = (end + piece)[-END:]
    if not data.strip():
        raise Unreadable("Standard input is empty: a hook reads the agent's JSON there.")
    if size <= WHOLE and (found := _object(data)) is not None:
        return found
    if is_closed and size <= WHOLE:
        raise Unreadable("Standard input is not a JSON object.")
    found = _understood(bytes(data[:BEGINNING]).decode(errors="ignore"))
    if "tool_use_id" not in found and (match := re.search(_ID_AT_END, end)):
        found["tool_use_id"] = match[1].decode(errors="replace")
    return found


def _is_ready(descriptor: int, seconds: float) -> bool:
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    except (OSError, ValueError) as error:
        raise Unreadable(f"Standard input cannot be read: {error}.") from None


def _object(data: bytearray) -> dict[str, Any] | None:
    try:
        found = json.loads(data.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _understood(beginning: str) -> dict[str, Any]:
    """The object that a text begins: open strings, lists and objects are closed where the text ends."""
    opened: list[str] = []
    cut, open_at_cut = 0, ""
    closing = ""
    for token in re.finditer(_PIECES_OF_JSON, beginning, re.DOTALL):
        match token[0]:
            case "{" | "[":
                opened.append("}" if token[0] == "{" else "]")
            case "}" | "]":
                if opened:
                    opened.pop()
            case ",":
                cut, open_at_cut = token.start(), "".join(reversed(opened))
            case _ if not token["end"]:
                beginning, closing = re.sub(_HALF_ESCAPE, "", beginning), '"'
    closing += "".join(reversed(opened))
    for text in (beginning + closing, beginning[:cut] + open_at_cut):
        found = _object(bytearray(text.encode(errors="replace")))
        if found is not None:
            return found
    raise Unreadable("Standard input is not a JSON object, or not all of it came in time.")
