"""A file that cannot be captured is logged once, and the others are captured."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from suture_client.watching import files, markdown_files, scanning
from suture_client.watching.output import OnceLogger
from suture_client.watching.roots import Root

from .server import FileServer
from .watching import Watching

pytestmark = pytest.mark.pure

NOTES = "watch:notes"
Watch = Callable[..., Watching]


@pytest.fixture
def good(notes: Path) -> None:
    """A file that is captured in any case."""
    (notes / "good.md").write_text("Text.")


@pytest.mark.parametrize("content", [b"caf\xe9", b"\xff\xfeT\x00e\x00", b"text with\x00a zero", b"cut \xe2\x82"])
def test_a_file_that_is_not_utf8_or_binary_is_skipped(
    notes: Path, good: None, server: FileServer, watch: Watch, content: bytes
) -> None:
    (notes / "bad.md").write_bytes(content)
    watching = watch(notes)
    assert watching.lines_with("bad.md") == [f"Skipping non-UTF8 file: {notes}/bad.md"]
    assert server.paths(NOTES) == {"good.md"}
    (notes / "bad.md").write_text("Mended.")
    watching.pass_time()
    assert server.paths(NOTES) == {"good.md", "bad.md"}


def test_a_file_that_becomes_binary_keeps_its_chunks(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    (notes / "a.md").write_bytes(b"\xff\xff")
    watching.pass_time()
    assert watching.lines_with("Skipping non-UTF8 file")
    assert server.texts(NOTES, "a.md") == ["Text."]


def test_a_byte_order_mark_is_not_part_of_the_text(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_bytes(b"\xef\xbb\xbfText.")
    watch(notes)
    assert server.texts(NOTES, "a.md") == ["Text."]


def test_symbolic_links_are_not_followed(notes: Path, good: None, server: FileServer, watch: Watch) -> None:
    outside = notes.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("Of somebody else.")
    (notes / "file.md").symlink_to(outside / "secret.md")
    (notes / "directory").symlink_to(outside)
    (notes / "root").symlink_to("/")
    (notes / "loop.md").symlink_to("loop.md")
    (notes / "again").symlink_to(".")
    (notes / "other").symlink_to("/etc/hostname")
    watching = watch(notes)
    assert server.paths(NOTES) == {"good.md"}
    assert sorted(watching.lines_with("link ")) == [
        f"Skipping the symbolic link {notes}/{name}: its target is outside {notes}."
        for name in ("directory", "file.md", "root")
    ]
    assert list(watching.watcher.directories) == [str(notes)]


def test_a_link_that_takes_the_place_of_a_directory_leads_nowhere(notes: Path) -> None:
    outside = notes.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("Of somebody else.")
    (notes / "inner").symlink_to(outside)
    (notes / "link.md").symlink_to(outside / "a.md")
    for relative in ("inner/a.md", "link.md"):
        with pytest.raises(OSError, match=r"link\.md|inner"):
            files.open_inside(notes, relative)


def test_pipes_sockets_and_devices_are_not_opened(
    notes: Path, good: None, server: FileServer, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(notes / "pipe.md")
    monkeypatch.chdir(notes)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        names = ["pipe.md", "socket.md"]
        try:
            os.mknod(notes / "device.md", stat.S_IFCHR | 0o600, os.makedev(1, 3))
            names.append("device.md")
        except PermissionError:
            pass
        watching = watch(notes)
    for name in names:
        assert watching.lines_with(name) == [f"Skipping {notes}/{name}: it is not a regular file."]
    assert server.paths(NOTES) == {"good.md"}


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(notes: Path) -> None:
    os.mkfifo(notes / "a.md")
    with pytest.raises(markdown_files.Unreadable, match="not a regular file"):
        markdown_files.read(Root(notes, "notes"), "a.md")


def test_a_directory_called_like_a_file_is_looked_through(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "x.md").mkdir()
    (notes / "x.md" / "inner.md").write_text("Text.")
    watch(notes)
    assert server.paths(NOTES) == {"x.md/inner.md"}


def test_names_that_are_not_utf8_or_have_line_breaks_are_skipped(
    notes: Path, good: None, server: FileServer, watch: Watch
) -> None:
    (notes / "line\nbreak.md").write_text("Text.")
    with open(os.fsencode(notes) + b"/caf\xe9.md", "w") as file:
        file.write("Text.")
    os.mkdir(os.fsencode(notes) + b"/d\xe9")
    watching = watch(notes)
    for name in ("line\\nbreak.md", "caf\\udce9.md", "d\\udce9"):
        assert watching.lines_with(name) == [
            f"Skipping {notes}/{name}: its name is not UTF-8 or contains a control character."
        ]
    assert server.paths(NOTES) == {"good.md"}


def test_a_file_that_cannot_be_read_keeps_its_chunks(
    notes: Path, good: None, server: FileServer, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    real = files.open_inside

    def closed(root: Path, relative: str) -> int:
        if relative == "a.md":
            raise PermissionError(13, "Permission denied")
        return real(root, relative)

    monkeypatch.setattr(markdown_files, "open_inside", closed)
    (notes / "a.md").write_text("Changed.")
    (notes / "good.md").write_text("Changed.")
    watching.pass_time()
    assert watching.lines_with("Cannot read") == [
        f"Cannot read {notes}/a.md: Permission denied. Its chunks stay as they are."
    ]
    assert server.texts(NOTES, "good.md") == ["Changed."]
    assert server.texts(NOTES, "a.md") == ["Text."]


def test_a_fault_of_the_program_leaves_one_file_out(
    notes: Path, good: None, server: FileServer, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "a.md").write_text("Text.")
    real = files.open_inside

    def broken(root: Path, relative: str) -> int:
        if relative == "a.md":
            raise ZeroDivisionError
        return real(root, relative)

    monkeypatch.setattr(markdown_files, "open_inside", broken)
    watching = watch(notes)
    assert len(watching.lines_with("skipped until it changes")) == 1
    assert server.paths(NOTES) == {"good.md"}
    monkeypatch.undo()
    (notes / "a.md").write_text("Changed.")
    watching.pass_time()
    assert server.paths(NOTES) == {"good.md", "a.md"}


def test_files_in_an_unreadable_directory_do_not_count_as_deleted(
    notes: Path, server: FileServer, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "closed").mkdir()
    (notes / "closed" / "a.md").write_text("Text.")
    (notes / "b.md").write_text("Text too.")
    watch(notes)
    real = os.scandir

    def refuse(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("suture_client.watching.scanning.os.scandir", refuse)
    watching = watch(notes)
    assert server.paths(NOTES) == {"closed/a.md", "b.md"}
    assert len(watching.lines_with(f"Cannot read the directory {notes}/closed: Permission denied")) == 1


def test_a_file_that_vanishes_while_it_is_read_keeps_its_chunks(
    notes: Path, good: None, server: FileServer, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    real = files.open_inside

    def vanish(root: Path, relative: str) -> int:
        if relative == "a.md":
            (root / relative).unlink(missing_ok=True)
        return real(root, relative)

    monkeypatch.setattr(markdown_files, "open_inside", vanish)
    (notes / "a.md").write_text("Changed.")
    watching.pass_time(0.9)
    assert watching.lines_with("a.md") == [
        f"File vanished while it was read: {notes}/a.md. Its chunks stay as they are."
    ]
    assert server.texts(NOTES, "a.md") == ["Text."]
    (notes / "good.md").write_text("Changed.")
    watching.pass_time()
    assert server.texts(NOTES, "good.md") == ["Changed."]


def test_a_file_that_changes_while_it_is_read_is_read_again(
    notes: Path, server: FileServer, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def signature(found: os.stat_result) -> files.Signature:
        asked.append(True)
        if len(asked) == 1:  # before it is read
            (notes / "a.md").write_text("After.")
        return files.Signature.of(found)

    monkeypatch.setattr(markdown_files, "Signature", SimpleNamespace(of=signature))
    (notes / "a.md").write_text("Before, and longer.")
    watch(notes).pass_time()
    assert server.texts(NOTES, "a.md") == ["After."]
    assert len(server.sent("POST /files")) == 1


def test_a_scan_of_a_tree_deeper_than_paths_may_be_ends(notes: Path) -> None:
    descriptor = os.open(notes, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=descriptor)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    found = scanning.scan(Root(notes, "notes"), OnceLogger())
    assert found.files == {}
    assert len(found.directories) > 30
