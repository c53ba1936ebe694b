"""Web, worker and beat: each has its own credentials and no others."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_project import environment as settings_source
from memory_project.stack import application
from memory_project.stack.home import Home
from memory_project.stack.logs import Logs
from memory_project.stack.roles import VARIABLES
from memory_project.stack.supervisor import Supervisor

from .running import HANGS, ROOT, RunningStack, environment, eventually

pytestmark = pytest.mark.stack

CREDENTIALS = {
    "web": {"DATABASE_URL", "DATABASE_REVIEW_URL", "DATABASE_SESSION_URL", "REDIS_URL"},
    "worker": {"DATABASE_URL", "DATABASE_OPERATOR_URL", "DATABASE_VERIFIER_URL", "REDIS_URL"},
    "beat": {"REDIS_URL"},
}


def of_home(home: Path) -> dict[int, dict[str, str]]:
    """The environments of a stack's web, worker and beat, by process id."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "environ").read_bytes().decode()
        except OSError:
            continue
        variables = dict(pair.split("=", 1) for pair in text.split("\0") if "=" in pair)
        if variables.get("SUTURE_HOME") == str(home) and settings_source.PROCESS_VARIABLE in variables:
            found[int(entry.name)] = variables
    return found


def credentials_in(variables: dict[str, str]) -> set[str]:
    """The variables that lead to a server, by their name or by what they hold."""
    return {name for name, value in variables.items() if name.startswith("DATABASE_") or "://" in value}


@pytest.fixture
def held_home(home: Path) -> Iterator[Home]:
    held = Home(home)
    held.prepare()
    (home / "secret_key").write_text("secret")
    (home / "ledger.key").write_text("key")
    yield held
    held.release()


@contextmanager
def started(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """The three processes as `up` starts them, each but waiting; their ids by name."""
    for name in ("web_command", "worker_command", "beat_command"):
        monkeypatch.setattr(application, name, lambda *_: ["sleep", "300"])
    monkeypatch.setattr(application, "answers", lambda *_: True)
    urls = {variable: f"postgresql://suture_{role}@127.0.0.1/suture" for role, variable in VARIABLES.items()}
    variables = {**urls, "REDIS_URL": "redis://127.0.0.1", "SUTURE_HOME": str(home.path), "PATH": os.environ["PATH"]}
    supervisor = Supervisor(Logs(home.path / "log"))
    try:
        application.start(supervisor, home, variables, ("127.0.0.1", 8000))
        eventually(lambda: len(of_home(home.path)) == len(CREDENTIALS))
        yield {found[settings_source.PROCESS_VARIABLE]: process for process, found in of_home(home.path).items()}
    finally:
        supervisor.stop()


def test_each_process_has_its_own_credentials_and_no_others(held_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with started(held_home, monkeypatch) as processes:
        environments = of_home(held_home.path)
        assert {name: credentials_in(environments[pid]) for name, pid in processes.items()} == CREDENTIALS


def manage(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(home, **variables),
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def test_a_process_without_the_owners_url_says_which_variable_is_missing(held_home: Home) -> None:
    held_home.publish({"DATABASE_URL": "postgresql://a@127.0.0.1/x", "DATABASE_OWNER_URL": "postgresql://127.0.0.1:1/"})
    web = manage(held_home.path, "migrate", SUTURE_PROCESS="web")
    assert (web.returncode, web.stderr) == (
        1,
        "DATABASE_OWNER_URL is not set: the web process does not hold this credential.\n",
    )
    held_home.withdraw()
    alone = manage(held_home.path, "migrate")
    assert alone.returncode == 1
    assert alone.stderr.startswith("DATABASE_OWNER_URL is not set, and no running stack publishes it")


def test_a_whole_stack_gives_its_processes_no_owner_and_no_superuser(home: Path, port: int) -> None:
    stack = RunningStack(home, port)
    stack.wait_until_ready()
    try:
        found = of_home(home)
        names = {variables[settings_source.PROCESS_VARIABLE] for variables in found.values()}
        assert names == CREDENTIALS.keys()
        passwords = json.loads((home / "secrets" / "roles.json").read_text())
        for variables in found.values():
            name = variables[settings_source.PROCESS_VARIABLE]
            assert credentials_in(variables) == CREDENTIALS[name]
            assert not any(passwords["owner"] in value for value in variables.values())
        # another terminal has what the processes have not
        verified = manage(home, "verify_effective")
        assert (verified.returncode, verified.stdout) == (0, "1 tenant verified: no drift\n"), verified.stderr
    finally:
        stack.process.send_signal(signal.SIGINT)
        assert stack.wait() == 0
