"""Files over a megabyte go in parts and become current by the last, in bounded memory."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.watching import masked, sending
from capture.watching.reading import MarkdownFile
from capture.watching.roots import Root

from .server import FileServer
from .watching import Watching

pytestmark = [pytest.mark.slow, pytest.mark.stack]

NOTES = "watch:notes"
Watch = Callable[..., Watching]
#: 30 words.
PARAGRAPH = "The quick brown fox jumps over the lazy dog, and it does so again and again. " * 2 + "\n\n"


def test_a_large_file_is_sent_in_parts(notes: Path, server: FileServer, watch: Watch) -> None:
    text = "".join(f"Paragraph {number}. {PARAGRAPH}" for number in range(15_000))
    (notes / "large.md").write_text(text)
    (notes / "small.md").write_text("Text.")
    watching = watch(notes).until_in_step()
    parts = [body for body in server.sent("POST /files") if body["file_path"] == "large.md"]
    total = parts[0]["total_chunks"]
    assert watching.lines_with("Large file") == [f"Large file {notes}/large.md will create {total} chunks"]
    assert len(server.texts(NOTES, "large.md")) == total > 3_000
    assert len(parts) > 2
    assert [part["is_last"] for part in parts] == [False] * (len(parts) - 1) + [True]
    assert {part["version_id"] for part in parts} == {parts[0]["version_id"]}
    assert all(len(part["chunks"]) <= 1_000 for part in parts)
    assert server.largest_body < 10_000_000
    words = text.split()
    for chunk in server.file(NOTES, "large.md")["chunks"]:
        assert chunk["text"] == text[chunk["start"] : chunk["end"]]
        assert words[chunk["word_offset"]] == chunk["text"].split()[0]


def test_the_limit_is_a_megabyte(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text(("word " * 200_000)[: sending.LARGE])
    (notes / "b.md").write_text(("word " * 200_001)[: sending.LARGE + 1])
    watching = watch(notes).until_in_step()
    assert len(watching.lines_with("Large file")) == 1
    assert watching.lines_with(f"Large file {notes}/b.md")


def test_secrets_in_a_large_file_are_masked_and_counted(notes: Path, server: FileServer, watch: Watch) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "abcd1234\n\n" * 2_000 + "-----END RSA PRIVATE KEY-----\n"
    filling = PARAGRAPH * 6_300  # just under a part
    (notes / "a.md").write_text(filling + key + filling + "password = 'hunter2hunter2'\n")
    watch(notes).until_in_step()
    stored = server.file(NOTES, "a.md")
    assert stored["redacted"] == ["password", "private key"]
    sent = "".join(chunk["text"] for chunk in stored["chunks"])
    assert "abcd1234" not in sent
    assert "hunter2" not in sent


def test_a_large_file_that_changes_while_it_is_sent_does_not_become_current(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_text("Before.")
    watching = watch(notes).until_in_step()
    changed: list[bool] = []

    def change(what: str, body: Any) -> None:
        if what == "POST /files" and body["total_chunks"] > 1 and not changed:
            changed.append(True)
            (notes / "a.md").write_text("After.")

    server.refuse = change
    (notes / "a.md").write_text(PARAGRAPH * 15_000)
    watching.until(lambda: server.texts(NOTES, "a.md") == ["After."])
    of_large = [body for body in server.sent("POST /files") if body["total_chunks"] > 1]
    assert of_large
    assert not any(body["is_last"] for body in of_large)


def test_a_binary_tail_of_a_large_file_is_found_before_anything_is_sent(
    notes: Path, server: FileServer, watch: Watch
) -> None:
    (notes / "a.md").write_bytes(PARAGRAPH.encode() * 8_000 + b"\xff")
    watching = watch(notes).until_in_step()
    assert watching.lines_with("Skipping non-UTF8 file")
    assert server.sent("POST /files") == []


@pytest.mark.parametrize("content", [PARAGRAPH.encode() * 30_000, b"x" * 8_000_000, b"line\n" * 600_000])
def test_memory_is_bounded(notes: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(masked, "PART", 250_000)
    (notes / "a.md").write_bytes(content)
    del content
    file = MarkdownFile(Root(notes, "notes"), "a.md")
    look = file.look()
    tracemalloc.start()
    try:
        count = sum(1 for _ in file.chunks(look))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count > 10
    # A part's words are objects of a hundred bytes each. The whole file's would be ten times as many.
    assert most < 20_000_000, most
