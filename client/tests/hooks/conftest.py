"""A home directory, a machine that runs hooks, and a server for them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from suture_client.installing.hooks import obstacles
from tests.hooks.machine import Client
from tests.hooks.serving import FakeApi, serving


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory on Linux, with a project to work in."""
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    for name in (
        *("XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"),
        *("SUTURE_URL", "SUTURE_KEY", "SUTURE_API_KEY", "SUTURE_STATE_DIR"),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(obstacles, "managed_directory", lambda agent: tmp_path / "etc" / agent)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(home / "project")
    return home


@pytest.fixture
def api() -> Iterator[FakeApi]:
    with serving() as server:
        yield server


@pytest.fixture
def client(tmp_path: Path, api: FakeApi) -> Client:
    return Client(tmp_path, api.url)


@pytest.fixture
def client_of(tmp_path: Path) -> Callable[[str], Client]:
    return lambda url: Client(tmp_path, url).in_a_hurry()
