"""Files that git or the user's lists ignore are not captured."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from suture_client.filtering import Ignored
from suture_client.watching.output import OnceLogger
from suture_client.watching.roots import Root
from suture_client.watching.scanning import scan

from .server import FileServer
from .watching import Watching

pytestmark = pytest.mark.pure

NOTES = "watch:notes"
Watch = Callable[..., Watching]

FILES = {
    ".gitignore": "# a comment\n*.tmp.md\n/top.md\nbuild/\n!keep.tmp.md\ndocs/**/draft.md\n\\#odd.md\ntrailing.md   \n",
    "sub/.gitignore": "!sub.tmp.md\nlocal.md\n/only-here.md\n",
    ".git/info/exclude": "excluded.md\nnot-excluded.md\n",
    "other/.gitignore": "!not-excluded.md\n*\n!*/\n!wanted.md\n",
}
PATHS = (
    "a.md", "a.tmp.md", "keep.tmp.md", "top.md", "sub/top.md", "build/a.md", "sub/build/a.md", "build.md",
    "docs/draft.md", "docs/x/y/draft.md", "docs/x/other.md", "#odd.md", "trailing.md", "sub/sub.tmp.md", "sub/b.tmp.md",
    "sub/local.md", "sub/deep/local.md", "sub/only-here.md", "sub/deep/only-here.md", "excluded.md",
    "not-excluded.md", "other/not-excluded.md", "other/a.md", "other/wanted.md", "other/in/wanted.md", "other/in/b.md",
    "local.md",
)  # fmt: skip


def captured(directory: Path, once: OnceLogger | None = None) -> set[str]:
    """The files of a directory that are not ignored."""
    return set(scan(Root(directory, "notes"), once or OnceLogger()).files)


@pytest.fixture
def repository(notes: Path) -> Path:
    """A repository with rules in many places, and files."""
    (notes / ".git").mkdir()
    for relative, content in {**FILES, **dict.fromkeys(PATHS, "Text.")}.items():
        (notes / relative).parent.mkdir(parents=True, exist_ok=True)
        (notes / relative).write_text(content)
    return notes


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
def test_files_that_git_ignores_are_ignored(repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    subprocess.run(["git", "init", "-q", repository], check=True)
    (repository / ".git/info/exclude").write_text(FILES[".git/info/exclude"])
    asked = subprocess.run(
        ["git", "-C", repository, "-c", "core.excludesFile=/dev/null", "check-ignore", "--stdin"],
        input="\n".join(PATHS),
        capture_output=True,
        text=True,
        check=True,
    )
    of_git = set(asked.stdout.replace('"', "").split("\n")) - {""}
    assert set(PATHS) - captured(repository) == of_git
    assert len(of_git) > 10


def test_ignored_files_are_not_sent(repository: Path, server: FileServer, watch: Watch) -> None:
    watching = watch(repository)
    before = server.paths(NOTES)
    assert before == captured(repository)
    (repository / "build" / "later.md").write_text("Ignored.")
    (repository / "later.tmp.md").write_text("Ignored.")
    (repository / "later.md").write_text("Text.")
    watching.pass_time()
    assert server.paths(NOTES) == before | {"later.md"}
    assert str(repository / "build") not in watching.watcher.directories


def test_a_directory_in_a_repository_has_its_rules(repository: Path) -> None:
    for name in ("excluded.md", "top.md"):
        (repository / "docs" / name).write_text("Text.")
    assert captured(repository / "docs") == {"x/other.md", "top.md"}


def test_an_ignored_directory_that_is_named_is_watched(repository: Path, server: FileServer, watch: Watch) -> None:
    (repository / "build" / ".gitignore").write_text("b.md\n")
    (repository / "build" / "b.md").write_text("Text.")
    watch(repository / "build")
    assert server.paths("watch:build") == {"a.md"}


def test_the_rules_of_a_worktree_are_those_of_its_repository(repository: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    (repository / ".git" / "worktrees" / "one").mkdir(parents=True)
    (repository / ".git" / "worktrees" / "one" / "commondir").write_text("../..\n")
    (worktree / ".git").write_text(f"gitdir: {repository}/.git/worktrees/one\n")
    for name in ("excluded.md", "a.md"):
        (worktree / name).write_text("Text.")
    assert captured(worktree) == {"a.md"}


def test_a_change_of_the_rules_counts_at_once(notes: Path, server: FileServer, watch: Watch) -> None:
    for name in ("a.md", "b.md"):
        (notes / name).write_text(f"Text of {name}.")
    watching = watch(notes)
    (notes / ".gitignore").write_text("b.md\n")
    watching.pass_time()
    assert server.paths(NOTES) == {"a.md"}
    (notes / ".gitignore").unlink()
    watching.pass_time()
    assert server.paths(NOTES) == {"a.md", "b.md"}


def test_an_invalid_rule_is_skipped_and_logged_once(notes: Path) -> None:
    (notes / ".gitignore").write_text("a.md\n!\nb.md\n")
    for name in ("a.md", "b.md", "c.md"):
        (notes / name).write_text("Text.")
    once = OnceLogger()
    assert captured(notes, once) == {"c.md"}
    assert not once.say(str(notes / ".gitignore"), f"{notes}/.gitignore: skipped invalid rules in line 2.")


def test_rules_in_a_link_or_a_pipe_are_none(notes: Path) -> None:
    (notes / "rules").write_text("*.md\n")
    (notes / ".gitignore").symlink_to("rules")
    (notes / "sub").mkdir()
    os.mkfifo(notes / "sub" / ".gitignore")
    for name in ("a.md", "sub/a.md"):
        (notes / name).write_text("Text.")
    assert captured(notes) == {"a.md", "sub/a.md"}


def test_the_users_ignore_lists_count_too(notes: Path, server: FileServer, watch: Watch) -> None:
    (notes / "private").mkdir()
    for name in ("a.md", "private/b.md", "diary.md"):
        (notes / name).write_text(f"Text of {name}.")
    watch(notes, lists=Ignored(["private/", "diary.md"]))
    assert server.paths(NOTES) == {"a.md"}
