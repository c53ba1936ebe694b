"""Every change of a Markdown file reaches the server exactly once, and nothing else does."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from .server import FileServer
from .watching import Watching, words

pytestmark = pytest.mark.pure

NOTES = "watch:notes"
Watch = Callable[..., Watching]


def test_a_file_of_500_words_is_three_chunks_and_of_1000_words_seven(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    watching = watch(notes)
    (notes / "test.md").write_text(words(500))
    watching.pass_time()
    stored = server.file(NOTES, "test.md")
    assert [(chunk["word_offset"], len(chunk["text"].split())) for chunk in stored["chunks"]] == [
        (0, 200),
        (150, 200),
        (300, 200),
    ]
    assert stored["file_hash"] == hashlib.sha256((notes / "test.md").read_bytes()).hexdigest()
    assert all(chunk["text"] == words(500)[chunk["start"] : chunk["end"]] for chunk in stored["chunks"])
    (notes / "test.md").write_text(words(1000))
    watching.pass_time()
    assert len(server.texts(NOTES, "test.md")) == 7
    [first, second] = server.sent("POST /files")
    assert (first["total_chunks"], second["total_chunks"]) == (3, 7)
    assert first["version_id"] != second["version_id"]


def test_only_markdown_files_are_captured(notes: Path, server: FileServer, watch: Watch) -> None:
    for name in ("a.md", "b.markdown", "C.MD", "d.txt", "md", "e.md.bak", ".hidden.md"):
        (notes / name).write_text("Text.")
    watch(notes)
    assert server.paths(NOTES) == {"a.md", "b.markdown", "C.MD", ".hidden.md"}


def test_a_file_that_is_written_again_with_the_same_bytes_is_not_sent(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    (notes / "a.md").write_text("Text.")
    os.utime(notes / "a.md")
    (notes / "b.md").write_text("Another.")
    watching.pass_time()
    assert [body["file_path"] for body in server.sent("POST /files")] == ["a.md", "b.md"]


def test_a_restart_sends_nothing_for_unchanged_files(notes: Path, server: FileServer, watch: Watch) -> None:
    for number in range(30):
        (notes / f"{number}.md").write_text(f"Note {number}.")
    (notes / "empty.md").write_text("")
    server.page = 7
    watch(notes)
    assert len(server.sent("POST /files")) == 31
    again = watch(notes)
    assert len(server.sent("POST /files")) == 31
    assert again.lines_with("31 unchanged")


def test_a_renamed_file_keeps_its_chunks(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "same.md").write_text("Text.")
    watching = watch(notes)
    (notes / "deep").mkdir()
    (notes / "a.md").rename(notes / "deep" / "b.md")
    watching.pass_time()
    assert server.paths(NOTES) == {"deep/b.md", "same.md"}
    assert server.sent("POST /files/renamed") == [
        {"session_id": NOTES, "file_path": "a.md", "new_file_path": "deep/b.md"}
    ]
    assert server.sent("POST /files/deleted") == []
    assert len(server.sent("POST /files")) == 2


def test_a_file_that_turns_up_a_moment_later_is_renamed(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    kept = (notes / "a.md").rename(notes.parent / "kept")
    watching.pass_time(0.4)
    kept.rename(notes / "b.md")
    watching.pass_time()
    assert server.paths(NOTES) == {"b.md"}
    assert len(server.sent("POST /files/renamed")) == 1


def test_a_renamed_directory_is_a_rename_of_each_file(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "old" / "inner").mkdir(parents=True)
    for name in ("old/a.md", "old/inner/b.md"):
        (notes / name).write_text(f"Text of {name}.")
    watching = watch(notes)
    (notes / "old").rename(notes / "new")
    watching.pass_time()
    assert server.paths(NOTES) == {"new/a.md", "new/inner/b.md"}
    assert len(server.sent("POST /files")) == 2


def test_changes_while_not_watching_are_sent_later(notes: Path, server: FileServer, watch: Watch) -> None:
    for name in ("stays", "goes", "moves", "changes"):
        (notes / f"{name}.md").write_text(f"This one {name}.")
    watch(notes)
    (notes / "goes.md").unlink()
    (notes / "moves.md").rename(notes / "moved.md")
    (notes / "changes.md").write_text("Otherwise.")
    (notes / "new.md").write_text("New.")
    server.requests.clear()
    watching = watch(notes)
    watching.pass_time()
    assert server.paths(NOTES) == {"stays.md", "moved.md", "changes.md", "new.md"}
    assert [body["new_file_path"] for body in server.sent("POST /files/renamed")] == ["moved.md"]
    assert [body["file_path"] for body in server.sent("POST /files/deleted")] == ["goes.md"]
    assert {body["file_path"] for body in server.sent("POST /files")} == {"changes.md", "new.md"}
    assert watching.lines_with("1 added, 1 changed, 1 renamed, 1 deleted, 1 unchanged")


def test_a_deleted_file_is_marked_and_a_restored_one_is_sent_again(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    (notes / "a.md").unlink()
    watching.pass_time()
    assert server.paths(NOTES) == set()
    assert server.files[NOTES, "a.md"]["chunks"], "they are kept"
    (notes / "a.md").write_text("Text.")
    watching.pass_time()
    assert server.paths(NOTES) == {"a.md"}


def test_a_deleted_directory_is_the_deletion_of_each_file(
    notes: Path, server: FileServer, watch: Watch, tmp_path: Path
) -> None:
    (notes / "gone").mkdir()
    (notes / "gone" / "a.md").write_text("Text.")
    (notes / "b.md").write_text("Another.")
    watching = watch(notes)
    (notes / "gone").rename(tmp_path / "elsewhere")
    watching.pass_time()
    assert server.paths(NOTES) == {"b.md"}


def test_files_in_new_directories_are_captured(notes: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(notes)
    (notes / "a" / "b" / "c").mkdir(parents=True)
    (notes / "a" / "b" / "c" / "deep.md").write_text("Text.")
    watching.pass_time()
    assert server.paths(NOTES) == {"a/b/c/deep.md"}
    assert set(watching.watcher.directories) == {str(notes / one) for one in ("", "a", "a/b", "a/b/c")}


def test_an_editor_that_replaces_the_file_makes_one_version(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Before.")
    watching = watch(notes)
    (notes / "a.md").unlink()
    watching.pass_time(0.2)
    (notes / "a.md.tmp").write_text("After.")
    (notes / "a.md.tmp").replace(notes / "a.md")
    watching.pass_time()
    assert server.texts(NOTES, "a.md") == ["After."]
    assert len(server.sent("POST /files")) == 2
    assert server.sent("POST /files/deleted") == []


def test_a_file_that_is_being_written_is_read_when_it_is_quiet(notes: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(notes)
    for number in range(12):
        (notes / "a.md").write_text("Line.\n" * (number + 1))
        watching.pass_time(0.4)
        assert server.paths(NOTES) == set()
    watching.pass_time(0.2)
    assert server.texts(NOTES, "a.md")[0].count("Line.") == 12
    assert len(server.sent("POST /files")) == 1


def test_a_file_that_never_stops_changing_is_read_after_a_minute(notes: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(notes)
    for number in range(160):
        (notes / "a.md").write_text("Line.\n" * (number + 1))
        watching.pass_time(0.4)
    assert len(server.sent("POST /files")) == 1


def test_an_emptied_file_has_no_chunks_any_more(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    (notes / "a.md").write_text("")
    watching.pass_time()
    assert server.texts(NOTES, "a.md") == []
    assert server.sent("POST /files")[-1]["total_chunks"] == 0


def test_embeddings_can_be_left_out(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watch(notes, compute_embedding=False)
    assert server.file(NOTES, "a.md")["compute_embedding"] is False


def test_a_change_without_an_event_is_found_within_a_minute(notes: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(notes)
    (notes / "a.md").write_text("Text.")
    assert 0 < watching.watcher.seconds <= 60
    watching.clock.now += watching.watcher.seconds
    watching.pass_time()
    assert server.paths(NOTES) == {"a.md"}


def test_progress_is_logged(notes: Path, server: FileServer, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture_client.progress.INTERVAL", 0.0)
    for number in range(4):
        (notes / f"{number}.md").write_text(f"Note {number}.")
    assert watch(notes).lines_with("files of notes, ")[1] == "2 files of notes, 50 %"
