"""Web servers in front of the product, each started as an operator would, on a free loopback port."""

import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

START_SECONDS = 180.0
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class WebServer:
    """A server by its name; `command` has places for the port, `variables` are its own."""

    name: str
    command: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)


def _installed(module: str) -> bool:
    return find_spec(module) is not None


def default() -> WebServer:
    """What `make up` starts."""
    from memory_project.stack import application

    command = application.web_command("127.0.0.1", 0)
    place = command.index("--port") + 1
    return WebServer("as make up", (*command[:place], "{port}", *command[place + 1 :]), application.LITTLE_KEPT)


def to_compare() -> list[WebServer]:
    """The default, with other numbers of workers and threads, and the other servers that are installed."""
    made_up = default()
    servers = [
        WebServer(
            f"granian, {workers} x {threads} threads",
            made_up.command,
            {**made_up.variables, "WEB_WORKERS": str(workers), "WEB_THREADS": str(threads)},
        )
        for workers, threads in ((1, 4), (2, 2), (2, 4), (4, 2), (4, 4))
    ]
    if _installed("gunicorn"):
        gunicorn = (sys.executable, "-m", "gunicorn", "--bind", "127.0.0.1:{port}", "--log-level", "warning")
        servers += [
            WebServer(
                f"gunicorn gthread, {workers} x {threads} threads",
                (
                    *gunicorn,
                    *("-k", "gthread", "--workers", str(workers), "--threads", str(threads)),
                    "memory_project.wsgi:application",
                ),
            )
            for workers, threads in ((2, 2), (2, 4))
        ]
        servers.append(
            WebServer("gunicorn sync, 4 workers", (*gunicorn, "--workers", "4", "memory_project.wsgi:application"))
        )
    if _installed("uvicorn"):
        uvicorn = (sys.executable, "-m", "uvicorn", "--port", "{port}", "--log-level", "warning", "--workers", "2")
        servers.append(WebServer("uvicorn (asgi), 2 workers", (*uvicorn, "memory_project.asgi:application")))
    return servers


@contextmanager
def running(server: WebServer, variables: Mapping[str, str]) -> Iterator[int]:
    """As `started`; the block gets the port alone."""
    with started(server, variables) as (port, _):
        yield port


@contextmanager
def started(server: WebServer, variables: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """Start `server` with `variables` added to the environment; the block gets its port, and the id of its process,
    which is that of the session of all its processes.

    Raises SystemExit with the end of its output when it does not answer.
    """
    from memory_project.stack.processes import die_with_parent, free_port

    port = free_port()
    place = Path(tempfile.mkdtemp(prefix="suture-bench-"))
    (place / "metrics").mkdir()
    command = _with_numbers(server, port)
    log = place / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **variables, **server.variables, "PROMETHEUS_MULTIPROC_DIR": str(place / "metrics")},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGTERM),
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{server.name} did not start: {log.read_text()[-2000:]}")
            time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(place, ignore_errors=True)


def _with_numbers(server: WebServer, port: int) -> list[str]:
    command = [part.format(port=port) for part in server.command]
    if "WEB_WORKERS" in server.variables:
        command[command.index("--workers") + 1] = server.variables["WEB_WORKERS"]
    return command


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
