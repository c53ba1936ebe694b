"""The commands of docs/ledger.md by which anybody verifies the ledger, run as they are written."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ledger.tampering import lived_in
from tests.proof.verifiers import NODE, ROOT

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"]),
    pytest.mark.skipif(not (shutil.which("curl") and NODE), reason="needs curl and node"),
]

SERVER = "http://127.0.0.1:8000"


def commands(*wanted):
    """The blocks of the page that have one of these words, in their order."""
    found = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "ledger.md").read_text(), re.DOTALL)
    return "".join(block for block in found if any(word in block for word in wanted))


def run(script, world, live_server, home):
    script = script.replace(SERVER, live_server.url).replace(
        ".venv/bin/suture", shlex.quote(str(Path(sys.executable).with_name("suture")))
    )
    script = script.replace("examples/verify_ledger.mjs", shlex.quote(str(ROOT / "examples" / "verify_ledger.mjs")))
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={"PATH": os.environ["PATH"], "BOB": world.keys["bob"]},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_commands_work_as_they_are_written(world, live_server, tmp_path):
    lived_in(world)
    script = commands("ledger/tree-head", "suture verify ", "verify_ledger.mjs")
    assert script.count("kept.txt") >= 3

    done = run(script, world, live_server, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "The ledger is intact." in done.stdout
    assert "1 compared" in done.stdout
    assert ": whole" in done.stdout


def test_notes_can_be_appended(world, live_server, tmp_path):
    lived_in(world)
    line = commands("ledger/tree-head").replace("curl ", 'curl -H "Accept: text/plain" ').replace("> kept", ">> kept")

    done = run(line * 2 + commands("suture verify ", "verify_ledger.mjs"), world, live_server, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 compared" in done.stdout
