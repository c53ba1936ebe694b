"""Web, worker and beat: each has its own credentials and no others, and none of them is root."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_project import environment as settings_source
from memory_project.stack import accounts, application
from memory_project.stack.home import Home
from memory_project.stack.processes import StackError
from memory_project.stack.roles import VARIABLES
from memory_project.stack.supervisor import Supervisor

from .running import HANGS, ROOT, RunningStack, environment, eventually

pytestmark = pytest.mark.stack

CREDENTIALS = {
    "web": {"DATABASE_URL", "DATABASE_REVIEW_URL", "DATABASE_SESSION_URL", "REDIS_URL"},
    "worker": {"DATABASE_URL", "DATABASE_OPERATOR_URL", "DATABASE_VERIFIER_URL", "REDIS_URL"},
    "beat": {"REDIS_URL"},
}
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts processes as others")


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


def user_ids(process: int) -> set[int]:
    """The real, effective, saved and file system user of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("Uid:"))
    return {int(word) for word in line.split()[1:]}


@pytest.fixture
def held_home(home: Path) -> Iterator[Home]:
    held = Home(home)
    held.prepare()
    (home / "secret_key").write_text("secret")
    (home / "ledger.key").write_text("key")
    yield held
    held.release()


@contextmanager
def started(home: Home, users: accounts.Accounts, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """The three processes as `up` starts them, each but waiting; their ids by name."""
    for name in ("web_command", "worker_command", "beat_command"):
        monkeypatch.setattr(application, name, lambda *_: ["sleep", "300"])
    monkeypatch.setattr(application, "answers", lambda *_: True)
    urls = {variable: f"postgresql://suture_{role}@127.0.0.1/suture" for role, variable in VARIABLES.items()}
    variables = {**urls, "REDIS_URL": "redis://127.0.0.1", "SUTURE_HOME": str(home.path), "PATH": os.environ["PATH"]}
    supervisor = Supervisor()
    try:
        application.start(supervisor, home, variables, users, ("127.0.0.1", 8000))
        eventually(lambda: len(of_home(home.path)) == len(CREDENTIALS))
        yield {found[settings_source.PROCESS_VARIABLE]: process for process, found in of_home(home.path).items()}
    finally:
        supervisor.stop()


def test_each_process_has_its_own_credentials_and_no_others(held_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with started(held_home, accounts.Accounts(), monkeypatch) as processes:
        environments = of_home(held_home.path)
        assert {name: credentials_in(environments[pid]) for name, pid in processes.items()} == CREDENTIALS


@AS_ROOT
def test_processes_that_root_starts_are_other_users_who_cannot_read_each_others_credentials(
    held_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = accounts.Accounts(accounts._user(accounts.WEB), accounts._user(accounts.WORKER))
    assert users.web is not None
    assert users.worker is not None
    with started(held_home, users, monkeypatch) as processes:
        assert user_ids(processes["web"]) == {users.web.pw_uid}
        assert user_ids(processes["worker"]) == user_ids(processes["beat"]) == {users.worker.pw_uid}
        assert 0 not in {users.web.pw_uid, users.worker.pw_uid}

        def web_may(*command: str) -> bool:
            assert users.web is not None
            return accounts._succeeds(users.web, *command)

        home = held_home.path
        held_home.publish({"DATABASE_URL": "a", "DATABASE_OWNER_URL": "b"})
        for readable in ("secret_key", "ledger.key"):
            assert web_may("test", "-r", str(home / readable))
            assert not web_may("test", "-w", str(home / readable))
        for closed in ("stack.json", "secrets/DATABASE_OWNER_URL", "log"):
            assert not web_may("test", "-r", str(home / closed))
        assert web_may("test", "-r", f"/proc/{processes['web']}/environ")
        assert web_may("touch", str(home / "metrics" / "of_web"))
        if users.web.pw_uid != users.worker.pw_uid:  # no system has only `nobody` that can make users
            assert not web_may("cat", f"/proc/{processes['worker']}/environ")
            assert not web_may("touch", str(home / "tree_heads" / "of_web"))
            assert not web_may("touch", str(home / "confirmed" / "of_web"))
        assert accounts._succeeds(users.worker, "touch", str(home / "tree_heads" / "of_worker"))
        # the web server stores states of agents, as memory.checkpoints.storage does, and the worker deletes them
        made = home / "checkpoints" / "tenant"
        assert web_may("sh", "-c", f"umask 077; mkdir '{made}' && chmod 2770 '{made}' && touch '{made}/state'")
        assert accounts._succeeds(users.worker, "rm", str(made / "state"))


@AS_ROOT
def test_a_link_in_a_directory_of_the_worker_gives_it_nothing(held_home: Home) -> None:
    users = accounts.Accounts(accounts._user(accounts.WEB), accounts._user(accounts.WORKER))
    assert users.worker is not None
    directory, target = held_home.path / "tree_heads", held_home.path / "secrets" / "roles.json"
    directory.mkdir()
    target.write_text("{}")
    target.chmod(0o600)
    (directory / "left.txt").write_text("by root")
    (directory / "link.txt").symlink_to(target)
    (directory / "hard.txt").hardlink_to(target)
    accounts.share(held_home.path, users)
    assert (directory / "left.txt").stat().st_uid == users.worker.pw_uid
    assert (target.stat().st_uid, stat.S_IMODE(target.stat().st_mode)) == (0, 0o600)


@AS_ROOT
@pytest.mark.parametrize("place_of", ["source", "home"])
def test_below_a_closed_directory_the_processes_stay_roots_and_a_line_says_so(
    place: Path, place_of: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    (closed / "clone").mkdir()
    if place_of == "source":
        monkeypatch.setattr(settings_source, "BASE_DIR", closed / "clone")
    home = closed / "clone" if place_of == "home" else place
    assert accounts.find_accounts(home) == accounts.Accounts()
    told = capsys.readouterr().out
    assert "WARNING: web, worker and beat run as root: " in told
    assert str(closed) in told or "/root" in told  # where the tests' own Python may be


@AS_ROOT
def test_a_signing_key_that_the_processes_cannot_read_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = place / "key.pem"
    key.touch(mode=0o600)
    monkeypatch.setenv("SUTURE_SIGNING_KEY_FILE", str(key))
    monkeypatch.setattr(accounts, "_closed_to", lambda *_: None)
    with pytest.raises(StackError, match=r"SUTURE_SIGNING_KEY_FILE: .* is closed to"):
        accounts.find_accounts(place)


@AS_ROOT
def test_a_sink_that_the_worker_cannot_write_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREE_HEAD_SINKS", f"https://example.org/notes,file://{place}/notes.txt")
    monkeypatch.setattr(accounts, "_closed_to", lambda *_: None)
    with pytest.raises(StackError, match=r"TREE_HEAD_SINKS: .* may not write"):
        accounts.find_accounts(place)


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
        for pid, variables in found.items():
            name = variables[settings_source.PROCESS_VARIABLE]
            assert credentials_in(variables) == CREDENTIALS[name]
            assert not any(passwords["owner"] in value for value in variables.values())
            if os.geteuid() == 0 and "WARNING: web, worker and beat run as root" not in stack.output:
                assert 0 not in user_ids(pid)
        # another terminal has what the processes have not
        verified = manage(home, "verify_effective")
        assert (verified.returncode, verified.stdout) == (0, "1 tenant verified: no drift\n"), verified.stderr
    finally:
        stack.process.send_signal(signal.SIGINT)
        assert stack.wait() == 0
