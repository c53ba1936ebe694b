"""Server-sent events behind the bridge: the same request again and again, each time from the last event on."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from governance.http.waiting import ASK_AGAIN, CAN_WAIT
from memory_project.web import bridge as bridges
from memory_project.web.bridge import Bridge
from memory_project.web.request_bodies import Limits

pytestmark = pytest.mark.pure

#: An answer of the application: its status and its body.
Answer = tuple[int, str]


class Application:
    """A WSGI application that gives answers in turn, then empty ones, and would rather wait."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[str | None] = []

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self.asked.append(environ.get("HTTP_LAST_EVENT_ID"))
        status, body = self.answers.pop(0) if self.answers else (200, "")
        headers = [("Content-Type", "text/event-stream" if status == 200 else "application/problem+json")]
        if environ[CAN_WAIT] and status == 200:
            headers.append((ASK_AGAIN, "60"))
        start_response(f"{status} OK", [*headers, ("Content-Length", str(len(body)))])
        return Whole([body.encode()])


class Whole(list[bytes]):
    """A complete body, as Django's."""

    streaming = False


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow at once, and a connection soon ends."""
    monkeypatch.setattr(bridges, "MIN_PAUSE", 0.001)
    monkeypatch.setattr(bridges, "MAX_PAUSE", 0.001)
    monkeypatch.setattr(bridges, "TRIES_PER_SECOND", 10_000)
    monkeypatch.setattr(bridges, "MAX_WAIT", 0.1)


@pytest.fixture
def stream() -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """Ask for a stream, and return what was sent. `until`: the client disconnects after so many messages."""
    made: list[Bridge] = []

    def ask(application: Application, until: int | None = None, *, stops: bool = False) -> list[dict[str, Any]]:
        async def run() -> list[dict[str, Any]]:
            bridge = Bridge(application, threads=1, limits=Limits(1_000, frozenset(), "sessionid"))
            made.append(bridge)
            if stops:
                bridge.end_waiting()
            sent: list[dict[str, Any]] = []
            requests = [{"type": "http.request", "body": b"", "more_body": False}]
            enough = asyncio.Event()

            async def receive() -> dict[str, Any]:
                if requests:
                    return requests.pop()
                await enough.wait()
                return {"type": "http.disconnect"}

            async def send(message: dict[str, Any]) -> None:
                sent.append(message)
                if len(sent) == until:
                    enough.set()

            path = "/api/v1/notices/stream"
            scope = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": path}
            headers = [(b"host", b"x"), (b"last-event-id", b"3")]
            await bridge({**scope, "raw_path": path.encode(), "query_string": b"", "headers": headers}, receive, send)
            assert bridge._waiting == 0
            return sent

        return asyncio.run(run())

    yield ask
    for bridge in made:
        bridge._threads.shutdown()


def bodies(sent: list[dict[str, Any]]) -> list[bytes]:
    return [one["body"] for one in sent[1:] if one["body"]]


def test_each_request_continues_after_the_last_event(stream: Any) -> None:
    application = Application((200, "id: 4\ndata: a\n\n"), (200, ""), (200, "data: b\n\nid: 5\ndata: c\n\nid: 6\n\n"))
    sent = stream(application)
    assert bodies(sent) == [b"id: 4\ndata: a\n\n", b"data: b\n\nid: 5\ndata: c\n\nid: 6\n\n"]
    assert application.asked[:4] == ["3", "4", "4", "6"]
    assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


def test_clients_get_neither_a_length_nor_the_bridges_header(stream: Any) -> None:
    [start, *_] = stream(Application((200, "id: 4\n\n")))
    assert start == {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-type", b"text/event-stream")],
    }


def test_a_silent_stream_sends_signs_of_life(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "ALIVE", 0.0)
    assert set(bodies(stream(Application()))) == {b": \n\n"}


def test_a_refusal_ends_the_stream(stream: Any) -> None:
    application = Application((200, "id: 4\n\n"), (401, '{"code": "unauthenticated"}'))
    assert bodies(stream(application)) == [b"id: 4\n\n"]
    assert len(application.asked) == 2


def test_a_refusal_at_first_is_an_ordinary_answer(stream: Any) -> None:
    [start, body] = stream(Application((401, '{"code": "unauthenticated"}')))
    assert (start["status"], body["body"]) == (401, b'{"code": "unauthenticated"}')


def test_a_client_that_goes_away_is_not_asked_for_again(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "MAX_WAIT", 60.0)
    application = Application((200, "id: 4\n\n"), (200, "id: 5\n\n"))
    stream(application, until=3)
    assert not application.answers


def test_a_process_that_stops_ends_the_stream_with_what_there_is(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "MAX_WAIT", 60.0)
    sent = stream(Application((200, "id: 4\n\n"), (200, "id: 5\n\n")), stops=True)
    assert bodies(sent) == [b"id: 4\n\n", b"id: 5\n\n"]
    assert sent[-1]["more_body"] is False
