"""The kernel's limit of watches is said with the way to raise it, and what cannot be watched is looked through."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.watching import notifying

from .server import KEY, FileServer
from .watching import HANGS, Watching

pytestmark = pytest.mark.stack

NOTES = "watch:notes"
Watch = Callable[..., Watching]


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than two directories can be watched, as the library says it."""
    real: Any = vars(notifying)["RustNotify"]

    def watch(directories: list[str], *options: object) -> object:
        if not options[-1] and len(directories) > 2:
            raise OSError('OS file watch limit reached. about ["…"] (Error { kind: MaxFilesWatch, paths: ["…"] })')
        return real(directories[:2], *options)

    monkeypatch.setattr(notifying, "RustNotify", watch)
    monkeypatch.setattr("capture.watching.watcher.POLL_SECONDS", 0.2)


def test_the_limit_is_logged_and_the_rest_is_looked_through(
    notes: Path, server: FileServer, limited: None, watch: Watch
) -> None:
    for number in range(5):
        (notes / f"d{number}").mkdir()
    watching = watch(notes).until_in_step()
    [line] = watching.lines_with(notifying.LIMIT_REACHED)
    assert notifying.LIMIT_REACHED == "File watcher limit reached. Cannot watch additional files."
    assert "fs.inotify.max_user_watches" in line
    for number in range(5):
        (notes / f"d{number}" / "a.md").write_text(f"Note {number}.")
    watching.until(lambda: len(server.paths(NOTES)) == 5)
    (notes / "d4" / "a.md").unlink()
    watching.until(lambda: len(server.paths(NOTES)) == 4)
    assert len(watching.lines_with(notifying.LIMIT_REACHED)) == 1


def test_a_directory_beyond_the_limit_is_noticed_later_too(
    notes: Path, server: FileServer, limited: None, watch: Watch
) -> None:
    watching = watch(notes).until_in_step()
    assert watching.lines_with(notifying.LIMIT_REACHED) == []
    (notes / "a" / "b" / "c").mkdir(parents=True)
    watching.until(lambda: watching.lines_with(notifying.LIMIT_REACHED))
    (notes / "a" / "b" / "c" / "a.md").write_text("Text.")
    watching.until(lambda: server.paths(NOTES) == {"a/b/c/a.md"})


@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run(["unshare", "-r", "test", "-w", "/proc/sys/user/max_inotify_watches"], check=False).returncode
    != 0,
    reason="needs a user namespace of its own, with limits of its own",
)
def test_the_kernels_limit_is_recognised(notes: Path, server: FileServer, tmp_path: Path) -> None:
    for number in range(8):
        (notes / f"d{number}").mkdir()
        (notes / f"d{number}" / "a.md").write_text(f"Note {number}.")
    program = f"""
        echo 3 > /proc/sys/user/max_inotify_watches
        exec {shlex.quote(sys.executable)} -m capture.entry watch {shlex.quote(str(notes))}
    """
    process = subprocess.Popen(
        ["unshare", "-r", "sh", "-c", program],
        env={
            "SUTURE_URL": server.url,
            "SUTURE_KEY": KEY,
            "SUTURE_STATE_DIR": str(tmp_path / "state"),
            "PATH": "/usr/bin:/bin",
        },
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        seen = []
        for line in process.stderr:
            seen.append(line)
            if ": looked through" in line:
                break
        assert any(notifying.LIMIT_REACHED in line for line in seen), seen
        assert len(server.paths(NOTES)) == 8
    finally:
        process.terminate()
        assert process.wait(HANGS) == 0
        process.communicate()
