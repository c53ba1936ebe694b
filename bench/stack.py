"""A whole stack, as `make up` starts it, with its own home and port."""

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
from typing import Any

import psutil
import psycopg

from memory_project.environment import BASE_DIR, SERVER_VARIABLES
from memory_project.stack.processes import die_with_parent

STACK = (sys.executable, "-m", "memory_project.stack")
MANAGE = (sys.executable, str(BASE_DIR / "manage.py"))
_OF_ANOTHER_STACK = ("SUTURE_", "DATABASE_", "REDIS_URL", "HOST", "PORT", "DJANGO_")
START_SECONDS, STOP_SECONDS = 300.0, 120.0
#: Rate limits are checked, but too high for any machine to reach.
UNLIMITED = {"RATE_LIMIT_KEY": "1000000/second", "RATE_LIMIT_ADDRESS": "1000000/second"}


class NotStarted(Exception):  # noqa: N818 (an answer, not an error)
    """The stack did not start; its output is the message."""


class Stack:
    """A stack and its processes. `variables` are added to its environment. Its data is in `place`, or in a new
    directory."""

    def __init__(self, variables: Mapping[str, str], place: Path | None = None) -> None:
        self.place = (place or Path(tempfile.mkdtemp(prefix="suture-bench-"))).resolve()
        self.place.mkdir(exist_ok=True)
        self.place.chmod(0o755)  # for the servers' own user
        self.home = self.place / "home"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OF_ANOTHER_STACK)}
        self.environment = {**inherited, **variables, "SUTURE_HOME": str(self.home), "PORT": str(self.port)}
        self._output = self.place / "up.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._keys: dict[str, str] = {}

    def start(self, *parts: str) -> None:
        """Start it, or only some of web, worker and beat, and wait until it is ready. Raises NotStarted."""
        with self._output.open("ab") as output:
            before = output.tell()
            self._process = subprocess.Popen(
                [*STACK, "up", *(("--only", *parts) if parts else ())],
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
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Kill the supervisor, so that it stops nothing; the other processes exit by themselves."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(STOP_SECONDS)
            self._process = None

    def has_ended(self) -> bool:
        """Whether the supervisor has exited."""
        return self._process is not None and self._process.poll() is not None

    def remove(self) -> None:
        """Delete all its data."""
        shutil.rmtree(self.place, ignore_errors=True)

    def keys(self) -> dict[str, str]:
        """The keys of the first tenant's agents, by name. First called before one was used, since a restart removes
        used ones."""
        if not self._keys:
            found = json.loads((self.home / "secrets" / "first_credentials.json").read_text())
            self._keys = {
                one["name"]: one["secret"] for one in found if (one["kind"], one["label"]) == ("agent", "key")
            }
        return self._keys

    def url(self, variable: str) -> str:
        """The URL of a server, as published by the stack."""
        restricted = self.home / "secrets" / variable
        if restricted.exists():
            return restricted.read_text()
        return str(json.loads((self.home / "stack.json").read_text())[variable])

    def connect(self, variable: str = "DATABASE_OWNER_URL") -> "psycopg.Connection[tuple[Any, ...]]":
        """A connection to the database."""
        return psycopg.connect(self.url(variable), autocommit=True)

    def manage(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of manage.py in this stack."""
        return subprocess.run(
            [*MANAGE, *arguments], cwd=BASE_DIR, env=self.environment, capture_output=True, text=True, check=False
        )

    def told(self, *arguments: str) -> str:
        """The output of a command of manage.py. Raises SystemExit with its message if it fails."""
        done = self.manage(*arguments)
        if done.returncode:
            raise SystemExit(f"manage.py {arguments[0]}: {done.stderr[-2000:]}")
        return done.stdout

    def provision(self, slug: str, *arguments: str) -> dict[str, str]:
        """Create a tenant; returns the keys of its agents and people, by name."""
        made = json.loads(self.told("provision", slug, *arguments, "--json"))
        return {name: one["key"] for kind in ("agents", "users") for name, one in made[kind].items()}

    def unverified(self) -> list[str]:
        """The failed verifications: half a change, or a ledger with a gap."""
        done = {command: self.manage(command) for command in ("verify_effective", "verify_chain")}
        return [
            f"{command} found a fault: {(one.stdout + one.stderr)[-1500:]}"
            for command, one in done.items()
            if one.returncode
        ]

    def set_up_django(self) -> None:
        """Let this process use the product's modules with the stack's servers. Call it once, before they are
        imported."""
        import django

        os.environ |= {variable: self.url(variable) for variable in SERVER_VARIABLES}
        os.environ["DJANGO_SETTINGS_MODULE"] = "memory_project.settings"
        django.setup()

    # -- its processes

    def processes(self) -> list[psutil.Process]:
        """All processes, the supervisor first; none before the start."""
        if self._process is None:
            return []
        supervisor = psutil.Process(self._process.pid)
        return [supervisor, *supervisor.children(recursive=True)]

    def process(self, name: str) -> psutil.Process:
        """The main process of web, worker, beat, postgres or valkey-server. Raises LookupError if it does not run."""
        for child in psutil.Process(self._process.pid).children() if self._process else ():
            with contextlib.suppress(psutil.Error):
                if name in (child.name(), child.environ().get("SUTURE_PROCESS")):
                    return child
        raise LookupError(f"{name} does not run")

    def web_workers(self) -> list[psutil.Process]:
        """The processes of the web server that answer requests."""
        return [
            child for child in self.process("web").children() if "resource_tracker" not in " ".join(child.cmdline())
        ]

    def is_whole(self) -> bool:
        """Whether all of its processes run."""
        try:
            for name in ("web", "worker", "beat", "postgres", "valkey-server"):
                self.process(name)
        except (LookupError, psutil.Error):
            return False
        return True
