"""Finds processes of the web server that stand still (memory_project/web/heartbeat.py)."""

import time
from pathlib import Path

#: Seconds between two looks, and after how many that found nothing new a process stands still. Looks are counted, and
#: not seconds: a machine that slept kills nobody.
PERIOD, MOST_LOOKS = 1.0, 6


class Standstill:
    """Looks at the files in `directory`, which processes touch that go on."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._due = 0.0
        self._last: dict[int, tuple[int, int]] = {}

    def find(self, parent: int) -> list[int]:
        """The processes that `parent` started and that stand still, each once. May be called at any time; looks once
        in PERIOD."""
        if time.monotonic() < self._due:
            return []
        self._due = time.monotonic() + PERIOD
        seen = {}
        for file in self._directory.glob("[0-9]*"):
            pid = int(file.name)
            if _parent_of(pid) != parent:  # it has ended, and another may have its number
                file.unlink(missing_ok=True)
                continue
            touched = file.stat().st_mtime_ns
            before, looks = self._last.get(pid, (0, 0))
            seen[pid] = touched, looks + 1 if touched == before else 0
        self._last = seen
        return [pid for pid, (_, looks) in seen.items() if looks == MOST_LOOKS]


def _parent_of(pid: int) -> int:
    """The process that started `pid`; 0 where nothing says it."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
