"""A whole stack, as `make up` starts it, in a home and on a port of its own."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import psutil
import psycopg

from memory_project.environment import BASE_DIR
from memory_project.stack.processes import die_with_parent

STACK = (sys.executable, "-m", "memory_project.stack")
MANAGE = (sys.executable, str(BASE_DIR / "manage.py"))
_OF_ANOTHER_STACK = ("SUTURE_", "DATABASE_", "REDIS_URL", "HOST", "PORT", "DJANGO_")
START_SECONDS, STOP_SECONDS = 300.0, 120.0


class NotStarted(Exception):  # noqa: N818 (an answer, not an error)
    """The stack did not start; its output is the message."""


class Stack:
    """One stack, and its processes by what they do. `variables` are added to its environment."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="suture-bench-")) / "home"
        self.home.parent.chmod(0o755)  # for the servers' own user
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OF_ANOTHER_STACK)}
        self.environment = {**inherited, **variables, "SUTURE_HOME": str(self.home), "PORT": str(self.port)}
        self._output = self.home.parent / "up.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._keys: dict[str, str] = {}

    def start(self) -> None:
        """Start it, and wait until it is ready. Raises NotStarted."""
        with self._output.open("ab") as output:
            before = output.tell()
            self._process = subprocess.Popen(
                [*STACK, "up"],
                cwd=BASE_DIR,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent(signal.SIGTERM),
            )
        deadline = time.monotonic() + START_SECONDS
        while b"Suture is ready" not in self._output.read_bytes()[before:]:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise NotStarted(self._output.read_text()[before:])
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(STOP_SECONDS)
            self._process = None

    def kill(self) -> None:
        """Kill the supervisor, which stops nothing any more; the rest ends by itself."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(STOP_SECONDS)
            self._process = None

    @property
    def site(self) -> str:
        """The address of its web server."""
        return f"http://127.0.0.1:{self.port}"

    def has_ended(self) -> bool:
        """Whether it gave up."""
        return self._process is not None and self._process.poll() is not None

    def remove(self) -> None:
        """Delete all that it kept."""
        shutil.rmtree(self.home.parent, ignore_errors=True)

    def keys(self) -> dict[str, str]:
        """The keys of the first tenant's agents, by their names. First called before one was used, since another start
        forgets those that were."""
        if not self._keys:
            found = json.loads((self.home / "secrets" / "first_credentials.json").read_text())
            self._keys = {
                one["name"]: one["secret"] for one in found if (one["kind"], one["label"]) == ("agent", "key")
            }
        return self._keys

    def url(self, variable: str) -> str:
        """The URL of a server, as the stack publishes it."""
        restricted = self.home / "secrets" / variable
        if restricted.exists():
            return restricted.read_text()
        return str(json.loads((self.home / "stack.json").read_text())[variable])

    def connect(self, variable: str = "DATABASE_OWNER_URL") -> "psycopg.Connection[tuple[object, ...]]":
        """A connection to the database."""
        return psycopg.connect(self.url(variable), autocommit=True)

    def manage(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of manage.py in this stack."""
        return subprocess.run(
            [*MANAGE, *arguments],
            cwd=BASE_DIR,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    # -- its processes

    def processes(self) -> list[psutil.Process]:
        """All of them, the supervisor first; none before it was started."""
        if self._process is None:
            return []
        supervisor = psutil.Process(self._process.pid)
        return [supervisor, *supervisor.children(recursive=True)]

    def process(self, name: str) -> psutil.Process:
        """The main process of web, worker or beat. Raises LookupError if it does not run."""
        for child in self._children():
            with contextlib.suppress(psutil.Error):
                if child.environ().get("SUTURE_PROCESS") == name:
                    return child
        raise LookupError(f"{name} does not run")

    def web_workers(self) -> list[psutil.Process]:
        """The processes of the web server that answer requests."""
        return [
            child for child in self.process("web").children() if "resource_tracker" not in " ".join(child.cmdline())
        ]

    def server(self, name: str) -> psutil.Process:
        """The main process of `postgres` or `valkey-server`. Raises LookupError."""
        for child in self._children():
            with contextlib.suppress(psutil.Error):
                if child.name() == name:
                    return child
        raise LookupError(f"{name} does not run")

    def is_whole(self) -> bool:
        """Whether all of its processes run."""
        try:
            for name in ("web", "worker", "beat"):
                self.process(name)
            for name in ("postgres", "valkey-server"):
                self.server(name)
        except (LookupError, psutil.Error):
            return False
        return True

    def _children(self) -> list[psutil.Process]:
        if self._process is None:
            return []
        found: list[psutil.Process] = psutil.Process(self._process.pid).children()
        return found

    def variables_of(self, name: str) -> Mapping[str, str]:
        """The environment of web, worker or beat."""
        found: Mapping[str, str] = self.process(name).environ()
        return found
