"""What the first requests of a process need is loaded before them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery.signals import worker_init
from django.db import connections

from memory.embedding import thirteen
from memory_project import environment, loading
from memory_project.environment import PROCESS_VARIABLE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: What is opened with each new connection to Redis: its library says its version.
OF_CONNECTIONS = (".dist-info/METADATA", ".zip")


def of_the_test(variable: str) -> str:
    """The URL of a server, with the database of this test."""
    url = urlsplit(environment.server(variable))
    return url._replace(path=f"/{connections['default'].settings_dict['NAME']}").geturl()


@pytest.mark.django_db(transaction=True)
def test_a_first_request_imports_nothing_and_opens_no_file_of_the_program(world: Any, tmp_path: Path) -> None:
    roles = ("DATABASE_URL", "DATABASE_REVIEW_URL", "DATABASE_SESSION_URL")
    done = subprocess.run(
        [sys.executable, "-m", "tests.http.first_requests", world.keys["alice"], world.keys["bob"]],
        cwd=ROOT,
        input=world.chunk("Jack likes green tea.", subject_type="user", subject_id="jack-doe-123"),
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")},
            **{variable: of_the_test(variable) for variable in roles},
            PROCESS_VARIABLE: "web",
            "CHECKPOINT_ROOT": str(tmp_path),
            "LOG_LEVEL": "ERROR",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kinds = json.loads(done.stdout.splitlines()[-1])["kinds"]
    if where := os.environ.get("FIRST_REQUESTS"):
        Path(where).write_text(done.stdout)
    unexpected = {kind: one for kind, one in kinds.items() if 500 in one["statuses"]}
    assert unexpected == {}
    assert {kind: one["imported"] for kind, one in kinds.items() if one["imported"]} == {}
    programs = (str(ROOT), sys.prefix, sys.base_prefix)
    read = {
        kind: [name for name in one["opened"] if name.startswith(programs) and not name.endswith(OF_CONNECTIONS)]
        for kind, one in kinds.items()
    }
    assert {kind: names for kind, names in read.items() if names} == {}


@pytest.mark.pure
def test_the_worker_loads_the_model_before_it_forks_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    monkeypatch.setattr(thirteen, "load", lambda: done.append("loaded"))
    monkeypatch.setattr(loading, "prepare_fork", lambda: done.append("ready to fork"))
    worker_init.send(sender=None)
    assert done == ["loaded", "ready to fork"]
