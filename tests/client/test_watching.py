"""The watcher and a running Suture: a directory's files, as its agent finds them."""

from pathlib import Path
from typing import Any

import pytest

from tests.mcp_server.serving import Serving
from tests.watching.watching import Watching, words

pytestmark = pytest.mark.stack


def memories(serving: Serving, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = serving.ask("GET", f"captures?limit=200&file_path={path}")["results"]
    return found


def test_a_file_is_captured_changed_renamed_and_deleted(serving: Serving, tmp_path: Path) -> None:
    notes = tmp_path / "watched notes"
    notes.mkdir()
    (notes / "test.md").write_text(words(500, "old"))
    watching = Watching(serving, [notes], key=serving.agent)
    try:
        first = memories(serving, "test.md")
        assert [one["source"] for one in first] == [{"type": "MDFileChunk", "file_path": "test.md"}] * 3
        assert {one["session_id"] for one in first} == {"watch:watched notes"}

        (notes / "test.md").write_text(words(1_000, "new"))
        watching.pass_time()
        second = memories(serving, "test.md")
        assert len(second) == 7
        assert not {one["id"] for one in first} & {one["id"] for one in second}

        (notes / "test.md").rename(notes / "moved.md")
        watching.pass_time()
        assert {one["id"] for one in memories(serving, "moved.md")} == {one["id"] for one in second}
        (notes / "moved.md").unlink()
        watching.pass_time()
        assert all(one["file_deleted_at"] for one in memories(serving, "moved.md"))
    finally:
        watching.stop()


def test_a_restart_sends_nothing_that_is_there(serving: Serving, tmp_path: Path) -> None:
    notes = tmp_path / "restarted"
    notes.mkdir()
    for number in range(5):
        (notes / f"{number}.md").write_text(words(20, f"note{number}"))
    for expected in (5, 0):
        sent = serving.requests("/api/v1/files")
        watching = Watching(serving, [notes], key=serving.agent, once=True, compute_embedding=False)
        watching.stop()
        assert watching.watcher.states[0].is_settled
        assert serving.requests("/api/v1/files") - sent == expected + 1  # the listing
