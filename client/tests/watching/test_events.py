"""Events of the operating system about changes."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from suture_client.watching import events
from suture_client.watching.events import Events
from suture_client.watching.output import logger


def directories(*paths: Path) -> dict[str, int]:
    return {str(path): path.stat().st_ino for path in paths}


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(logger, "error", lambda message, *values: found.append(message % values))
    return found


@pytest.mark.slow
@pytest.mark.stack
@pytest.mark.parametrize(
    "change",
    [
        lambda notes: (notes / "new.md").write_text("Text."),
        lambda notes: (notes / "a.md").write_text("Changed."),
        lambda notes: (notes / "a.md").unlink(),
        lambda notes: (notes / "a.md").rename(notes / "b.md"),
        lambda notes: (notes / ".gitignore").write_text("*.md"),
        lambda notes: (notes / "new").mkdir(),
        lambda notes: (notes / "inner").rmdir(),
        lambda notes: open(os.fsencode(notes) + b"/caf\xe9.md", "w").close(),
    ],
)
def test_a_change_ends_the_waiting(notes: Path, change: Callable[[Path], Any]) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "inner").mkdir()
    watched = directories(notes, notes / "inner")
    told = Events()
    told.wait(watched, 600)  # returns at once: they are new
    change(notes)
    waiting = threading.Thread(target=told.wait, args=(watched, 600), daemon=True)
    waiting.start()
    waiting.join(30)
    assert not waiting.is_alive()


@pytest.mark.slow
@pytest.mark.stack
def test_other_files_do_not_wake_the_watcher(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Events()
    told.wait(directories(notes), 600)
    for name in ("a.txt", "a.md~", ".git"):
        (notes / name).write_text("Text.")
    clock: Iterator[float] = iter([0.0, 1.0, 2.0, 3.0, 4.0])
    monkeypatch.setattr(events, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    told.wait(directories(notes), 4.0)
    assert list(clock) == [], "it has waited to the end"


@pytest.mark.pure
def test_the_watch_limit_is_logged_once_and_everything_is_scanned(
    notes: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*paths: str, **options: Any) -> Iterator[Any]:
        raise OSError('OS file watch limit reached. about ["…"] (Error { kind: MaxFilesWatch, paths: ["…"] })')
        yield

    slept: list[float] = []
    monkeypatch.setattr(events, "watchfiles", SimpleNamespace(watch=refuse))
    monkeypatch.setattr(events, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=slept.append))
    told = Events()
    for number in range(3):
        told.wait({str(notes): number}, 60.0)
    assert slept == [events.POLL_SECONDS] * 3
    [line] = lines
    assert line.startswith("File watcher limit reached. Cannot watch additional files. Raise it with `sudo sysctl fs.")
    told.wait({str(notes): 2}, 0.5)
    assert slept[-1] == 0.5


@pytest.mark.pure
def test_a_directory_that_is_gone_meanwhile_is_looked_for_again(notes: Path, lines: list[str]) -> None:
    told = Events()
    told.wait({str(notes / "gone"): 1}, 600)
    told.wait({str(notes / "gone"): 1}, 600)
    assert lines == []
