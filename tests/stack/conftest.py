"""Homes that the servers' unprivileged user can reach (pytest's own directories are closed to it)."""

import shutil
import socket
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


@pytest.fixture
def port() -> Iterator[int]:
    """A loopback TCP port on which nobody listens but who is told of it: it is bound for the whole test, so that the
    system gives it to no other."""
    with socket.socket() as kept:
        # another with this option may bind it too, and then listen
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


@pytest.fixture(scope="module")
def postgres() -> Iterator[EmbeddedPostgres]:
    path = Path(tempfile.mkdtemp(prefix="suture test "))
    path.chmod(0o711)
    server = EmbeddedPostgres(path, settings=EPHEMERAL_SETTINGS)
    server.start()
    yield server
    server.stop()
    shutil.rmtree(path)
