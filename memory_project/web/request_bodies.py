"""Reads the body of a request completely, within a time limit and at a minimum speed."""

import asyncio
import io
import re
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import IO, Any

from memory_project.web.refusals import problem

#: Seconds that a body may take, and the number of bytes that add another second.
PATIENCE = 10.0
BYTES_PER_SECOND = 32 * 1024
#: Maximum bytes of a request without a credential, or of a login.
SMALL = 64 * 1024
#: Bytes to keep in memory; the rest goes to disk.
_IN_MEMORY = 1024 * 1024

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]


class BodyRefused(Exception):  # noqa: N818 (an answer, not an error)
    """The body is refused; carries the response as problem details."""

    def __init__(self, status: HTTPStatus, code: str, title: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.title, self.detail = status, code, title, detail

    def content(self, path: str) -> bytes:
        """The problem details (RFC 9457) for a request to `path`."""
        return problem(self.status, self.code, self.title, self.detail, path)


class Disconnected(Exception):  # noqa: N818 (no client waits for an answer)
    """The client has disconnected."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum length of a body in bytes: `body` usually, `large_body` for paths that match `large_paths`, and SMALL for
    `small_paths` or without an Authorization header or the session cookie."""

    body: int
    small_paths: frozenset[str]
    session_cookie: str
    large_body: int = 0
    large_paths: re.Pattern[str] | None = None

    def of(self, path: str, headers: Mapping[bytes, bytes]) -> int:
        """The limit for a request."""
        cookie = f"{self.session_cookie}=".encode()
        shows_credential = b"authorization" in headers or cookie in headers.get(b"cookie", b"")
        if path in self.small_paths or not shows_credential:
            return min(SMALL, self.body)
        if self.large_paths is not None and self.large_paths.fullmatch(path):
            return self.large_body
        return self.body


@dataclass(frozen=True, slots=True)
class Body:
    """A body that has been read completely."""

    file: IO[bytes]
    length: int


async def read(receive: Receive, *, limit: int, announced: int | None) -> Body:
    """Read the body of a request completely. `announced` is its Content-Length, None if chunked.

    Raises BodyRefused if it is too large or too slow, and Disconnected.
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
        detail = f"Without a credential, and for logins, the body may have at most {limit} bytes."
    return BodyRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body-too-large", "Body too large", detail)


def _too_slow() -> BodyRefused:
    return BodyRefused(
        HTTPStatus.REQUEST_TIMEOUT,
        "body-too-slow",
        "Body too slow",
        f"The body did not arrive in time. Send it within {PATIENCE:.0f} s, or at {BYTES_PER_SECOND} bytes per second.",
    )
