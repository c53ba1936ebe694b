"""Reads the agent's payload from standard input, even if it is huge or arrives slowly."""

import json
import os
import re
import select
import time
from typing import Any

from suture_client.hooks.hook_call import PRE_TOOL_USE

#: Largest payload in bytes that is parsed completely, and the bytes used from the start and the end of a larger one.
WHOLE, HEAD, TAIL = 4_000_000, 500_000, 65_536
_READ_SIZE = 1_048_576
#: The first bytes, in which agents name the event.
_EVENT_NAME_WITHIN = 4_096
#: The last bytes, which contain the closing bracket and maybe white space.
_CLOSING_BYTES = 64
#: White space, also in UTF-16.
_SPACE = b" \t\r\n\0"
#: After this many seconds of silence, a complete payload is accepted although the input is still open.
_SILENCE = 0.02
#: Seconds that reading may always take, however slowly the process started.
_MIN_TIME = 0.1

_JSON_TOKENS = r'"(?:[^"\\]|\\.)*+(?P<end>"?)|[{}\[\],]'
_STRING = r'"(?:[^"\\]|\\.)*+"?'
#: An escape that JSON does not know, after an even number of backslashes.
_BAD_ESCAPE = re.compile(r'(?<!\\)(?:\\\\)*+\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})', re.DOTALL)
#: A backslash at the end of a path, which would escape the quote after it.
_ENDING_BACKSLASH = re.compile(r'(?<!\\)\\"(?=\s*[,}\]])')
_HALF_ESCAPE = r"\\(?:u[0-9a-fA-F]{0,3})?\Z"
#: This field follows the tool's output, which may be large.
_TOOL_USE_ID = rb'(?<!\\)"tool_use_id"\s*:\s*"([^"\\]{1,200})"'


class PayloadError(ValueError):
    """Standard input has no valid payload; the message gives the reason."""


def read(descriptor: int, deadline: float, later: float = 0.0) -> dict[str, Any]:
    """Read the payload. If it is larger than WHOLE or incomplete at the deadline (`time.monotonic`), parse as much of
    its start as possible. `later` is the deadline for events other than PreToolUse. Raises PayloadError."""
    deadline = max(deadline, time.monotonic() + _MIN_TIME)
    data, end = bytearray(), b""
    is_closed = has_news = False
    size = 0
    while not is_closed and (left := deadline - time.monotonic()) > 0:
        may_be_whole = has_news and size <= WHOLE and data[-_CLOSING_BYTES:].rstrip(_SPACE).endswith(b"}")
        if not _is_ready(descriptor, min(left, _SILENCE) if may_be_whole else left):
            if may_be_whole and (found := _parse_object(data)) is not None:
                return found
            has_news = False
            continue
        try:
            piece = os.read(descriptor, _READ_SIZE)
        except OSError as error:
            raise PayloadError(f"Standard input cannot be read: {error.strerror}.") from None
        is_closed, has_news = not piece, True
        if not size and PRE_TOOL_USE.encode() not in piece[:_EVENT_NAME_WITHIN]:
            deadline = max(deadline, later)
        size += len(piece)
        # Read everything, because the agent waits for that, but keep only the used parts.
        data += piece[: max(0, WHOLE + 1 - len(data))]
        end = (end + piece)[-TAIL:]
    if not data.strip():
        raise PayloadError("Standard input is empty. A hook expects the agent's JSON there.")
    if size <= WHOLE and (found := _parse_object(data)) is not None:
        return found
    if is_closed and size <= WHOLE:
        raise PayloadError("Standard input is not a JSON object.")
    found = _parse_partial(_decoded(data[:HEAD]).rstrip("\ufffd"))
    if "tool_use_id" not in found and (match := re.search(_TOOL_USE_ID, end)):
        found["tool_use_id"] = match[1].decode(errors="replace")
    return found


def _is_ready(descriptor: int, seconds: float) -> bool:
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    except (OSError, ValueError) as error:
        raise PayloadError(f"Standard input cannot be read: {error}.") from None


def _parse_object(data: bytearray) -> dict[str, Any] | None:
    text = _decoded(data)
    for repair in (str, _escaped, _with_ended_strings):
        try:
            # Not strict: line ends and tabs within strings are accepted.
            found = json.loads(repair(text), strict=False)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else None
    return None


def _decoded(data: bytes | bytearray) -> str:
    """Decode a payload: UTF-8 or UTF-16, with or without a byte order mark."""
    encoding = "utf-8-sig"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif data[:1] == b"\0" or data[1:2] == b"\0":
        encoding = "utf-16-be" if data[:1] == b"\0" else "utf-16-le"
    return data.decode(encoding, errors="replace")


def _escaped(text: str) -> str:
    """Escape the backslashes of strings with an escape that JSON does not know, such as "C:\\Users": their writer
    escaped none."""

    def escape(found: re.Match[str]) -> str:
        return re.sub(r'\\\\(?=")|\\(?!")', r"\\\\", found[0]) if _BAD_ESCAPE.search(found[0]) else found[0]

    return re.sub(_STRING, escape, text, flags=re.DOTALL)


def _with_ended_strings(text: str) -> str:
    """Escape backslashes, also those that seem to escape the quote at the end of their string."""
    return _escaped(_ENDING_BACKSLASH.sub(r'\\\\"', text))


def _parse_partial(beginning: str) -> dict[str, Any]:
    """Parse an object that is cut off, by closing its open strings, lists and objects."""
    opened: list[str] = []
    cut, open_at_cut = 0, ""
    closing = ""
    for token in re.finditer(_JSON_TOKENS, beginning, re.DOTALL):
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
        found = _parse_object(bytearray(text.encode(errors="replace")))
        if found is not None:
            return found
    raise PayloadError("Standard input is not a JSON object, or did not arrive completely in time.")
