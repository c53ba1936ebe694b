"""A directory of notes, a server of files in this process, and watchers of the one for the other."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from capture.watching import contact, notifying, state, watcher

from .server import FileServer, served
from .watching import Watching


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A directory called notes."""
    path = tmp_path / "notes"
    path.mkdir()
    return path


@pytest.fixture
def server() -> Iterator[FileServer]:
    with served(FileServer()) as server:
        yield server


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watcher's times, short enough for a test."""
    monkeypatch.setattr(state, "QUIET", 0.1)
    monkeypatch.setattr(state, "MISSING", 0.3)
    monkeypatch.setattr(state, "RETRY", 0.3)
    monkeypatch.setattr(contact, "AWAY", 0.1)
    monkeypatch.setattr(watcher, "_ROOTS_SECONDS", 0.1)
    monkeypatch.setattr(watcher, "_RULES_SECONDS", 0.1)
    monkeypatch.setattr(watcher, "_TICK", 0.02)
    monkeypatch.setattr(notifying, "_COLLECTED_MS", 50)


@pytest.fixture
def watch(server: FileServer, hurried: None) -> Iterator[Callable[..., Watching]]:
    """Starts watchers: `watch(directory, ...)`; all are stopped at the end."""
    started: list[Watching] = []

    def start(*directories: Path, **options: Any) -> Watching:
        started.append(Watching(server, directories, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()
