"""Watched directories: clear refusals at the start, and roots that disappear and reappear."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from suture_client.watching.name_locks import name_lock
from suture_client.watching.roots import Refused, Root, find_roots

from .server import FileServer
from .watching import Watching

pytestmark = pytest.mark.pure

Watch = Callable[..., Watching]


def refusal(*directories: Path, names: tuple[str, ...] = ()) -> str:
    with pytest.raises(Refused) as refused:
        find_roots(directories, names)
    return str(refused.value)


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "missing") == f"Watch directory does not exist: {tmp_path}/missing"
    (tmp_path / "link").symlink_to("missing")
    assert refusal(tmp_path / "link") == f"Watch directory does not exist: {tmp_path}/link"


def test_other_paths_are_refused(notes: Path) -> None:
    (notes / "a.md").write_text("Text.")
    assert refusal(notes / "a.md") == f"Watch directory is not a directory: {notes}/a.md"
    (notes / "loop").symlink_to("loop")
    assert str(notes / "loop") in refusal(notes / "loop")


def test_directories_with_the_same_name_are_distinguished(tmp_path: Path) -> None:
    paths = [tmp_path / "one" / "docs", tmp_path / "two" / "docs"]
    for path in paths:
        path.mkdir(parents=True)
    assert refusal(*paths) == (
        f"Two watched directories have the name docs: {paths[0]} and {paths[1]}. Give them other names with"
        " --name, once for each directory, in their order."
    )
    assert [root.session_id for root in find_roots(paths, ["first", "second"])] == ["watch:first", "watch:second"]
    assert "once for each" in refusal(*paths, names=("first",))
    assert "have the name same" in refusal(*paths, names=("same", "same"))
    assert "printable" in refusal(paths[0], names=("a\nb",))


def test_a_directory_in_another_is_refused(notes: Path) -> None:
    (notes / "inner").mkdir()
    assert refusal(notes, notes / "inner") == (
        f"{notes}/inner is inside {notes}, which is watched including its subdirectories. Name only one of them."
    )
    assert find_roots([notes, notes / "inner" / ".."]) == [Root(notes, "notes")]


def test_the_name_of_a_directory_is_that_of_the_real_one(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(notes)
    assert find_roots([tmp_path / "link"]) == [Root(notes, "notes")]
    assert "--name" in refusal(Path("/"))


def test_a_root_that_vanishes_is_logged_and_the_others_go_on(tmp_path: Path, server: FileServer, watch: Watch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for path in (one, two):
        path.mkdir()
        (path / "a.md").write_text(f"Text of {path.name}.")
    watching = watch(one, two)
    one.rename(tmp_path / "away")
    watching.pass_time()
    assert watching.lines_with("gone") == [f"Watch directory is gone: {one}. Watching resumes when it reappears."]
    (two / "b.md").write_text("Text.")
    watching.pass_time()
    assert server.paths("watch:two") == {"a.md", "b.md"}
    assert server.paths("watch:one") == {"a.md"}, "a root that is gone says nothing of its files"

    (tmp_path / "away").rename(one)
    (one / "c.md").write_text("Text.")
    watching.clock.now += watching.watcher.seconds
    watching.pass_time()
    assert watching.lines_with("Watch directory reappeared")
    assert server.paths("watch:one") == {"a.md", "c.md"}
    assert len(server.sent("POST /files")) == 4


def test_a_root_that_is_gone_is_looked_for_every_second(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    (notes / "a.md").unlink()
    watching.pass_time(0.2)
    notes.rename(notes.parent / "away")
    watching.pass_time(9)
    assert server.paths("watch:notes") == {"a.md"}
    watching.watcher.look()
    assert watching.watcher.seconds == pytest.approx(1.0)


def test_another_directory_in_its_place_is_watched(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "a.md").write_text("Text.")
    watching = watch(notes)
    before = watching.watcher.directories
    shutil.move(notes, notes.parent / "away")
    notes.mkdir()
    (notes / "b.md").write_text("Text of b.")
    watching.pass_time()
    assert server.paths("watch:notes") == {"b.md"}
    assert watching.watcher.directories != before, "events of the other one are asked for"


@pytest.fixture
def state_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_name_belongs_to_one_directory(tmp_path: Path, state_directory: Path) -> None:
    one, two = Root(tmp_path / "one" / "docs", "docs"), Root(tmp_path / "two" / "docs", "docs")
    for root in (one, two):
        root.path.mkdir(parents=True)
    with (
        name_lock(one, "http://suture"),
        pytest.raises(Refused, match=rf"docs is already being watched: .*/one/docs by process {os.getpid()}\."),
        name_lock(one, "http://suture"),
    ):
        pytest.fail("Two watchers of one directory.")
    with pytest.raises(Refused, match=r"The name docs belongs to .*/one/docs"), name_lock(two, "http://suture"):
        pytest.fail("Two directories of one name.")
    with name_lock(two, "http://another"):
        pass
    one.path.rename(tmp_path / "moved")
    with name_lock(two, "http://suture"):
        pass
    assert {path.stat().st_mode & 0o777 for path in (state_directory / "watched").iterdir()} == {0o600}
