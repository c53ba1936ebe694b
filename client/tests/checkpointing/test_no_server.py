"""Runs without a server, with a slow or foreign server, and without a key."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from suture_client.checkpointing import Away, Checkpointer, Failed, restore
from tests.hooks.serving import away

pytestmark = pytest.mark.pure

KEY = "sut_12345678_key"


class _Edge(BaseHTTPRequestHandler):
    """Accepts turns, unless configured otherwise."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        self.answer()

    do_POST = do_PUT  # noqa: N815 - http.server's name

    def answer(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(self.server.delay)  # type: ignore[attr-defined] # of the fixture
        turn = {"turn": body.get("turn"), "checkpoint": None, "next_checkpoint_turn": 99}
        content = self.server.page or json.dumps(turn).encode()  # type: ignore[attr-defined] # as above
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A server that accepts turns. `delay` (seconds) makes it slow, `page` foreign."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("SUTURE_KEY", "SUTURE_API_KEY", "SUTURE_URL"):
        monkeypatch.delenv(name, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Edge) as server:
        server.delay, server.page = 0.0, b""  # type: ignore[attr-defined] # for the handler
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def url_of(edge: Any) -> str:
    return f"http://127.0.0.1:{edge.server_port}"


def run_while_the_server_goes(edge: Any, go_on: Callable[[Checkpointer], Any]) -> None:
    with Checkpointer("x", url=url_of(edge), key=KEY, timeout=0.5) as run:
        run.turn(working_memory=1)
        edge.delay = 1.0
        go_on(run)


def test_without_a_server_the_turn_fails_and_says_how_to_start_one(edge: Any) -> None:
    with pytest.raises(Away, match="Start it with `make up`") as failed, Checkpointer("x", url=away(), key=KEY) as run:
        run.turn(working_memory=1)
    assert failed.value.__notes__ == ["No checkpoint was made, because no turn had been reported."]


def test_a_turn_that_got_no_answer_can_be_reported_again(edge: Any) -> None:
    with Checkpointer("x", url=url_of(edge), key=KEY, timeout=0.5) as run:
        edge.delay = 1.0
        with pytest.raises(Away, match="did not answer"):
            run.turn(working_memory=1)
        edge.delay = 0.0
        assert run.turn(working_memory=1).number == 1


def test_an_exception_of_the_run_is_raised_although_the_server_went_away(edge: Any) -> None:
    def go_on(run: Checkpointer) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as failed:
        run_while_the_server_goes(edge, go_on)
    (note,) = failed.value.__notes__
    assert note.startswith("No checkpoint could be made: Suture did not answer")


def test_no_second_attempt_is_made_where_the_server_is_away(edge: Any) -> None:
    with pytest.raises(Away) as failed:
        run_while_the_server_goes(edge, lambda run: run.turn(working_memory=1))
    assert failed.value.__notes__ == ["No checkpoint was made, because the server is unavailable."]


def test_another_server_is_named(edge: Any) -> None:
    edge.page = b"<html>"
    with pytest.raises(Away, match="is not Suture"), Checkpointer("x", url=url_of(edge), key=KEY) as run:
        run.turn(working_memory=1)


def test_without_a_key_the_error_says_where_to_get_one(edge: Any) -> None:
    with pytest.raises(Failed, match="set SUTURE_KEY"):
        Checkpointer("x", url=url_of(edge))
    with pytest.raises(Failed, match="is not an API key"):
        restore("x", url=url_of(edge), key="$SUTURE_KEY")
    with pytest.raises(Failed, match="must be like http"):
        Checkpointer("x", url="localhost", key=KEY)


def test_the_configuration_of_the_hooks_is_used(edge: Any, tmp_path: Path) -> None:
    (tmp_path / "suture").mkdir()
    (tmp_path / "suture" / "config.toml").write_text(f'url = "{url_of(edge)}"\nkey = "{KEY}"\n')
    with Checkpointer("x") as run:
        assert run.turn(working_memory=1).number == 1
