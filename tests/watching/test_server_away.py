"""A server that is away, refuses or fails: nothing is lost, nothing ends that need not, and it is said once."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from capture.watching.sending import Unauthorized, Unavailable

from .server import FileServer, served
from .watching import Watching

pytestmark = pytest.mark.stack

NOTES = "watch:notes"
Watch = Callable[..., Watching]


def refusing(status: int, times: int, what: str = "POST /files", path: str | None = None, **more: Any) -> Any:
    """Answers the first requests of a kind with a status, `times` of them."""
    left = [times]

    def refuse(asked: str, body: Any) -> tuple[int, Any] | None:
        if asked != what or not left[0] or (path is not None and body["file_path"] != path):
            return None
        left[0] -= 1
        return status, {"title": "Refused", "status": status, "detail": "For a test.", **more}

    return refuse


def test_what_changes_while_the_server_is_away_is_sent_when_it_is_back(
    notes: Path, hurried: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = FileServer()
    for name in ("changes", "goes", "moves"):
        (notes / f"{name}.md").write_text(f"This one {name}.")
    with served(server):
        watching = Watching(server, [notes]).until_in_step()
    (notes / "changes.md").write_text("First.")
    watching.until(lambda: watching.lines_with("What changes is kept in mind"))
    (notes / "changes.md").write_text("Last.")
    (notes / "goes.md").unlink()
    (notes / "moves.md").rename(notes / "moved.md")
    for number in range(50):
        (notes / f"{number}.md").write_text(f"Note {number}.")
    time.sleep(0.5)
    with served(server, port=urlsplit(server.url).port or 0):
        watching.until(lambda: len(server.paths(NOTES)) == 52 and "goes.md" not in server.paths(NOTES))
        watching.until(lambda: server.texts(NOTES, "changes.md") == ["Last."])
        watching.stop()
    assert len(server.sent("POST /files/renamed")) == 1
    assert len(watching.lines_with("What changes is kept in mind")) == 1
    assert len(watching.lines_with("answers again")) == 1


def test_a_watcher_may_start_before_the_server(notes: Path, hurried: None) -> None:
    server = FileServer()
    with served(server):
        port = urlsplit(server.url).port or 0
    (notes / "a.md").write_text("Text.")
    watching = Watching(server, [notes])
    watching.until(lambda: watching.lines_with("cannot be reached"))
    with served(server, port=port):
        watching.until(lambda: server.paths(NOTES) == {"a.md"})
        watching.stop()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_takes_nothing_now_is_tried_again(
    notes: Path, server: FileServer, watch: Watch, status: int
) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "b.md").write_text("Text too.")
    server.refuse = refusing(status, 3, headers={"Retry-After": "0.2"})
    watching = watch(notes).until_in_step()
    watching.until(lambda: server.paths(NOTES) == {"a.md", "b.md"})
    assert len(watching.lines_with(f"status {status}")) >= 1


def test_a_file_that_the_server_fails_with_does_not_hold_up_the_others(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "b.md").write_text("Text too.")
    detail = "Failed to generate embeddings for memory: E1 failed with no model"
    server.refuse = refusing(500, 2, path="a.md", detail=detail)
    watching = watch(notes).until_in_step()
    assert server.paths(NOTES) == {"b.md"}
    [line] = watching.lines_with("Failed to store memory: ")
    assert detail in line
    assert f"{notes}/a.md" in line
    watching.until(lambda: server.paths(NOTES) == {"a.md", "b.md"})


def test_a_version_that_the_server_refuses_is_said_and_tried_when_it_changes(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Text.")
    server.refuse = refusing(400, 1, path="a.md", errors=[{"pointer": "/chunks/0/text", "detail": "It is bad."}])
    watching = watch(notes).until_in_step()
    assert watching.lines_with("1 failed")
    [line] = watching.lines_with("Failed to store memory: ")
    assert "/chunks/0/text" in line
    time.sleep(0.5)
    assert server.paths(NOTES) == set()
    (notes / "a.md").write_text("Better.")
    watching.until(lambda: server.paths(NOTES) == {"a.md"})


def test_a_renaming_that_the_server_refuses_becomes_a_new_file_and_a_deleted_one(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes).until_in_step()
    server.refuse = refusing(409, 1, what="POST /files/renamed")
    (notes / "a.md").rename(notes / "b.md")
    watching.until(lambda: server.paths(NOTES) == {"b.md"})
    assert server.files[NOTES, "a.md"]["is_deleted"]


def test_a_wrong_key_ends_it_at_the_start(notes: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(notes, key="sut_12345678_wrong").wait()
    assert isinstance(watching.error, Unauthorized)
    assert "The API key is not valid." in str(watching.error)
    assert "make credentials" in str(watching.error)


def test_a_key_that_is_revoked_later_is_said_once_and_tried_again(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    watching = watch(notes).until_in_step()
    revoked = [True]
    server.refuse = lambda what, body: (401, {"title": "Unauthorized", "detail": "Revoked."}) if revoked[0] else None
    (notes / "a.md").write_text("Text.")
    watching.until(lambda: len(server.sent("GET /files")) > 3)
    assert len(watching.lines_with("Revoked.")) == 1
    revoked[0] = False
    watching.until(lambda: server.paths(NOTES) == {"a.md"})


def test_once_gives_up_when_the_server_is_away(notes: Path, server: FileServer, watch: Watch) -> None:
    server.refuse = lambda what, body: (503, {"title": "Busy"})
    watching = watch(notes, once=True).wait()
    assert isinstance(watching.error, Unavailable)


def test_a_frozen_server_does_not_keep_it_from_ending(notes: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(notes).until_in_step()
    server.frozen.set()
    (notes / "a.md").write_text("Text.")
    watching.until(lambda: watching.watcher.states[0].in_flight)
    began = time.monotonic()
    watching.stop()
    assert time.monotonic() - began < 2
    server.frozen.clear()


def test_an_answer_that_was_lost_changes_nothing_twice(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes).until_in_step()
    answer = server.answer

    def lose(*request: Any) -> tuple[int, Any]:
        answered = answer(*request)
        if request[0] == "POST":
            server.answer = answer  # type: ignore[method-assign]
            return 504, {"title": "Lost"}
        return answered

    server.answer = lose  # type: ignore[assignment, method-assign]
    (notes / "b.md").write_text("New.")
    watching.until(lambda: watching.lines_with("answers again"))
    server.answer = lose  # type: ignore[assignment, method-assign]
    (notes / "a.md").rename(notes / "c.md")
    watching.until(lambda: len(watching.lines_with("answers again")) == 2)
    watching.until(lambda: all(state.is_settled for state in watching.watcher.states))
    assert server.paths(NOTES) == {"b.md", "c.md"}
    assert [body["file_path"] for body in server.sent("POST /files")] == ["a.md", "b.md"]
