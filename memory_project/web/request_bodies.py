"""Reading the body of a request: whole, at most so long, and at least so fast."""

import asyncio
import io
import re
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import IO, Any

from memory_project.web.refusing import problem

#: Seconds that a body may take, and how many bytes buy another second.
PATIENCE = 10.0
BYTES_PER_SECOND = 32 * 1024
#: What a request that shows no credential may send, and one that logs in.
SMALL = 64 * 1024
#: What is kept in memory; the rest waits on disk.
_IN_MEMORY = 1024 * 1024

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]


class BodyRefused(Exception):  # noqa: N818 (an answer, not an error)
    """The body is not taken: the answer, as problem details."""

    def __init__(self, status: HTTPStatus, code: str, title: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.title, self.detail = status, code, title, detail

    def content(self, path: str) -> bytes:
        """The problem details (RFC 9457) for a request to `path`."""
        return problem(self.status, self.code, self.title, self.detail, path)


class Disconnected(Exception):  # noqa: N818 (nobody waits for an answer)
    """The client is gone."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a body may be, in bytes: `body` at most, `large_body` for a request to what `large_paths` matches, and
    SMALL for a request to one of `small_paths`, or without an Authorization header or the session cookie."""

    body: int
    small_paths: frozenset[str]
    session_cookie: str
    large_body: int = 0
    large_paths: re.Pattern[str] | None = None

    def of(self, path: str, headers: Mapping[bytes, bytes]) -> int:
        """The limit of a request."""
        cookie = f"{self.session_cookie}=".encode()
        shows_credential = b"authorization" in headers or cookie in headers.get(b"cookie", b"")
        if path in self.small_paths or not shows_credential:
            return min(SMALL, self.body)
        if self.large_paths is not None and self.large_paths.fullmatch(path):
            return self.large_body
        return self.body


@dataclass(frozen=True, slots=True)
class Body:
    """A body that was read to its end."""

    file: IO[bytes]
    length: int


async def read(receive: Receive, *, limit: int, announced: int | None) -> Body:
    """Read the body of a request to its end. `announced` is its Content-Length, None for a chunked one.

    Raises BodyRefused for one that is too large or too slow, Disconnected.
    """
    if announced == 0:
        return Body(io.BytesIO(), 0)
    if announced is not None and announced > limit:
        raise _too_large(limit)
    file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 (closed with the request)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE
    length = 0
    while True:
        try:
            async with asyncio.timeout_at(deadline + length / BYTES_PER_SECOND):
                message = await receive()
        except TimeoutError:
            raise _too_slow() from None
        if message["type"] == "http.disconnect":
            raise Disconnected
        piece: bytes = message.get("body", b"")
        length += len(piece)
        if length > limit:
            raise _too_large(limit)
        file.write(piece)
        if not message.get("more_body", False):
            file.seek(0)
            return Body(file, length)


def _too_large(limit: int) -> BodyRefused:
    detail = f"The body is larger than {limit} bytes."
    if limit == SMALL:
        detail = f"A request without a credential, or one that logs in, has a body of at most {limit} bytes."
    return BodyRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body-too-large", "Body too large", detail)


def _too_slow() -> BodyRefused:
    return BodyRefused(
        HTTPStatus.REQUEST_TIMEOUT,
        "body-too-slow",
        "Body too slow",
        f"The body did not arrive in time: send it within {PATIENCE:.0f} s, or at {BYTES_PER_SECOND} bytes a second.",
    )
