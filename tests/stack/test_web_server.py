"""The web server: no client holds a thread by sending slowly, by sending half, or by not reading."""

import http.client
import socket
import subprocess
import time
from contextlib import ExitStack, suppress

import pytest

from memory_project.stack.application import web_command
from memory_project.stack.processes import free_port
from memory_project.web import request_bodies
from tests.stack.echo import PIECES
from tests.stack.running import ROOT, eventually

HOST = "127.0.0.1"
#: What the server is given at most to answer somebody else, in seconds, on a machine that is busy.
SOON = 5.0

#: How long this server waits for a body (`hurried_echo`), and for the head of a request, in seconds.
PATIENCE, HEAD_PATIENCE = 4.0, 5

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def server():
    """The port of the server that `make up` starts, with one worker of two threads, in front of `echo`."""
    port = free_port()
    command = [*web_command(HOST, port)]
    command[command.index("memory_project.asgi:application")] = "tests.stack.hurried_echo:application"
    command[command.index("--workers") + 1] = "1"
    command[command.index("--http1-header-read-timeout") + 1] = f"{HEAD_PATIENCE}000"
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        eventually(lambda: answers(port), 60)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def answers(port):
    with suppress(OSError):
        return get(port).startswith("0 0 False")
    return False


def get(port, path="/", timeout=SOON):
    """What another client is answered meanwhile."""
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def post(port, body, path="/", **headers):
    connection = http.client.HTTPConnection(HOST, port, timeout=30)
    try:
        sent = {"Authorization": "Bearer x", **headers}
        connection.request("POST", path, body, sent, encode_chunked="Transfer-Encoding" in headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def opened(port, said=b""):
    connection = socket.create_connection((HOST, port), timeout=30)
    connection.sendall(said)
    return connection


def head(length, path="/", method="POST"):
    lines = [f"{method} {path} HTTP/1.1", "Host: x", "Authorization: Bearer x", f"Content-Length: {length}"]
    return "\r\n".join([*lines, "", ""]).encode()


def answer_on(connection):
    """The status and what follows, up to the end of the connection."""
    said = b""
    while piece := connection.recv(65_536):
        said += piece
    return int(said.split()[1]), said


# -- Bodies


def chunks(*pieces):
    yield from pieces


@pytest.mark.parametrize("size", [0, 1, 70_000, 1_500_000])
def test_a_chunked_body_is_read_to_its_end(server, size):
    pieces = chunks(*([b"x" * (size // 2), b"x" * (size - size // 2)] if size else []))
    status, said = post(server, pieces, **{"Transfer-Encoding": "chunked"})
    assert (status, said.split()[:3]) == (200, [str(size), str(size), "False"])


@pytest.mark.parametrize("size", [0, 1, 70_000, 1_500_000])
def test_a_body_of_a_given_length_is_read_to_its_end(server, size):
    status, said = post(server, b"x" * size)
    assert (status, said.split()[:2]) == (200, [str(size), str(size)])


@pytest.mark.parametrize("is_chunked", [False, True])
@pytest.mark.parametrize(
    ("path", "headers", "limit"),
    [
        ("/", {}, 2_000_000),
        ("/login", {}, request_bodies.SMALL),
        ("/%6Cogin", {}, request_bodies.SMALL),
        ("/", {"Authorization": None}, request_bodies.SMALL),
        ("/", {"Authorization": None, "Cookie": "a=b; sessionid=c"}, 2_000_000),
        ("/login", {"Authorization": None, "Cookie": "sessionid=c"}, request_bodies.SMALL),
    ],
)
def test_the_limit_holds_for_both(server, path, headers, limit, is_chunked):
    headers = {"Authorization": "Bearer x", **headers}
    for size, expected in ((limit, 200), (limit + 1, 413)):
        with opened(server) as connection:
            lines = [f"POST {path} HTTP/1.1", "Host: x", *(f"{k}: {v}" for k, v in headers.items() if v)]
            lines += ["Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {size}", "Connection: close"]
            body = b"x" * size
            with suppress(OSError):  # it may answer, and close, before everything is sent
                connection.sendall("\r\n".join([*lines, "", ""]).encode())
                connection.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (size, body) if is_chunked else body)
            status, said = answer_on(connection)
            assert status == expected
            if expected == 413:
                assert b"urn:suture:problem:body-too-large" in said


def test_the_environment_is_as_wsgi_has_it(server):
    with opened(server) as connection:
        connection.sendall(
            b"GET /a%2Fb%20%C3%A9%FF?q=%20x HTTP/1.1\r\nHost: x\r\nX_Real_Ip: forged\r\nX-Real-Ip: true\r\n"
            b"Connection: close\r\n\r\n"
        )
        _, said = answer_on(connection)
    assert said.endswith(rb"0 0 False b'/a/b \xc3\xa9\xff' q=%20x true")


# -- Clients that hold nothing


def test_twelve_half_sent_bodies_and_two_hundred_slow_ones_hold_no_thread(server):
    with ExitStack() as stack:
        half = [stack.enter_context(opened(server, head(1_000) + b"half")) for _ in range(12)]
        slow = [stack.enter_context(opened(server, head(100_000))) for _ in range(200)]
        half_chunk = stack.enter_context(
            opened(server, b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal")
        )
        started = time.monotonic()
        while time.monotonic() - started < PATIENCE - 2:
            for connection in slow:
                connection.sendall(b"x")
            before = time.monotonic()
            assert get(server).startswith("0 0")
            assert post(server, b"y" * 1_000)[0] == 200
            assert time.monotonic() - before < SOON
            time.sleep(0.5)
        for connection in (*half, half_chunk):
            status, said = answer_on(connection)
            assert (status, b"urn:suture:problem:body-too-slow" in said) == (408, True)
        assert time.monotonic() - started < PATIENCE + 10
        for connection in slow:
            assert answer_on(connection)[0] == 408
    assert get(server).startswith("0 0")


def test_a_body_that_goes_on_arriving_may_take_longer(server):
    """Long, but not too slow: so many bytes buy another second."""
    step, seconds = request_bodies.BYTES_PER_SECOND * 2, int(PATIENCE) + 3
    with opened(server, head(step * seconds)) as connection:
        for _ in range(seconds):
            connection.sendall(b"x" * step)
            time.sleep(1)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_connections_without_a_request_and_with_half_a_head_hold_no_thread_and_end(server):
    with ExitStack() as stack:
        idle = [stack.enter_context(opened(server)) for _ in range(100)]
        half = [stack.enter_context(opened(server, b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")) for _ in range(100)]
        kept = stack.enter_context(opened(server, head(0, method="GET")))
        assert kept.recv(65_536).startswith(b"HTTP/1.1 200")
        assert get(server).startswith("0 0")
        for connection in (*idle, *half, kept):
            connection.settimeout(40)
            assert connection.recv(65_536)[:20] in (b"", b"HTTP/1.1 408 Request")


def test_requests_in_a_row_on_one_connection_are_answered_in_order(server):
    with opened(server) as connection:
        connection.sendall(head(0, "/slow", "GET") + head(3) + b"abc" + head(0, "/last", "GET"))
        said = b""
        while b"/last" not in said:
            said += connection.recv(65_536)
    assert said.index(b"'/slow'") < said.index(b"3 3 False") < said.index(b"'/last'")


def test_readers_who_do_not_read_hold_no_thread(server):
    """More of them than there are threads, each with an answer that no buffer of the system takes whole."""
    with ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(opened(server, head(0, "/many", "GET"))).recv(1)
        for _ in range(3):
            assert get(server, timeout=30).startswith("0 0")


def test_a_streamed_answer_arrives_whole(server):
    assert len(get(server, "/many", timeout=60)) == PIECES * 65_536


def test_an_answer_that_fails_is_seen_to_have_failed(server):
    """It is cut off or, where nothing of it was sent yet, it is a 500."""
    connection = http.client.HTTPConnection(HOST, server, timeout=30)
    try:
        connection.request("GET", "/failing")
        try:
            response = connection.getresponse()
            response.read()
            assert response.status == 500
        except (http.client.IncompleteRead, ConnectionError):
            pass
    finally:
        connection.close()
    assert get(server).startswith("0 0")


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", id="half a head"),
        pytest.param(head(1_000) + b"half", id="half a body with a key"),
        pytest.param(
            head(1_000).replace(b"Authorization: Bearer x\r\n", b"") + b"half", id="half a body without a key"
        ),
        pytest.param(head(0, "/many", "GET"), id="readers who do not read"),
    ],
)
def test_four_hundred_of_them_leave_others_served(server, said):
    with ExitStack() as stack:
        # the answer of a reader takes 32 MB of disk until it is read
        number = 400 if b"/many" not in said else 40
        for _ in range(number):
            stack.enter_context(opened(server, said))
        for _ in range(5):
            assert get(server, timeout=60).startswith("0 0")
