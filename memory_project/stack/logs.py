"""The logs of web, worker, beat and watcher: files to which they write by themselves.

The supervisor looks at what they wrote, turns full files, and shows on the terminal what an operator has to know: each
error in one line, and, where it is a terminal, a line of status that is drawn anew.
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

#: Bytes of one log file, and how many full ones are kept beside it.
FILE_SIZE = 10 * 1024 * 1024
KEPT = 3
#: Lines that are shown of a process that ended.
TAIL = 15
#: Seconds between two lines about errors of one process: a database that is down makes one a request.
ERROR_EVERY = 10.0
STATUS_EVERY = 2.0

_ERRORS = {"ERROR", "CRITICAL"}


class _File:
    """A log file, read from where it ends now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.last: deque[str] = deque(maxlen=TAIL)
        self.told, self.untold = -ERROR_EVERY, 0
        with self.open() as file:
            self._read = file.tell()

    def open(self) -> BinaryIO:
        """For a process that adds to it; only its owner reads it."""
        return open(self.path, "ab", opener=lambda path, flags: os.open(path, flags, 0o600))

    def new_lines(self) -> Iterator[str]:
        """The whole lines that were added since the last call; none of a file that somebody has taken away."""
        whole = end = b""
        with suppress(FileNotFoundError), self.path.open("rb") as file:
            if self._read > file.seek(0, os.SEEK_END):  # somebody has emptied it
                self._read = 0
            file.seek(self._read)
            whole, end, _ = file.read().rpartition(b"\n")
        self._read += len(whole) + len(end)
        for line in whole.decode(errors="replace").split("\n"):
            if line.strip():
                self.last.append(line)
                yield line

    def turn_if_full(self) -> None:
        """Copy a full file beside, before the full ones before it, of which the oldest goes, and empty it: its writers
        hold it open. What they write in between, some milliseconds, is lost."""
        if self.path.stat().st_size < FILE_SIZE:
            return
        copy = self.path.with_name(f"{self.path.name}.0")
        shutil.copy(self.path, copy)
        os.truncate(self.path, 0)
        self._read = 0
        for number in range(KEPT, 0, -1):
            newer = self.path.with_name(f"{self.path.name}.{number - 1}")
            if newer.exists():
                newer.replace(self.path.with_name(f"{self.path.name}.{number}"))


class Logs:
    """The files in `directory`, `web.log` and the like. `to_terminal`: the terminal shows every line of them."""

    def __init__(self, directory: Path, *, to_terminal: bool = False) -> None:
        self._directory = directory
        self._to_terminal = to_terminal
        self._files: dict[str, _File] = {}
        self._requests = self._errors = self._restarts = 0
        self._started = self._drawn = time.monotonic()
        self._is_drawn = False

    def open(self, name: str) -> BinaryIO:
        """The file to which the process of that name writes."""
        if name not in self._files:
            self._files[name] = _File(self._directory / f"{name}.log")
        return self._files[name].open()

    def look(self) -> list[tuple[str, str]]:
        """What the processes have written since the last look, line by line with their names. Turns full files."""
        found = []
        for name, file in self._files.items():
            for line in file.new_lines():
                found.append((name, line))
                self._notice(name, file, line)
            with suppress(OSError):  # the disk is full: another time
                file.turn_if_full()
        self._draw()
        return found

    def tell(self, name: str, line: str) -> None:
        """Note and show a line of the supervisor's about a process, which an operator has to know."""
        self.clear()
        say(f"stack  | {line}" if self._to_terminal else line)
        at = datetime.now(UTC).isoformat()
        fields = {"level": "WARNING", "logger": "suture.stack", "message": line, "process": name, "timestamp": at}
        with suppress(OSError):  # the disk is full
            own = _File(self._directory / "stack.log")
            with own.open() as file:
                file.write(f"{json.dumps(fields)}\n".encode())
            own.turn_if_full()

    def count_restart(self) -> None:
        """Count something that was started again."""
        self._restarts += 1

    def tail(self, name: str) -> str:
        """The last lines of a process, to be shown when it has ended; empty if they were shown already."""
        file = self._files.get(name)
        if self._to_terminal or file is None or not file.last:
            return ""
        return f"The last lines of {file.path}:\n" + "\n".join(file.last)

    def clear(self) -> None:
        """Delete the line of status, until it is drawn anew: before somebody else writes to the terminal."""
        if self._is_drawn:
            print("\r\x1b[K", end="", flush=True)
        self._is_drawn = False

    def _draw(self) -> None:
        """Draw the line of status anew, on a terminal only: a file of this output would get a line every time."""
        now = time.monotonic()
        if self._to_terminal or now - self._drawn < STATUS_EVERY or not sys.stdout.isatty():
            return
        self._drawn, self._is_drawn = now, True
        minutes, seconds = divmod(int(now - self._started), 60)
        counts = f"{self._requests:,} requests, {self._errors:,} errors, {self._restarts:,} restarts"
        print(f"\r\x1b[KRunning for {minutes} min {seconds:02} s: {counts}. Ctrl-C stops it.", end="", flush=True)

    def _notice(self, name: str, file: _File, line: str) -> None:
        """Count a request, show an error."""
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
        others = f" ({file.untold} more since the last of these lines)" if file.untold else ""
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
    """An error in one line: its message and, of a request, the route and the id to look for."""
    route = f" {fields['method']} {fields['route']} {fields['status']}" if "route" in fields else ""
    request = f" (request {fields['request_id']})" if fields.get("request_id") else ""
    return f"{fields.get('message', '')}{route}{request}"
