"""The load: callers over HTTP in one process; each sends its requests one after the other on a persistent connection.

A caller is a generator: it yields a request and gets the answer.
"""

import asyncio
import json
import math
import time
import uuid
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any

import uvloop

#: Method, path below /api/v1/ (with a leading slash: of the server) and body.
Request = tuple[str, str, Any]
#: The number of initial requests that are not counted: plans are made and caches filled.
WARMING = 5
#: Paths that need an idempotency key: POSTs that change something.
WRITES = frozenset({"events", "events/batch", "edits", "capsules", "captures"})
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request: seconds, status and body."""

    request: Request
    seconds: float
    status: int
    body: bytes

    @property
    def is_done(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300

    def json(self) -> Any:
        """The body; `{}` for an empty one."""
        return json.loads(self.body or b"{}")

    def __str__(self) -> str:
        return f"{self.request[0]} {self.request[1]}: {self.status} {self.body[:300].decode(errors='replace')}"


Caller = Generator[Request, Answer, None]


def call(port: int, key: str, callers: Iterable[Caller], seconds: float = math.inf) -> list[float]:
    """Run the callers until they end or the time is over; returns the seconds of every request after the first ones.
    Raises SystemExit for an unsuccessful result."""
    taken: list[float] = []
    until = time.monotonic() + seconds

    async def one(caller: Caller) -> None:
        connection, number = Connection(port, key), 0
        request = next(caller, None)
        while request is not None and (number <= WARMING or time.monotonic() < until):
            answer = await connection.ask(request)
            if not answer.is_done:
                raise SystemExit(str(answer))
            number += 1
            if number > WARMING:
                taken.append(answer.seconds)
            try:
                request = caller.send(answer)
            except StopIteration:
                request = None
        connection.close()

    async def together() -> None:
        await asyncio.gather(*(one(caller) for caller in callers))

    uvloop.run(together())
    return taken


def ask(port: int, key: str, request: Request) -> Answer:
    """Send one request."""

    async def one() -> Answer:
        connection = Connection(port, key)
        try:
            return await connection.ask(request)
        finally:
            connection.close()

    return uvloop.run(one())


class Connection:
    """A persistent connection, reopened if the server closes it."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: Request, on_behalf_of: str = "") -> Answer:
        """Send a request, on behalf of a principal if one is named, and return the complete result."""
        sent = self._bytes(*request, on_behalf_of)
        if self._streams is None or self._streams[0].at_eof():
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        at = time.perf_counter()
        writer.write(sent)
        async with asyncio.timeout(PATIENCE):
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            _, found, rest = head.partition(b"content-length:")
            body = await reader.readexactly(int(rest.split(b"\r\n", 1)[0])) if found else b""
        return Answer(request, time.perf_counter() - at, int(head.split(None, 2)[1]), body)

    def close(self) -> None:
        """Close it."""
        if self._streams is not None:
            self._streams[1].close()

    def _bytes(self, method: str, path: str, body: Any, on_behalf_of: str) -> bytes:
        address = path if path.startswith("/") else f"/api/v1/{path}"
        lines = [f"{method} {address} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {self._key}"]
        sent = b"" if body is None else json.dumps(body).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(sent)}"] if sent else []
        lines += [f"X-On-Behalf-Of: {on_behalf_of}"] if on_behalf_of else []
        lines += [f"Idempotency-Key: {uuid.uuid4()}"] if method == "POST" and path in WRITES else []
        return "\r\n".join([*lines, "", ""]).encode() + sent
