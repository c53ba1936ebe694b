"""The command line: its version, and the error if an extra is missing."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from suture_client.cli import app

pytestmark = pytest.mark.pure


def test_it_says_its_version() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert done.exit_code == 0
    assert done.output.startswith("suture ")


@pytest.mark.parametrize(
    ("command", "module", "extra"),
    [
        (["mcp"], "mcp", "mcp"),
        (["watch", "."], "watchfiles", "watch"),
        (["import", "basic-memory", "."], "pathspec", "watch"),
    ],
)
def test_a_command_whose_extra_is_missing_names_it(command: list[str], module: str, extra: str) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; from suture_client.cli import app; app()"
    environment = {**os.environ, "SUTURE_KEY": "sut_1a2b3c4d_x"}
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert done.stderr.endswith(f"Install it: pip install 'suture-client[{extra}]'\n")
