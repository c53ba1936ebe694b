"""A server that is unavailable, refuses or fails: nothing is lost, watching continues, and the problem is logged
once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suture_client.errors import Problem

from .server import FileServer
from .watching import Watching

pytestmark = pytest.mark.pure

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


def test_changes_during_an_outage_are_sent_afterwards(notes: Path, server: FileServer, watch: Watch) -> None:
    for name in ("changes", "goes", "moves"):
        (notes / f"{name}.md").write_text(f"This one {name}.")
    watching = watch(notes)
    server.is_away = True
    (notes / "changes.md").write_text("First.")
    watching.pass_time(20)
    (notes / "changes.md").write_text("Last.")
    (notes / "goes.md").unlink()
    (notes / "moves.md").rename(notes / "moved.md")
    for number in range(50):
        (notes / f"{number}.md").write_text(f"Note {number}.")
    watching.pass_time(600)
    server.is_away = False
    watching.pass_time(70)
    assert len(server.paths(NOTES)) == 52
    assert "goes.md" not in server.paths(NOTES)
    assert server.texts(NOTES, "changes.md") == ["Last."]
    assert len(server.sent("POST /files/renamed")) == 1
    assert len(watching.lines_with("Changes are sent later")) == 1
    assert len(watching.lines_with("is available again")) == 1


def test_a_server_that_is_away_is_asked_less_and_less_often(notes: Path, server: FileServer, watch: Watch) -> None:
    server.is_away = True
    watching = watch(notes)
    pauses = []
    for _ in range(9):
        pauses.append(watching.watcher.seconds)
        watching.watcher.look()
        assert watching.watcher.seconds == pauses[-1], "nothing is asked before the time has come"
        watching.clock.now += watching.watcher.seconds
        watching.watcher.look()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_watcher_may_start_before_the_server(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    server.is_away = True
    watching = watch(notes)
    assert watching.lines_with("cannot be reached")
    server.is_away = False
    watching.pass_time()
    assert server.paths(NOTES) == {"a.md"}


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_a_server_that_takes_nothing_now_is_tried_again(
    notes: Path, server: FileServer, watch: Watch, status: int
) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "b.md").write_text("Text too.")
    server.refuse = refusing(status, 3, headers={"Retry-After": "7"})
    watching = watch(notes)
    assert watching.watcher.seconds == pytest.approx(7)
    watching.pass_time(30)
    assert server.paths(NOTES) == {"a.md", "b.md"}
    assert watching.lines_with(f"status {status}")


def test_a_file_that_the_server_fails_with_does_not_hold_up_the_others(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "b.md").write_text("Text too.")
    detail = "Failed to generate embeddings for memory: E1 failed with no model"
    server.refuse = refusing(500, 2, path="a.md", detail=detail)
    watching = watch(notes)
    assert server.paths(NOTES) == {"b.md"}
    [line] = watching.lines_with("Failed to store memory: ")
    assert detail in line
    assert f"{notes}/a.md" in line
    watching.pass_time(14)
    assert server.paths(NOTES) == {"b.md"}
    watching.pass_time(2)
    assert server.paths(NOTES) == {"a.md", "b.md"}


def test_a_refused_version_is_logged_and_retried_when_it_changes(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    server.refuse = refusing(400, 1, path="a.md", errors=[{"pointer": "/chunks/0/text", "detail": "It is bad."}])
    watching = watch(notes)
    assert watching.lines_with("1 failed")
    [line] = watching.lines_with("Failed to store memory: ")
    assert "/chunks/0/text" in line
    watching.pass_time(600)
    assert server.paths(NOTES) == set()
    (notes / "a.md").write_text("Better.")
    watching.pass_time()
    assert server.paths(NOTES) == {"a.md"}


def test_a_deletion_that_the_server_fails_with_is_tried_again(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    server.refuse = refusing(500, 1, what="POST /files/deleted")
    (notes / "a.md").unlink()
    watching.pass_time(3)
    assert server.paths(NOTES) == {"a.md"}
    assert len(watching.lines_with("Failed to mark memory as deleted")) == 1
    watching.pass_time()
    assert server.paths(NOTES) == set()


def test_a_renaming_that_the_server_refuses_becomes_a_new_file_and_a_deleted_one(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    server.refuse = refusing(409, 1, what="POST /files/renamed")
    (notes / "a.md").rename(notes / "b.md")
    watching.pass_time()
    assert server.paths(NOTES) == {"b.md"}
    assert server.files[NOTES, "a.md"]["is_deleted"]


def test_a_wrong_key_ends_it_at_the_start(notes: Path, server: FileServer, watch: Watch) -> None:
    with pytest.raises(Problem, match="The API key is not valid") as refused:
        watch(notes, key="sut_12345678_wrong")
    assert "make credentials" in str(refused.value)


def test_a_server_without_the_api_of_files_ends_it_at_the_start(notes: Path, server: FileServer, watch: Watch) -> None:
    server.refuse = refusing(404, 1, what="GET /files")
    with pytest.raises(Problem):
        watch(notes)


def test_a_revoked_key_is_logged_once_and_retried(notes: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(notes)
    server.refuse = lambda what, body: (401, {"title": "Unauthorized", "detail": "Revoked."})
    (notes / "a.md").write_text("Text.")
    watching.pass_time(60)
    assert len(server.sent("GET /files")) > 3
    assert len(watching.lines_with("Revoked.")) == 1
    server.refuse = lambda what, body: None
    watching.pass_time(60)
    assert server.paths(NOTES) == {"a.md"}


def test_once_gives_up_when_the_server_stays_away(notes: Path, server: FileServer, watch: Watch) -> None:
    server.refuse = lambda what, body: (503, {"title": "Busy"})
    watching = watch(notes, once=True)
    with pytest.raises(Problem, match="Busy"):
        watching.watcher.run_once()
    assert len(server.sent("GET /files")) == 3


def test_once_waits_for_missing_files_and_reports_failures(notes: Path, server: FileServer, watch: Watch) -> None:
    for name in ("a.md", "b.md"):
        (notes / name).write_text(f"Text of {name}.")
    assert watch(notes, once=True).watcher.run_once()
    (notes / "a.md").unlink()
    (notes / "b.md").write_text("Changed.")
    server.refuse = refusing(500, 9, path="b.md")
    assert not watch(notes, once=True).watcher.run_once()
    assert server.paths(NOTES) == {"b.md"}
    assert server.texts(NOTES, "b.md") == ["Text of b.md."]


def test_an_answer_that_was_lost_changes_nothing_twice(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    answer = server.answer

    def lose(*request: Any) -> tuple[int, Any]:
        answered = answer(*request)
        if request[0] == "POST":
            server.answer = answer  # type: ignore[method-assign]
            return 504, {"title": "Lost"}
        return answered

    server.answer = lose  # type: ignore[assignment, method-assign]
    (notes / "b.md").write_text("New.")
    watching.pass_time()
    server.answer = lose  # type: ignore[assignment, method-assign]
    (notes / "a.md").rename(notes / "c.md")
    watching.pass_time()
    assert len(watching.lines_with("is available again")) == 2
    assert server.paths(NOTES) == {"b.md", "c.md"}
    assert [body["file_path"] for body in server.sent("POST /files")] == ["a.md", "b.md"]
