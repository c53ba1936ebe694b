"""How requests are sent: retries, errors, headers, and cancelled tasks."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from suture_client import (
    AsyncMemory,
    Conflict,
    Failed,
    Forbidden,
    Invalid,
    Memory,
    NotFound,
    Problem,
    RateLimited,
    Unauthorized,
    Unavailable,
)
from suture_client.errors import Away

pytestmark = pytest.mark.pure

RECEIPT = {"id": "a", "status": "recorded", "ts": "2026-01-01T00:00:00Z"}
MEMORY = {"id": "a", "text": "tea", "metadata": {}, "kind": "message", "channel": "private"}
MEMORY |= {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}


class Answers(httpx.MockTransport):
    """Gives each answer once: a status with its body, or an error. Records the requests."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(self._respond)
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def _respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        found = self._answers.pop(0)
        if isinstance(found, Exception):
            raise found
        status, body, *headers = found
        return httpx.Response(status, json=body, headers=headers[0] if headers else None)

    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]


def problem(status: int, **details: Any) -> tuple[int, dict[str, Any]]:
    return status, {"title": "No", "status": status, "detail": "For a test.", **details}


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The recorded pauses, which take no time."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("suture_client.http.time.sleep", pauses.append)
    monkeypatch.setattr("suture_client.http.asyncio.sleep", sleep)
    return pauses


def attempts() -> Answers:
    later = {"Retry-After": "7"}
    return Answers(
        httpx.ReadError("gone"), (*problem(503), later), (*problem(429), {"Retry-After": "2"}), (201, RECEIPT)
    )


def test_all_attempts_have_one_idempotency_key_and_wait_as_the_server_asks(slept: list[float]) -> None:
    server = attempts()
    assert Memory(transport=server).remember("tea").id == "a"
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 1
    assert slept == [0.5, 7, 2]


def test_a_search_has_no_idempotency_key_with_which_the_server_would_write(slept: list[float]) -> None:
    server = Answers(problem(503), (200, {"results": []}))
    assert Memory(transport=server).recall("tea") == []
    assert not any("Idempotency-Key" in request.headers for request in server.requests)
    assert slept == [0.5]


def test_attempts_are_the_same_for_asyncio(slept: list[float]) -> None:
    server = attempts()

    async def remember() -> str:
        async with AsyncMemory(transport=server) as memory:
            return (await memory.remember("tea")).id

    assert asyncio.run(remember()) == "a"
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 1
    assert slept == [0.5, 7, 2]


def test_a_change_that_is_sent_again_has_its_key() -> None:
    changed = {"status": "applied", "edit_ids": ["e"], "memory": MEMORY}
    gone = httpx.ReadError("gone")
    server = Answers(gone, (200, changed), gone, (200, changed), gone, (200, MEMORY))
    memory = Memory(transport=server)
    memory.update("a", text="coffee")
    memory.forget("a")
    memory.get("a")
    keys = [request.headers.get("Idempotency-Key") for request in server.requests]
    assert keys[0] == keys[1] != keys[2] == keys[3]
    assert None not in keys[:4]
    assert keys[4:] == [None, None]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Invalid),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (413, Invalid),
        (418, Problem),
        (429, RateLimited),
        (503, Unavailable),
    ],
)
def test_a_refusal_is_an_exception_by_its_kind(status: int, kind: type[Failed]) -> None:
    errors = [{"pointer": "#/metadata", "detail": "Too long."}, {"parameter": "limit", "detail": "No."}]
    server = Answers(problem(status, code="some-code", request_id="r1", errors=errors))
    with pytest.raises(kind) as refused:
        Memory(transport=server, pauses=()).get("a")
    assert isinstance(refused.value, Problem)
    assert (refused.value.code, refused.value.detail) == ("some-code", "For a test.")
    assert (refused.value.pointers, refused.value.request_id) == (("#/metadata",), "r1")


def test_a_server_that_is_away_is_unavailable_too() -> None:
    with pytest.raises(Unavailable) as failed:
        Memory(transport=Answers(httpx.ConnectError("refused")), pauses=()).get("a")
    assert isinstance(failed.value, Away)
    assert (failed.value.code, failed.value.pointers, failed.value.request_id) == ("", (), "")


def test_a_key_is_needed_unless_the_server_is_a_mock(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("SUTURE_KEY", "SUTURE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(Failed, match="No key is set"):
        Memory()
    with pytest.raises(Failed, match="No key is set"):
        Memory(transport=httpx.HTTPTransport())


def test_a_scope_is_sent_with_each_request() -> None:
    server = Answers((201, RECEIPT), (200, {"results": []}), (200, MEMORY))
    agent = Memory("http://suture", "sut_x", on_behalf_of="patient:ada", transport=server)
    ada = agent.about("user:ada", project="tea", session="Söhne", channel="team")
    ada.remember("tea")
    ada.recall("tea")
    agent.about(on_behalf_of="patient:bob").get("a")
    about = {"subject_type": "user", "subject_id": "ada", "project_id": "tea", "channel": "team"}
    [remembered, recalled] = [json.loads(request.content) for request in server.requests[:2]]
    assert remembered == {"text": "tea", "session_id": "Söhne", **about}
    assert recalled == {"query": "tea", "limit": 10, **about}
    assert [one.headers["X-On-Behalf-Of"] for one in server.requests] == ["patient:ada", "patient:ada", "patient:bob"]
    assert dict(server.requests[0].headers.raw)[b"X-Session-Id"] == "Söhne".encode()
    assert "X-Session-Id" not in server.requests[2].headers
    with pytest.raises(Failed, match="such as user:ada, not 'ada'"):
        agent.about("ada")


def test_fields_that_the_client_does_not_know_are_ignored() -> None:
    memory = Memory(transport=Answers((200, {**MEMORY, "new_field": 1})))
    assert memory.get("a").text == "tea"


def test_a_change_waits_for_its_verdict(slept: list[float]) -> None:
    pending = {"edit_id": "e", "status": "pending", "is_decided": False, "verdicts": []}
    verdict = {"decision": "rejected", "decider": "bob", "reason": "No.", "decided_at": "2026-01-01T00:00:00Z"}
    decided = {**pending, "status": "rejected", "is_decided": True, "verdicts": [verdict]}
    server = Answers((200, {"status": "pending", "edit_ids": ["e"]}), (200, pending), (200, decided))
    change = Memory(transport=server).forget("a", reason="asked to")
    found = change.wait(30)
    assert not change.is_applied
    assert found is not None
    assert (found.status, found.is_approved, found.by, found.reason) == ("rejected", False, "bob", "No.")
    assert slept == [1.0]


def test_a_change_without_a_verdict_in_time_has_none() -> None:
    pending = {"edit_id": "e", "status": "pending", "is_decided": False, "verdicts": []}
    server = Answers((200, {"status": "pending", "edit_ids": ["e"]}), (200, pending))
    assert Memory(transport=server).forget("a").wait(0) is None


def test_a_cancelled_call_leaves_the_connection_usable() -> None:
    """On one connection: a call that is cancelled while it waits for its answer does not keep the connection, and its
    late answer is not that of the next call."""
    connections: list[asyncio.StreamWriter] = []
    asked = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        while line := await reader.readline():
            while (await reader.readline()).strip():
                pass
            asked.set()
            if b"slow" in line:
                continue  # no answer
            content = json.dumps({**MEMORY, "id": line.split(b"/")[-2].split()[0].decode()}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ")
            writer.write(f"{len(content)}\r\n\r\n".encode() + content)

    async def run() -> list[str]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        limits = httpx.Limits(max_connections=1)
        transport = httpx.AsyncHTTPTransport(limits=limits)
        async with AsyncMemory(f"http://127.0.0.1:{port}", "sut_x", transport=transport) as memory:
            found = [(await memory.get("one")).id]
            asked.clear()
            slow = asyncio.create_task(memory.get("slow"))
            await asked.wait()
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            found += [(await memory.get("two")).id, (await memory.get("three")).id]
        for one in connections:
            one.close()
        server.close()
        return found

    assert asyncio.run(run()) == ["one", "two", "three"]
    assert len(connections) == 2
