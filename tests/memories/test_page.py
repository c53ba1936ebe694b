"""docs/memories.md, pasted into a shell as a whole."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_its_commands_work_as_they_are(world: Any, live_server: Any) -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    functions = "\n".join(re.findall(r"^(?:suture|field)\(\) .*$", readme, re.MULTILINE))
    page = re.findall(r"```sh\n(.*?)```", (DOCS / "memories.md").read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join([functions, *page])],
        env={
            "PATH": os.environ["PATH"],
            "SUTURE_URL": live_server.url,
            "AGENT": world.keys["alice"],
            "BOB": world.keys["bob"],
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made, got, listed, found, changed, forgotten, past, past_found = (
        json.loads(line) for line in done.stdout.splitlines() if line
    )
    assert made["status"] == "recorded"
    assert listed["results"] == [got]
    assert [one["text"] for one in found["results"]] == ["Ada drinks oolong"]
    assert (changed["status"], changed["memory"]["text"]) == ("applied", "Ada drinks coffee")
    assert forgotten["status"] == "applied"
    assert [one["text"] for one in past["results"] + past_found["results"]] == ["Ada drinks oolong"] * 2
