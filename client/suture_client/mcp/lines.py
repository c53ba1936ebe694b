"""The lines of MCP on standard input and output: every request gets an answer, also one that cannot be read.

The SDK drops a line that it cannot read, so its client would wait for ever.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, BinaryIO

import anyio
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: Line ends for some clients, but not for JSON.
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})


#: Seconds that requests may take after the input has ended. The SDK would end them at once.
_GRACE = 5.0


class Unanswered:
    """The requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._answered = anyio.Event()

    def add(self, request_id: str | int) -> None:
        """A request has come."""
        self._ids.add(request_id)

    def discard(self, answer: str) -> None:
        """A message was sent, which may be an answer."""
        if self._ids:
            self._ids.discard(json.loads(answer).get("id"))
            self._answered.set()

    async def wait(self) -> None:
        """Wait for the answers of all requests, for a few seconds at most."""
        with anyio.move_on_after(_GRACE):
            while self._ids:
                self._answered = anyio.Event()
                await self._answered.wait()


class Output:
    """Standard output as the SDK writes to it: one message on each line."""

    def __init__(self, stream: BinaryIO, unanswered: Unanswered) -> None:
        self._stream = anyio.wrap_file(stream)
        self._unanswered = unanswered

    async def write(self, text: str) -> None:
        """Send a message. Line ends within its texts are escaped."""
        await self._stream.write(text.translate(_LINE_ENDS).encode())
        await self._stream.flush()
        self._unanswered.discard(text)

    async def flush(self) -> None:
        """Do nothing: every message is sent at once."""


class Input:
    """Standard input as the SDK reads it: an iterator of the lines that are messages. `refuse` sends the error for any
    other line."""

    def __init__(
        self, stream: BinaryIO, refuse: Callable[[JSONRPCError], Awaitable[None]], unanswered: Unanswered
    ) -> None:
        self._stream = anyio.wrap_file(stream)
        self._refuse = refuse
        self._unanswered = unanswered

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._stream:
            message = line.removeprefix(_BYTE_ORDER_MARK).strip()
            if not message:
                continue
            found, refusal = read(message)
            if refusal is not None:
                await self._refuse(refusal)
                continue
            if isinstance(found, JSONRPCRequest):
                self._unanswered.add(found.id)
            yield message.decode()
        await self._unanswered.wait()


def read(line: bytes) -> tuple[JSONRPCMessage | None, JSONRPCError | None]:
    """The message in a line; or the error to answer the line with, if the SDK would not answer it."""
    try:
        line.decode()
        found = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        return None, _refusal(line, error)
    # It reads a request with an id that is neither a text nor a whole number as a notification, which has no answer.
    if not hasattr(found, "id") and "id" in json.loads(line):
        said = "The id of a request must be a text or a whole number. Leave it out of a notification."
        return None, _error(None, INVALID_REQUEST, f"Invalid Request: {said}")
    return found, None


def _refusal(line: bytes, error: ValueError) -> JSONRPCError:
    """Tell what is wrong with a line, and whose answer this is."""
    if isinstance(error, UnicodeDecodeError):
        return _error(_id_in(line), PARSE_ERROR, f"Parse error: byte {error.start + 1} is not UTF-8.")
    try:
        message = json.loads(line)
    except ValueError as fault:
        return _error(None, PARSE_ERROR, f"Parse error: {fault}.")
    except RecursionError:
        return _error(None, PARSE_ERROR, "Parse error: it is nested too deeply.")
    if _has_half_of_a_pair(message):
        said = "a text contains half of a surrogate pair, such as an emoji that was cut in two. Send whole characters."
        return _error(_id_of(message), PARSE_ERROR, f"Parse error: {said}")
    if not isinstance(message, dict):
        return _error(None, INVALID_REQUEST, "Invalid Request: send one JSON object on each line.")
    said = '"jsonrpc" must be "2.0", "method" a text, and "params", if any, an object.'
    return _error(_id_of(message), INVALID_REQUEST, f"Invalid Request: {said}")


def _error(request_id: str | int | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))


def _id_of(message: Any) -> str | int | None:
    found = message.get("id") if isinstance(message, dict) else None
    is_id = isinstance(found, str | int) and not isinstance(found, bool)
    return found if is_id and not _has_half_of_a_pair(found) else None


def _id_in(line: bytes) -> str | int | None:
    """The id of a message whose text is not UTF-8."""
    try:
        return _id_of(json.loads(line.decode(errors="replace")))
    except (ValueError, RecursionError):
        return None


def _has_half_of_a_pair(message: Any) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
