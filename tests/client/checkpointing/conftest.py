"""A server, with alice's key in the environment."""

import pytest

from tests.checkpoints.conftest import root  # noqa: F401 - the fixture
from tests.world import World


@pytest.fixture
def server(world: World, live_server, monkeypatch: pytest.MonkeyPatch, tmp_path) -> World:
    """The test's tenant, whose server the client finds. For tests marked `django_db(transaction=True)`."""
    monkeypatch.delenv("SUTURE_API_KEY", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no configuration"))
    monkeypatch.setenv("SUTURE_URL", live_server.url)
    monkeypatch.setenv("SUTURE_KEY", world.keys["alice"])
    return world
