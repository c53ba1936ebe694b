"""The logs of web, worker, beat and watcher: files that these processes write directly.

The supervisor reads them, rotates full files, and shows on the terminal what an operator must know: each error in one
line and, on a terminal, a status line that is redrawn.
"""

import json
import os
import shutil
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from memory_project.stack.processes import say

#: Maximum bytes of a log file, and how many rotated files to keep.
FILE_SIZE = 10 * 1024 * 1024
KEPT_FILES = 3
#: Lines to show of a process that exited.
TAIL = 15
#: Minimum seconds between two lines about errors of one process: without a database, every request fails.
ERROR_EVERY = 10.0
STATUS_EVERY = 2.0

_ERRORS = {"ERROR", "CRITICAL"}


class _File:
    """A log file, read from its current end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.last: deque[str] = deque(maxlen=TAIL)
        self.told, self.untold = -ERROR_EVERY, 0
        with self.open() as file:
            self._read = file.tell()

    def open(self) -> BinaryIO:
        """Open the file for a process that appends to it; only its owner can read it."""
        return open(self.path, "ab", opener=lambda path, flags: os.open(path, flags, 0o600))

    def new_lines(self) -> Iterator[str]:
        """The complete lines added since the last call; none if the file was removed."""
        whole = end = b""
        with suppress(FileNotFoundError), self.path.open("rb") as file:
            if self._read > file.seek(0, os.SEEK_END):  # it was truncated
                self._read = 0
            file.seek(self._read)
            whole, end, _ = file.read().rpartition(b"\n")
        self._read += len(whole) + len(end)
        for line in whole.decode(errors="replace").split("\n"):
            if line.strip():
                self.last.append(line)
                yield line

    def rotate_if_full(self) -> None:
        """Rotate a full file by copying it and truncating the original, which its writers hold open. Lines that are
        written
        in between, some milliseconds, are lost."""
        if self.path.stat().st_size < FILE_SIZE:
            return
        copy = self.path.with_name(f"{self.path.name}.0")
        shutil.copy(self.path, copy)
        os.truncate(self.path, 0)
        self._read = 0
        for number in range(KEPT_FILES, 0, -1):
            newer = self.path.with_name(f"{self.path.name}.{number - 1}")
            if newer.exists():
                newer.replace(self.path.with_name(f"{self.path.name}.{number}"))


class Logs:
    """The log files in `directory`, such as `web.log`. `to_terminal` copies every line to the terminal."""

    def __init__(self, directory: Path, *, to_terminal: bool = False) -> None:
        self._directory = directory
        self._to_terminal = to_terminal
        self._files: dict[str, _File] = {}
        self._requests = self._errors = self._restarts = 0
        self._started = self._drawn = time.monotonic()
        self._is_drawn = False

    def open(self, name: str) -> BinaryIO:
        """Open the log file of the named process."""
        if name not in self._files:
            self._files[name] = _File(self._directory / f"{name}.log")
        return self._files[name].open()

    def look(self) -> list[tuple[str, str]]:
        """The lines that were written since the last call, with the names of their processes. Rotates full files."""
        found = []
        for name, file in self._files.items():
            for line in file.new_lines():
                found.append((name, line))
                self._notice(name, file, line)
            with suppress(OSError):  # the disk is full: retry later
                file.rotate_if_full()
        self._draw()
        return found

    def tell(self, name: str, line: str) -> None:
        """Log and show a line of the supervisor about a process that an operator must know."""
        self.clear()
        say(f"stack  | {line}" if self._to_terminal else line)
        at = datetime.now(UTC).isoformat()
        fields = {"level": "WARNING", "logger": "suture.stack", "message": line, "process": name, "timestamp": at}
        with suppress(OSError):  # the disk is full
            own = _File(self._directory / "stack.log")
            with own.open() as file:
                file.write(f"{json.dumps(fields)}\n".encode())
            own.rotate_if_full()

    def count_restart(self) -> None:
        """Count a restart."""
        self._restarts += 1

    def tail(self, name: str) -> str:
        """The last lines of a process that exited; empty if they were shown already."""
        file = self._files.get(name)
        if self._to_terminal or file is None or not file.last:
            return ""
        return f"The last lines of {file.path}:\n" + "\n".join(file.last)

    def clear(self) -> None:
        """Delete the status line until it is redrawn: before another process writes to the terminal."""
        if self._is_drawn:
            print("\r\x1b[K", end="", flush=True)
        self._is_drawn = False

    def _draw(self) -> None:
        """Redraw the status line, on a terminal only: a redirected output would get a line every time."""
        now = time.monotonic()
        if self._to_terminal or now - self._drawn < STATUS_EVERY or not sys.stdout.isatty():
            return
        self._drawn, self._is_drawn = now, True
        minutes, seconds = divmod(int(now - self._started), 60)
        counts = f"{self._requests:,} requests, {self._errors:,} errors, {self._restarts:,} restarts"
        print(f"\r\x1b[KRunning for {minutes} min {seconds:02} s: {counts}. Press Ctrl-C to stop.", end="", flush=True)

    def _notice(self, name: str, file: _File, line: str) -> None:
        """Count requests, show errors."""
        if self._to_terminal:
            say(f"{name:<6} | {line}")
            return
        fields = _fields_of(line)
        self._requests += fields.get("logger") == "suture.request"
        if fields.get("level") not in _ERRORS:
            return
        self._errors += 1
        now = time.monotonic()
        if now - file.told < ERROR_EVERY:
            file.untold += 1
            return
        others = f" ({file.untold} more since the previous one)" if file.untold else ""
        file.told, file.untold = now, 0
        self.clear()
        say(f"{name}: error: {_summary(fields)}{others}; see {file.path}")


def _fields_of(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _summary(fields: dict[str, Any]) -> str:
    """One line for an error: its message and, for a request, its route and id."""
    route = f" {fields['method']} {fields['route']} {fields['status']}" if "route" in fields else ""
    request = f" (request {fields['request_id']})" if fields.get("request_id") else ""
    return f"{fields.get('message', '')}{route}{request}"
