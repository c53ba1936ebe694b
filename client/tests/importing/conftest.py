"""A fake API, and the command."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from suture_client.cli import app
from suture_client.importing import upload
from tests.importing.serving import Api, serve

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def api(monkeypatch, tmp_path):
    """A server for imports."""
    found = Api()
    server = serve(found)
    monkeypatch.setenv("SUTURE_URL", found.url)
    monkeypatch.setenv("SUTURE_KEY", "sut_test_key")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(upload, "PAUSES", (0.01, 0.01, 0.01))
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(api):
    """Run `suture import` with arguments. Samples are given by file name."""

    def run(kind, path, *options):
        path = SAMPLES / path if isinstance(path, str) and (SAMPLES / path).exists() else path
        return CliRunner().invoke(app, ["import", kind, str(path), *options])

    return run
