"""The supervisor leaves nothing running, however it ends, and restarts nothing silently."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from memory_project.stack import supervisor as supervising
from memory_project.stack.application import answers, web_command
from memory_project.stack.logs import TerminalLogs

from .running import HANGS, ROOT, STACK, environment, eventually, left_running

pytestmark = pytest.mark.stack

# Web server and worker as `up` starts them, but of applications that need no database.
SUPERVISING = """
import os, sys
from memory_project.stack.home import Home
from memory_project.stack.processes import StackError
from memory_project.stack.servers import start_embedded
from memory_project.stack.supervisor import Supervisor
from pathlib import Path

home = Home(Path(os.environ["SUTURE_HOME"]))
home.prepare()
supervisor = Supervisor()
supervisor.interruption.raise_once()
try:
    variables = start_embedded(supervisor, home, ephemeral=True)
    variables["CELERY_BROKER_URL"] = variables["REDIS_URL"]
    for name, command in {children}:
        supervisor.start_child(name, command, {{**os.environ, **variables}})
    (home.path / "started").touch()
    supervisor.watch(lambda: False)
except KeyboardInterrupt:
    pass
except StackError as error:
    sys.exit(str(error))
finally:
    supervisor.stop()
"""


def supervise(home: Path, children: list[tuple[str, list[str]]]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SUPERVISING.format(children=children))],
        cwd=ROOT,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def supervise_web_and_worker(home: Path, port: int) -> subprocess.Popen[str]:
    """The supervisor once web server and worker are ready, each with two processes of its own."""
    replaced = ("memory_project.asgi:application", "tests.stack.echo:application")
    web = [word.replace(*replaced) for word in web_command("127.0.0.1", port)]
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
    assert "is killed" not in output
    assert left_running(home) == []


def test_a_child_that_ends_is_named_and_stops_everything(home: Path) -> None:
    children = [("web", ["sh", "-c", "echo hello; printf last; exit 3"]), ("worker", ["sleep", "300"])]
    supervisor = supervise(home, children)
    output, errors = supervisor.communicate(timeout=HANGS)
    assert supervisor.returncode == 1
    assert errors == "web ended unexpectedly (exit code 3); everything is stopped.\n"
    assert output.splitlines()[-2:] == ["web    | hello", "web    | last"]
    assert left_running(home) == []


def test_a_server_that_dies_is_named_and_stops_everything(home: Path) -> None:
    supervisor = supervise(home, [("web", ["sleep", "300"])])
    eventually((home / "started").exists)
    os.kill(int((home / "pg18" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    _, errors = supervisor.communicate(timeout=HANGS)
    assert supervisor.returncode == 1
    assert errors == "PostgreSQL ended unexpectedly (signal SIGKILL); everything is stopped.\n"
    eventually(lambda: left_running(home) == [])


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
    assert "web did not stop in time and is killed." in output
    assert left_running(home) == []


def test_a_stack_starts_again_right_after_its_supervisor_was_killed(home: Path) -> None:
    first = subprocess.Popen([*STACK, "run", "--", "sleep", "300"], cwd=ROOT, env=environment(home))
    eventually((home / "stack.json").exists)
    first.kill()
    first.wait(HANGS)
    again = subprocess.run([*STACK, "run", "--", "true"], cwd=ROOT, env=environment(home), timeout=HANGS, check=False)
    assert again.returncode == 0
    eventually(lambda: left_running(home) == [])


def test_a_child_that_is_not_vital_is_started_again_and_ends_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(supervising, "RESTART_SECONDS", 0.1)
    runs = tmp_path / "runs"
    script = f"open({str(runs)!r}, 'a').write('x'); raise SystemExit(3)"
    lines: list[str] = []

    class Kept(TerminalLogs):
        def write(self, name: str, line: str) -> None:
            lines.append(f"{name}: {line}")

    supervisor = supervising.Supervisor(Kept())
    try:
        supervisor.start_child("watch", [sys.executable, "-c", script], dict(os.environ), is_vital=False)
        assert supervisor.watch(lambda: runs.exists() and len(runs.read_text()) > 1, 30)
    finally:
        supervisor.stop()
    assert lines[0].startswith("watch: watch ended (exit code 3), starts again in ")
