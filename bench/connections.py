"""Many callers in one process: connections that send one request after the other, for some seconds.

A caller costs 0.1 ms of a processor for each request. One in a process of its own (`bench.load`) costs five times as
much, which on a machine of two processors is taken from the server.
"""

import asyncio
import json
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, cast

import uvloop

WARMING = 5
#: Method, path below /api/v1/ and body.
Request = tuple[str, str, Any]


class _Connection(asyncio.Protocol):
    """One kept connection, which has one request under way."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._length: int | None = None
        self._answered: asyncio.Future[bytes] | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass

    def connection_lost(self, reason: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(reason or ConnectionResetError("the server closed the connection"))

    async def ask(self, request: bytes) -> bytes:
        """The whole answer to a request."""
        assert self.transport is not None
        self._answered = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self._answered

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._length is None:
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._received[:end]).lower()
            place = head.find(b"content-length:")
            if place < 0:
                raise ValueError("an answer without a length")
            self._length = end + 4 + int(head[place + 15 :].split(b"\r\n", 1)[0])
        if len(self._received) >= self._length:
            answer, self._received, self._length = bytes(self._received), bytearray(), None
            assert self._answered is not None
            self._answered.set_result(answer)


def call(
    port: int, key: str, callers: Sequence[Callable[[], Request]], seconds: float, *, are_writes: bool = False
) -> list[float]:
    """Have every caller draw and send requests on a connection of its own for `seconds`; the seconds of each request,
    all callers together, without the first ones. Each write has an idempotency key.

    Raises SystemExit for an answer that is no success.
    """
    deadline = time.monotonic() + seconds
    return _together(port, key, callers, lambda: time.monotonic() >= deadline, are_writes)


def call_until(
    port: int,
    key: str,
    callers: Sequence[Callable[[], Request]],
    is_over: Callable[[], bool],
    *,
    are_writes: bool = False,
) -> int:
    """The same until `is_over`; the number of requests, without the first ones. Raises SystemExit."""
    return len(_together(port, key, callers, is_over, are_writes))


def _together(
    port: int, key: str, callers: Sequence[Callable[[], Request]], is_over: Callable[[], bool], are_writes: bool
) -> list[float]:
    async def together() -> list[float]:
        taken = await asyncio.gather(*(_one(port, key, draw, is_over, are_writes) for draw in callers))
        return [second for one in taken for second in one]

    return uvloop.run(together())


async def _one(
    port: int, key: str, draw: Callable[[], Request], is_over: Callable[[], bool], is_write: bool
) -> list[float]:
    transport, connection = await asyncio.get_running_loop().create_connection(_Connection, "127.0.0.1", port)
    taken: list[float] = []
    number = 0
    try:
        while not is_over() or number <= WARMING:
            request = _bytes(key, *draw(), is_write)
            sent = time.perf_counter()
            answer = await connection.ask(request)
            if number >= WARMING:
                taken.append(time.perf_counter() - sent)
            number += 1
            if not answer.startswith(b"HTTP/1.1 2"):
                raise SystemExit(f"{request[:200]!r} was answered with {answer[:600]!r}")
    finally:
        transport.close()
    return taken


def _bytes(key: str, method: str, path: str, body: Any, is_write: bool) -> bytes:
    lines = [f"{method} /api/v1/{path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {key}"]
    sent = b""
    if body is not None:
        sent = json.dumps(body).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(sent)}"]
    if is_write:
        lines.append(f"Idempotency-Key: {uuid.uuid4()}")
    return "\r\n".join([*lines, "", ""]).encode() + sent
