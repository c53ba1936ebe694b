"""Verdicts and corrections, as an application hears of them."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any

import httpx
import pytest

from suture_client import AsyncMemory, Memory, Unauthorized

pytestmark = pytest.mark.pure

STREAM = {"Content-Type": "text/event-stream; charset=utf-8"}
VERDICT = {"status": "approved", "by": "bob", "reason": "I looked", "decided_at": "2026-01-01T00:00:00Z"}
CORRECTION = {"memory_id": "m", "chunk_id": "c", "change": "amended", "changed_at": "2026-01-01T00:00:00Z"}


def event(kind: str, edit_id: str, id: str = "") -> str:
    data = {**(VERDICT if kind == "verdict" else CORRECTION), "edit_id": edit_id}
    return f"event: {kind}\n" + (f"id: {id}\n" if id else "") + f"data: {json.dumps(data)}\n\n"


class CutOff(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that breaks in the middle of an event."""

    def __init__(self, text: str) -> None:
        self._content = text.encode()

    def __iter__(self) -> Iterator[bytes]:
        yield self._content
        raise httpx.ReadError("gone")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content
        raise httpx.ReadError("gone")


class Server(httpx.MockTransport):
    """Gives each answer once, then none any more: a text is a stream that ends."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(self._respond)
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def _respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        found = self._answers.pop(0)
        if isinstance(found, Exception):
            raise found
        if isinstance(found, str):
            return httpx.Response(200, headers=STREAM, text=found)
        if isinstance(found, CutOff):
            return httpx.Response(200, headers=STREAM, stream=found)
        return httpx.Response(found[0], json=found[1])

    def resumed(self) -> list[str | None]:
        return [request.headers.get("Last-Event-ID") for request in self.requests]


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The recorded pauses, which take no time."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("suture_client.memory.blocking.time.sleep", pauses.append)
    monkeypatch.setattr("suture_client.memory.awaiting.asyncio.sleep", sleep)
    return pauses


BROKEN = (
    "retry: 500\nid: 3\n\n" + event("correction", "a", "4") + event("verdict", "b", "5"),
    httpx.ConnectError("refused"),
    CutOff(": \n\n" + event("verdict", "c", "6") + "event: verdict\nid: 7\n"),
    event("verdict", "d", "7"),
)


def test_verdicts_continue_after_the_last_event_whatever_breaks(slept: list[float]) -> None:
    server = Server(*BROKEN)
    found = list(islice(Memory(transport=server).verdicts(after="2"), 3))
    assert [(one.edit_id, one.id, one.is_approved, one.by) for one in found] == [
        ("b", "5", True, "bob"),
        ("c", "6", True, "bob"),
        ("d", "7", True, "bob"),
    ]
    assert server.resumed() == ["2", "5", "5", "6"]
    assert slept == [0.5, 1.0, 1.0]


def test_asyncio_hears_the_same(slept: list[float]) -> None:
    server = Server(*BROKEN)

    async def listen() -> list[Any]:
        found: list[Any] = []
        async with AsyncMemory(transport=server) as memory:
            async for one in memory.notices():
                found.append((type(one).__name__, one.edit_id))
                if len(found) == 4:
                    return found
        return found

    assert asyncio.run(listen()) == [("Correction", "a"), ("Verdict", "b"), ("Verdict", "c"), ("Verdict", "d")]
    assert server.resumed() == [None, "5", "5", "6"]


def test_events_of_kinds_that_the_client_does_not_know_are_skipped() -> None:
    server = Server('event: other\nid: 1\ndata: {"x": 1}\n\n' + event("verdict", "a", "2"))
    assert next(Memory(transport=server).notices()).edit_id == "a"


def test_a_refused_key_ends_the_iteration() -> None:
    server = Server(event("verdict", "a", "2"), (401, {"code": "unauthenticated", "detail": "Revoked."}))
    listening = Memory(transport=server).verdicts()
    assert next(listening).edit_id == "a"
    with pytest.raises(Unauthorized, match="Revoked"):
        next(listening)


def test_a_server_without_a_stream_is_asked_again_and_again(slept: list[float]) -> None:
    decided = {"edit_id": "a", "status": "rejected", "applied_at": None}
    verdict = {"decision": "rejected", "decider": "bob", "decided_at": "2026-01-01T00:00:00Z", "reason": "No."}
    server = Server(
        (404, {"code": "not-found", "detail": "Nothing exists at this address."}),
        (200, {"results": [{"edit_id": "a"}], "next": "page-2"}),
        (200, {"results": [{"edit_id": "b"}], "next": None}),
        (200, {"results": [{"edit_id": "b"}], "next": None}),
        (200, {**decided, "verdicts": [verdict]}),
    )
    found = next(Memory(transport=server).verdicts())
    assert (found.edit_id, found.status, found.by, found.reason) == ("a", "rejected", "bob", "No.")
    assert slept == [5.0]
