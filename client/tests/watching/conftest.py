"""A directory of notes, a file server in this process, and watchers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .server import FileServer
from .watching import Watching


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A directory called notes."""
    path = tmp_path / "notes"
    path.mkdir()
    return path


@pytest.fixture
def server() -> FileServer:
    return FileServer()


@pytest.fixture
def watch(server: FileServer) -> Iterator[Callable[..., Watching]]:
    """Create watchers that have scanned once: `watch(directory, ...)`."""
    started: list[Watching] = []

    def start(*directories: Path, **options: Any) -> Watching:
        started.append(Watching(server, directories, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()
