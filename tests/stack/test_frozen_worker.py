"""A process of the web server that stands still is killed by the supervisor, and the server starts another."""

import http.client
import os
import signal
import subprocess
import sys

import pytest

from memory_project.stack import hung_processes
from memory_project.stack.application import web_command
from memory_project.stack.hung_processes import MAX_LOOKS, HungProcesses

from .running import ROOT, eventually
from .test_supervisor import supervise_web_and_worker, web_processes

pytestmark = pytest.mark.stack


@pytest.fixture
def child():
    """A process that this one started."""
    process = subprocess.Popen(["sleep", "300"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.fixture
def found(tmp_path, monkeypatch):
    """What so many looks in a row find; before each look the given function is called."""
    monkeypatch.setattr(hung_processes, "PERIOD", 0.0)
    looks = HungProcesses(tmp_path)

    def found(number, before=lambda: None):
        every = []
        for _ in range(number):
            before()
            every += looks.find(os.getpid())
        return every

    return found


def test_a_process_that_touches_nothing_stands_still_and_is_found_once(tmp_path, child, found):
    (tmp_path / str(child)).touch()
    assert found(MAX_LOOKS) == []
    assert found(5) == [child]


def test_a_process_that_goes_on_does_not_stand_still(tmp_path, child, found):
    times = iter(range(1, 1000))
    (tmp_path / str(child)).touch()
    assert found(3 * MAX_LOOKS, lambda: os.utime(tmp_path / str(child), ns=(0, next(times)))) == []


def test_what_another_process_has_started_is_not_found_and_its_file_goes(tmp_path, found):
    for pid in (os.getppid(), os.getpid()):
        (tmp_path / str(pid)).touch()
    assert found(3 * MAX_LOOKS) == []
    assert list(tmp_path.iterdir()) == []


def answers(port, path="/"):
    """The process that answers a new connection; None where nobody does."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path)
        return int(connection.getresponse().read())
    except OSError:
        return None
    finally:
        connection.close()


def answering(port):
    return {answers(port) for _ in range(20)} - {None}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says who started a process")
def test_a_frozen_process_is_replaced_and_the_others_stay(home, port):
    supervisor = supervise_web_and_worker(home, port, workers=3)
    try:
        eventually(lambda: len(answering(port)) == 3)
        before = answering(port)
        frozen = min(before)
        os.kill(frozen, signal.SIGSTOP)
        eventually(lambda: frozen not in web_processes(supervisor.pid)[1])
        eventually(lambda: len(answering(port)) == 3)
        assert before - {frozen} < answering(port)
    finally:
        supervisor.terminate()
        output, _ = supervisor.communicate()
    assert f"Process {frozen} of web is frozen; killing it." in output


def test_the_processes_of_a_killed_server_end_where_no_supervisor_runs(port):
    command = web_command("127.0.0.1", port)
    command[command.index("memory_project.asgi:application")] = "tests.stack.watched_echo:application"
    server = subprocess.Popen(command, cwd=ROOT)
    try:
        eventually(lambda: answers(port) is not None)
        workers = answering(port)
    finally:
        server.kill()
        server.wait()
    eventually(lambda: answering(port) == set())
    assert workers
