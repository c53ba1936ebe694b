"""Sends a response from a thread of Django's to the client; the thread never waits for the client."""

import asyncio
import logging
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from governance.http.waiting import ASK_AGAIN

logger = logging.getLogger("suture.web")

_ASK_AGAIN = ASK_AGAIN.lower().encode()
#: A comment, which clients ignore.
_ALIVE = b": \n\n"
#: Bytes to send at once.
PIECE = 64 * 1024
#: Seconds that a client may take for one piece before it is disconnected.
PATIENCE = 30.0
#: Bytes of a streamed response to keep in memory; the rest goes to disk.
_IN_MEMORY = 1024 * 1024

Headers = list[tuple[bytes, bytes]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class CompleteResponse:
    """A complete response."""

    status: int
    headers: Headers
    body: bytes

    @property
    def wait_seconds(self) -> float | None:
        """How long to wait for a better response; None for a final one."""
        return next((float(value) for name, value in self.headers if name == _ASK_AGAIN), None)

    @property
    def is_event_stream(self) -> bool:
        """Whether the better responses are sent one after the other, as server-sent events."""
        return any(name == b"content-type" and value.startswith(b"text/event-stream") for name, value in self.headers)


async def send_events(first: CompleteResponse, later: AsyncIterator[CompleteResponse | None], send: Send) -> None:
    """Send server-sent events: those of the first response, then those of each later one; None is a sign of life. Ends
    at the first response with another status. Raises TimeoutError if the client does not read them."""
    own = [(name, value) for name, value in first.headers if name not in (_ASK_AGAIN, b"content-length")]
    await send({"type": "http.response.start", "status": first.status, "headers": own})
    await send_piece(send, first.body, is_last=False)
    async for answer in later:
        if answer is not None and answer.status != first.status:
            break
        if piece := _ALIVE if answer is None else answer.body:
            await send_piece(send, piece, is_last=False)
    await send_piece(send, b"", is_last=True)


async def send_whole(answer: CompleteResponse, send: Send) -> None:
    """Send a response. Raises TimeoutError if the client does not read it."""
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    body = answer.body
    for start in range(0, len(body) or 1, PIECE):
        await send_piece(send, body[start : start + PIECE], is_last=start + PIECE >= len(body))


async def send_piece(send: Send, piece: bytes, *, is_last: bool) -> None:
    """Send a part of a body. Raises TimeoutError if the client does not read it."""
    async with asyncio.timeout(PATIENCE):
        await send({"type": "http.response.body", "body": piece, "more_body": not is_last})


class Abandoned(Exception):  # noqa: N818 (no client reads on)
    """The client no longer reads this response."""


class StreamedResponse:
    """A response that a thread produces while the event loop sends it. The producer never waits for the client."""

    def __init__(self, loop: asyncio.AbstractEventLoop, status: int, headers: Headers) -> None:
        self._loop = loop
        self._status, self._headers = status, headers
        self._lock = threading.Lock()
        self._more = asyncio.Event()
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 (closed by close())
        self._written = self._sent = 0
        self._has_ended = self._is_closed = False
        self._failure: BaseException | None = None

    def fill(self, pieces: Iterable[bytes]) -> None:
        """Write the body, in the thread. An error of `pieces` aborts the response, whose beginning has been sent."""
        try:
            for piece in pieces:
                self._write(piece)
        except Abandoned:
            return
        except Exception as failure:
            logger.exception("a response was aborted")
            self._end(failure)
            return
        self._end(None)

    def _write(self, piece: bytes) -> None:
        with self._lock:
            if self._is_closed:
                raise Abandoned
            self._file.seek(self._written)
            self._file.write(piece)
            self._written += len(piece)
        self._loop.call_soon_threadsafe(self._more.set)

    def _end(self, failure: BaseException | None) -> None:
        with self._lock:
            self._has_ended, self._failure = True, failure
        self._loop.call_soon_threadsafe(self._more.set)

    async def send(self, send: Send) -> None:
        """Send the response, in the event loop. Raises TimeoutError if the client does not read it, and BrokenOff,
        which closes the connection without the end of the body."""
        try:
            await send({"type": "http.response.start", "status": self._status, "headers": self._headers})
            async for piece, is_last in self._pieces():
                await send_piece(send, piece, is_last=is_last)
        finally:
            with self._lock:
                self._is_closed = True
                self._file.close()

    async def _pieces(self) -> AsyncIterator[tuple[bytes, bool]]:
        """The body in pieces, each with whether it is the last; for an empty body, an empty piece."""
        is_last = False
        while not is_last:
            with self._lock:
                self._file.seek(self._sent)
                piece = self._file.read(PIECE)
                self._sent += len(piece)
                is_last = self._has_ended and self._sent == self._written
                if is_last and self._failure is not None:
                    raise BrokenOff from self._failure
                if not piece and not is_last:
                    self._more.clear()
            if piece or is_last:
                yield piece, is_last
            else:
                await self._more.wait()


class BrokenOff(Exception):  # noqa: N818 (for the web server, which ends the connection)
    """The response failed after its beginning was sent."""
