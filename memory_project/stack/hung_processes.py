"""Detects frozen web processes (memory_project/web/heartbeat.py)."""

import time
from pathlib import Path

#: Seconds between two checks, and the number of checks without a new heartbeat after which a process counts as frozen.
#: Checks are counted, not seconds: after a machine was suspended, no process is killed for it.
PERIOD, MAX_LOOKS = 1.0, 6


class HungProcesses:
    """Checks the heartbeat files in `directory`, which running processes touch."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._due = 0.0
        self._last: dict[int, tuple[int, int]] = {}

    def find(self, parent: int) -> list[int]:
        """The frozen child processes of `parent`, each reported once. May be called at any time; checks once per
        PERIOD."""
        if time.monotonic() < self._due:
            return []
        self._due = time.monotonic() + PERIOD
        seen = {}
        for file in self._directory.glob("[0-9]*"):
            pid = int(file.name)
            if _parent_of(pid) != parent:  # it has exited, and its id may be reused
                file.unlink(missing_ok=True)
                continue
            touched = file.stat().st_mtime_ns
            before, looks = self._last.get(pid, (0, 0))
            seen[pid] = touched, looks + 1 if touched == before else 0
        self._last = seen
        return [pid for pid, (_, looks) in seen.items() if looks == MAX_LOOKS]


def _parent_of(pid: int) -> int:
    """The parent of process `pid`; 0 if unknown."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
