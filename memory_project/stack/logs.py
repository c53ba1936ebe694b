"""Where the lines of web, worker and beat go: to files, and to the terminal what an operator has to know.

The terminal shows each error in one line, and, where it is one, a line of status that is drawn anew.
"""

import json
import os
import sys
import time
from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from memory_project.stack.processes import say

#: Bytes of one log file, and how many full ones are kept beside it.
FILE_SIZE = 10 * 1024 * 1024
KEPT = 3
#: Lines that are shown of a process that ended.
TAIL = 15
#: Seconds between two lines about errors of one process: a database that is down makes one a request.
ERROR_EVERY = 10.0
STATUS_EVERY = 2.0

_ERRORS = {"ERROR", "CRITICAL"}


class Logs(Protocol):
    """Takes the lines of the processes."""

    def write(self, name: str, line: str) -> None:
        """Take one line of a process."""

    def tell(self, name: str, line: str) -> None:
        """Take a line of the supervisor's about a process, which an operator has to know."""

    def count_restart(self) -> None:
        """Count something that was started again."""

    def tail(self, name: str) -> str:
        """The last lines of a process, to be shown when it has ended; empty if they were shown already."""

    def tick(self) -> None:
        """Called several times a second while everything runs."""

    def clear(self) -> None:
        """Called before somebody else writes to the terminal."""


class TerminalLogs:
    """Every line to the terminal, after the name of its process."""

    def write(self, name: str, line: str) -> None:
        say(f"{name:<6} | {line}")

    def tell(self, name: str, line: str) -> None:
        self.write("stack", line)

    def count_restart(self) -> None:
        """Nothing: the lines themselves are the status."""

    def tail(self, name: str) -> str:
        return ""

    def tick(self) -> None:
        """Nothing: the lines themselves are the status."""

    def clear(self) -> None:
        """Nothing: no line of status is drawn."""


class FileLogs:
    """A file for each process in `directory`, which only its owner reads: `web.log`, and full ones as `web.log.1`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._sizes: dict[str, int] = {}
        self._last: dict[str, deque[str]] = {}
        self._lost: dict[str, int] = {}
        self._told: dict[str, float] = {}
        self._untold: dict[str, int] = {}
        self._requests = self._errors = self._restarts = 0
        self._started = self._drawn = time.monotonic()
        self._is_drawn = False

    def write(self, name: str, line: str) -> None:
        """Add a line. On a full disk it is lost, and counted: what runs must not end because of its log."""
        try:
            if lost := self._lost.get(name, 0):
                self._append(name, f"{lost} lines before this one could not be written")
                del self._lost[name]
            self._append(name, line)
        except OSError:
            self._lost[name] = self._lost.get(name, 0) + 1
        self._last.setdefault(name, deque(maxlen=TAIL)).append(line)
        self._notice(name, line)

    def _append(self, name: str, line: str) -> None:
        path = self.directory / f"{name}.log"
        data = f"{line}\n".encode()
        size = self._sizes.get(name)
        if size is None:
            size = path.stat().st_size if path.exists() else 0
        if size + len(data) > FILE_SIZE and size:
            self._turn(path)
            size = 0
        with open(path, "ab", opener=_private) as file:
            file.write(data)
        self._sizes[name] = size + len(data)

    def tell(self, name: str, line: str) -> None:
        at = datetime.now(UTC).isoformat()
        fields = {"level": "WARNING", "logger": "suture.stack", "message": line, "process": name, "timestamp": at}
        self.write("stack", json.dumps(fields))
        self.clear()
        say(line)

    def count_restart(self) -> None:
        self._restarts += 1

    def tail(self, name: str) -> str:
        lines = self._last.get(name)
        return f"The last lines of {self.directory / f'{name}.log'}:\n" + "\n".join(lines) if lines else ""

    def tick(self) -> None:
        """Draw the line of status anew, on a terminal only: a file of this output would get a line every time."""
        now = time.monotonic()
        if now - self._drawn < STATUS_EVERY or not sys.stdout.isatty():
            return
        self._drawn, self._is_drawn = now, True
        minutes, seconds = divmod(int(now - self._started), 60)
        counts = f"{self._requests:,} requests, {self._errors:,} errors, {self._restarts:,} restarts"
        print(f"\r\x1b[KRunning for {minutes} min {seconds:02} s: {counts}. Ctrl-C stops it.", end="", flush=True)

    def clear(self) -> None:
        """Delete the line of status, until it is drawn anew."""
        if self._is_drawn:
            print("\r\x1b[K", end="", flush=True)
        self._is_drawn = False

    def _notice(self, name: str, line: str) -> None:
        """Count a request, show an error."""
        fields = _fields_of(line)
        self._requests += fields.get("logger") == "suture.request"
        if fields.get("level") not in _ERRORS:
            return
        self._errors += 1
        now = time.monotonic()
        if now - self._told.get(name, -ERROR_EVERY) < ERROR_EVERY:
            self._untold[name] = self._untold.get(name, 0) + 1
            return
        self._told[name], more = now, self._untold.pop(name, 0)
        self.clear()
        others = f" ({more} more since the last of these lines)" if more else ""
        say(f"{name}: error: {_summary(fields)}{others}; see {self.directory / f'{name}.log'}")

    def _turn(self, path: Path) -> None:
        """Rename the full file, and the full ones before it; the oldest goes."""
        for number in range(KEPT - 1, 0, -1):
            older = path.with_name(f"{path.name}.{number}")
            if older.exists():
                older.replace(path.with_name(f"{path.name}.{number + 1}"))
        path.replace(path.with_name(f"{path.name}.1"))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _fields_of(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _summary(fields: dict[str, Any]) -> str:
    """An error in one line: its message and, of a request, the route and the id to look for."""
    route = f" {fields['method']} {fields['route']} {fields['status']}" if "route" in fields else ""
    request = f" (request {fields['request_id']})" if fields.get("request_id") else ""
    return f"{fields.get('message', '')}{route}{request}"
