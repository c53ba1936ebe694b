"""A process of the web server that stands still is killed by the others, and the server starts another. They tell each
other who has come."""

import http.client
import os
import signal
import subprocess

import pytest

from memory_project.stack.application import web_command
from memory_project.stack.processes import free_port
from tests.stack.running import ROOT, eventually

HOST = "127.0.0.1"
WORKERS = 3

pytestmark = pytest.mark.stack


@pytest.fixture
def server():
    """The server that `make up` starts, in front of `watched_echo`, and its port."""
    found = free_port()
    command = [*web_command(HOST, found)]
    command[command.index("memory_project.asgi:application")] = "tests.stack.watched_echo:application"
    command[command.index("--workers") + 1] = str(WORKERS)
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        yield process, found
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def port(server):
    return server[1]


def asked(port, method, path):
    """The process that answers a new connection, and whether it knows of others than the caller in the path; None where
    nobody answers."""
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request(method, path)
        return tuple(map(int, connection.getresponse().read().split()))
    except OSError:
        return None
    finally:
        connection.close()


def answered_by(port):
    """The process that answers a new connection; None where nobody does."""
    answered = asked(port, "GET", "/")
    return answered and answered[0]


def seen(port, number):
    """Whether so many processes have answered, of many connections."""
    return len({answered_by(port) for _ in range(20)} - {None}) >= number


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_frozen_process_is_replaced_and_the_others_stay(port):
    eventually(lambda: seen(port, WORKERS))
    before = {answered_by(port) for _ in range(60)} - {None}
    frozen = min(before)

    os.kill(frozen, signal.SIGSTOP)

    eventually(lambda: is_gone(frozen))
    # only the others, and a new one
    eventually(lambda: seen(port, WORKERS))
    after = {answered_by(port) for _ in range(60)} - {None}
    assert after >= before - {frozen}
    assert len(after) == WORKERS


def test_processes_that_were_all_stopped_go_on(port):
    eventually(lambda: seen(port, WORKERS))
    before = {answered_by(port) for _ in range(60)} - {None}
    for signalled in (signal.SIGSTOP, signal.SIGCONT):
        for pid in before:
            os.kill(pid, signalled)
    eventually(lambda: seen(port, WORKERS))
    assert {answered_by(port) for _ in range(60)} - {None} == before


def test_all_processes_learn_who_has_come_to_one_of_them(port):
    eventually(lambda: seen(port, WORKERS))
    assert asked(port, "POST", "/alice")[1] == 0

    def who_knows_of_others_than(caller):
        asked(port, "POST", "/alice")  # a caller counts for two seconds
        return {pid for pid, knows in filter(None, (asked(port, "GET", caller) for _ in range(20))) if knows}

    eventually(lambda: len(who_knows_of_others_than("/bob")) == WORKERS)
    assert who_knows_of_others_than("/alice") == set()


def test_the_processes_of_a_killed_server_end_where_no_supervisor_starts_it_again(server):
    process, port = server
    eventually(lambda: seen(port, WORKERS))
    workers = {answered_by(port) for _ in range(60)} - {None}

    process.kill()

    eventually(lambda: all(map(is_gone, workers)))
