"""The supervisor leaves nothing running, however it ends, and starts again what ends, and never silently."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from memory_project.stack import supervisor as supervising
from memory_project.stack.application import answers, web_command
from memory_project.stack.logs import Logs
from memory_project.stack.processes import StackError, Tell, ignore_progress, processes_in

from .running import HANGS, ROOT, STACK, environment, eventually, left_running

pytestmark = pytest.mark.stack

# Web server and worker as `up` starts them, but of applications that need no database.
SUPERVISING = """
import json, os, sys
from memory_project.stack.application import REPLACING
from memory_project.stack.home import Home
from memory_project.stack.logs import Logs
from memory_project.stack.processes import StackError
from memory_project.stack.servers import start_embedded
from memory_project.stack.supervisor import Program, Supervisor
from pathlib import Path

home = Home(Path(os.environ["SUTURE_HOME"]))
home.prepare()
home.alive.mkdir()
supervisor = Supervisor(Logs(home.path / "log", to_terminal=True))
supervisor.interruption.raise_once()
try:
    variables = start_embedded(supervisor, home, ephemeral=True)
    variables["CELERY_BROKER_URL"] = variables["REDIS_URL"]
    for name, command in {children}:
        signs = home.alive if name == "web" else None
        own = {{**os.environ, **variables}}
        supervisor.start_child(name, Program(command, own, replacing=REPLACING.get(name), signs=signs))
    (home.path / "variables").write_text(json.dumps(variables))
    (home.path / "variables").rename(home.path / "started")
    supervisor.watch(lambda: False, restarts={restarts})
except KeyboardInterrupt:
    pass
except StackError as error:
    sys.exit(str(error))
finally:
    supervisor.stop()
"""


def supervise(home: Path, children: list[tuple[str, list[str]]], *, restarts: bool = True) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SUPERVISING.format(children=children, restarts=restarts))],
        cwd=ROOT,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def supervise_web_and_worker(home: Path, port: int, workers: int = 2) -> subprocess.Popen[str]:
    """The supervisor once web server and worker are ready, the worker with two processes of its own."""
    replaced = ("memory_project.asgi:application", "tests.stack.watched_echo:application")
    web = [word.replace(*replaced) for word in web_command("127.0.0.1", port)]
    web[web.index("--workers") + 1] = str(workers)
    worker = ["celery", "-q", "worker", "--concurrency", "2", "--loglevel", "INFO"]
    supervisor = supervise(home, [("web", web), ("worker", [sys.executable, "-m", *worker])])
    assert supervisor.stdout is not None
    assert any("ready." in line for line in supervisor.stdout)
    eventually(lambda: answers("/readyz", "127.0.0.1", port))
    return supervisor


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux's")
def test_a_killed_supervisor_leaves_no_process(home: Path, port: int) -> None:
    supervisor = supervise_web_and_worker(home, port)
    assert len(left_running(home)) >= 1 + 3 + 3 + 6 + 1  # PostgreSQL has six processes or more
    supervisor.kill()
    supervisor.communicate(timeout=HANGS)
    eventually(lambda: left_running(home) == [])


def test_a_signal_stops_everything_in_order(home: Path, port: int) -> None:
    supervisor = supervise_web_and_worker(home, port)
    supervisor.terminate()
    output, errors = supervisor.communicate(timeout=HANGS)
    assert (supervisor.returncode, errors) == (0, "")
    assert "worker | worker: Warm shutdown" in output
    assert "killing it" not in output
    assert left_running(home) == []


def test_a_child_that_ends_while_the_stack_starts_is_named_and_stops_everything(home: Path) -> None:
    children = [("web", ["sh", "-c", "echo hello; echo last; exit 3"]), ("worker", ["sleep", "300"])]
    supervisor = supervise(home, children, restarts=False)
    output, errors = supervisor.communicate(timeout=HANGS)
    assert supervisor.returncode == 1
    assert errors == "web exited unexpectedly (exit code 3); stopping everything.\n"
    assert output.splitlines()[-2:] == ["web    | hello", "web    | last"]
    assert left_running(home) == []


def test_a_server_that_dies_while_the_stack_starts_is_named_and_stops_everything(home: Path) -> None:
    supervisor = supervise(home, [("web", ["sleep", "300"])], restarts=False)
    eventually((home / "started").exists)
    os.kill(postmaster(home), signal.SIGKILL)
    _, errors = supervisor.communicate(timeout=HANGS)
    assert supervisor.returncode == 1
    assert errors == "PostgreSQL exited unexpectedly (signal SIGKILL); stopping everything.\n"
    eventually(lambda: left_running(home) == [])


def postmaster(home: Path) -> int:
    return int((home / "pg18" / "postmaster.pid").read_text().split()[0])


def test_servers_that_die_come_back_on_their_ports_with_their_data_and_end_nothing_else(home: Path) -> None:
    supervisor = supervise(home, [("web", ["sleep", "300"])])
    eventually((home / "started").exists)
    variables = json.loads((home / "started").read_text())
    before = set(left_running(home)) & set(sleeping())
    with psycopg.connect(variables["DATABASE_OWNER_URL"]) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
    with redis.Redis.from_url(variables["REDIS_URL"]) as client:
        client.set("kept", 7)
        client.waitaof(1, 0, HANGS * 1000)

    os.kill(postmaster(home), signal.SIGKILL)
    (valkey,) = processes_in(home / "valkey", "valkey-server")
    os.kill(valkey, signal.SIGKILL)

    eventually(lambda: _kept_in_postgres(variables) == 7)
    eventually(lambda: _kept_in_valkey(variables) == b"7")
    assert set(left_running(home)) & set(sleeping()) == before
    # a server answers before the supervisor says so
    assert supervisor.stdout is not None
    said = ""
    for name in ("PostgreSQL", "Valkey"):
        while f"stack  | {name} was restarted." not in said:
            line = supervisor.stdout.readline()
            assert line, said
            said += line
        assert f"stack  | {name} exited (signal SIGKILL); restarting it in 1 s." in said
    supervisor.terminate()
    _, errors = supervisor.communicate(timeout=HANGS)
    assert (supervisor.returncode, errors) == (0, "")
    assert left_running(home) == []


def sleeping() -> list[int]:
    return processes_in(ROOT, "sleep")


def _kept_in_postgres(variables: dict[str, str]) -> object:
    try:
        with psycopg.connect(variables["DATABASE_OWNER_URL"]) as connection:
            row = connection.execute("SELECT n FROM kept").fetchone()
    except psycopg.OperationalError:
        return None
    return row[0] if row else None


def _kept_in_valkey(variables: dict[str, str]) -> object:
    try:
        with redis.Redis.from_url(variables["REDIS_URL"]) as client:
            return client.get("kept")
    except redis.ConnectionError:
        return None


def children_of(parent: int) -> dict[int, bytes]:
    """The processes that `parent` started, with their command lines."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found[int(entry.name)] = (entry / "cmdline").read_bytes()
        except OSError:  # it ended meanwhile
            continue
    return found


def web_processes(supervisor: int) -> tuple[int, set[int]]:
    """The web server's main process (0 while there is none), and those that it started."""
    main = next((pid for pid, command in children_of(supervisor).items() if b"memory_project.web" in command), 0)
    return main, set(children_of(main)) if main else set()


def test_a_killed_web_worker_is_replaced_and_a_killed_web_server_started_again(home: Path, port: int) -> None:
    supervisor = supervise_web_and_worker(home, port)
    main, workers = web_processes(supervisor.pid)
    victim = max(workers)  # a process of multiprocessing's own may be among them, and began before
    os.kill(victim, signal.SIGKILL)
    eventually(lambda: victim not in (after := web_processes(supervisor.pid)[1]) and len(after) == len(workers))
    assert web_processes(supervisor.pid)[0] == main
    eventually(lambda: answers("/readyz", "127.0.0.1", port))

    orphans = web_processes(supervisor.pid)[1]
    os.kill(main, signal.SIGKILL)
    eventually(lambda: web_processes(supervisor.pid)[0] not in (0, main))
    assert not orphans & set(left_running(home))
    eventually(lambda: answers("/readyz", "127.0.0.1", port))
    supervisor.terminate()
    output, errors = supervisor.communicate(timeout=HANGS)
    assert (supervisor.returncode, errors) == (0, "")
    assert "stack  | A process of web exited; web replaces it." in output
    assert "stack  | web exited (signal SIGKILL); restarting it in 1 s." in output
    assert left_running(home) == []


def test_a_signal_stops_everything_while_a_child_waits_to_be_started_again(home: Path) -> None:
    supervisor = supervise(home, [("web", ["sh", "-c", "exit 3"]), ("worker", ["sleep", "300"])])
    assert supervisor.stdout is not None
    # the longest wait: there is time for the signal
    assert any("restarting it in 10 s" in line for line in supervisor.stdout)
    supervisor.send_signal(signal.SIGINT)
    _, errors = supervisor.communicate(timeout=HANGS)
    assert (supervisor.returncode, errors) == (0, "")
    assert left_running(home) == []


def test_a_child_that_ignores_the_signal_is_killed_at_the_second(home: Path) -> None:
    # It says when it does not hear any more, and when it was told: two signals at one moment would be one.
    deaf = "trap 'touch told' TERM; touch deaf; while :; do sleep 1; done"
    place = home.parent / "of the child"
    place.mkdir()
    supervisor = supervise(home, [("web", ["sh", "-c", f'cd "$0"; {deaf}', str(place)])])
    eventually((place / "deaf").exists)
    eventually((home / "started").exists)
    supervisor.send_signal(signal.SIGINT)
    eventually((place / "told").exists)
    assert left_running(home)
    supervisor.send_signal(signal.SIGINT)
    output, _ = supervisor.communicate(timeout=HANGS)
    assert "web did not stop in time; killing it." in output
    assert left_running(home) == []


def test_a_stack_starts_again_right_after_its_supervisor_was_killed(home: Path) -> None:
    first = subprocess.Popen([*STACK, "run", "--", "sleep", "300"], cwd=ROOT, env=environment(home))
    eventually((home / "stack.json").exists)
    first.kill()
    first.wait(HANGS)
    again = subprocess.run([*STACK, "run", "--", "true"], cwd=ROOT, env=environment(home), timeout=HANGS, check=False)
    assert again.returncode == 0
    eventually(lambda: left_running(home) == [])


class Short:
    """A server that ends at once, or does not start a second time."""

    def __init__(self, *, fails: bool) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self._fails = fails

    def start(self, tell: Tell = ignore_progress) -> None:
        self.starts += 1
        if self._fails and self.starts > 1:
            self.process = None
            raise StackError("no disk")
        self.process = subprocess.Popen(["true"])

    def stop(self, hurried: Callable[[], bool] = lambda: False) -> None:
        if self.process is not None:
            self.process.wait(HANGS)


@pytest.fixture
def supervisor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[supervising.Supervisor]:
    """One that does not wait long."""
    monkeypatch.setattr(supervising, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(supervising, "RESTART_SECONDS", 0.1)
    monkeypatch.setattr(supervising, "MAX_RESTART_SECONDS", 0.3)
    supervisor = supervising.Supervisor(Logs(tmp_path))
    yield supervisor
    supervisor.stop()


def test_a_child_is_started_again_each_time_after_a_longer_wait(supervisor, capsys):
    counted: list[str] = []
    supervisor.on_restart = counted.append
    supervisor.start_child("watch", supervising.Program(["sh", "-c", "exit 3"], dict(os.environ)))
    supervisor.watch(lambda: len(counted) == 4)
    assert counted == ["watch"] * 4
    waits = [line for line in capsys.readouterr().out.splitlines() if "exit code 3" in line]
    assert [line.rpartition(" in ")[2] for line in waits[:4]] == ["0.1 s.", "0.2 s.", "0.3 s.", "0.3 s."]


def test_a_server_that_fails_to_start_again_and_again_stops_everything(supervisor):
    server = Short(fails=True)
    supervisor.start_server("PostgreSQL", server, tries=3)
    with pytest.raises(StackError, match=r"^PostgreSQL did not start \(no disk\) too often; stopping everything.$"):
        supervisor.watch(lambda: False)
    assert server.starts == 4


def test_a_server_that_starts_and_ends_again_and_again_is_always_started_again(supervisor):
    server = Short(fails=False)
    supervisor.start_server("PostgreSQL", server, tries=3)
    supervisor.watch(lambda: server.starts == 12)


def test_a_server_whose_disk_is_full_is_started_again_until_it_is_not(supervisor):
    server = Short(fails=True)
    supervisor.start_server("PostgreSQL", server, tries=3, excused=lambda: server.starts < 12)
    with pytest.raises(StackError, match="too often"):
        supervisor.watch(lambda: False)
    assert server.starts == 12
