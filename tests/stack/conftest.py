"""Homes that the servers' unprivileged user can reach (pytest's own directories are closed to it)."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_project.stack.postgres import EPHEMERAL_SETTINGS, EmbeddedPostgres


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory with a space in its name, as a clone's may have."""
    path = Path(tempfile.mkdtemp(prefix="suture test "))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def home(place: Path) -> Path:
    return place / "home"


@pytest.fixture(scope="module")
def postgres() -> Iterator[EmbeddedPostgres]:
    path = Path(tempfile.mkdtemp(prefix="suture test "))
    path.chmod(0o711)
    server = EmbeddedPostgres(path, settings=EPHEMERAL_SETTINGS)
    server.start()
    yield server
    server.stop()
    shutil.rmtree(path)
