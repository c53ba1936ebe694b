"""The workers of a killed child serve until its successor serves.

The web server's processes go on listening on the port when their main process is killed, and those of the next one
listen on the same port beside them. So nobody waits while the next ones load their models.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable

#: Seconds between the moment in which the successor serves and the end of those it succeeds. It says that it serves
#: just before it listens.
BESIDE_SECONDS = 1.0
#: Seconds that they may take to finish what they have begun.
FINISHING_SECONDS = 20.0


class Handover:
    """The groups of processes that ended children have left. `serves` says whether the successor with that process id
    does their work."""

    def __init__(self, serves: Callable[[int], bool]) -> None:
        self._serves = serves
        self._groups: dict[int, float | None] = {}
        self._since: float | None = None

    def keep(self, ended: "subprocess.Popen[bytes]") -> None:
        """Leave the processes running whose main process has ended."""
        self._groups[ended.pid] = None
        self._since = None

    def look(self, successor: int) -> None:
        """End what is kept as soon as the successor has served for BESIDE_SECONDS."""
        now = time.monotonic()
        self._groups = {group: told for group, told in self._groups.items() if _send(group, 0)}
        if not self._groups or not self._serves(successor):
            self._since = None
            return
        self._since = self._since or now
        if now - self._since < BESIDE_SECONDS:
            return
        for group, told in self._groups.items():
            if told is None:
                _send(group, signal.SIGTERM)
                self._groups[group] = now
            elif now - told > FINISHING_SECONDS:
                _send(group, signal.SIGKILL)

    def is_over(self) -> bool:
        """Whether none of them runs any more."""
        return not any(_send(group, 0) for group in self._groups)

    def terminate(self) -> None:
        """Tell all of them to end."""
        for group in self._groups:
            _send(group, signal.SIGTERM)

    def end(self) -> None:
        """Kill all of them."""
        for group in self._groups:
            _send(group, signal.SIGKILL)
        self._groups.clear()


def _send(group: int, signum: int) -> bool:
    """Whether the group still has processes, which then have the signal."""
    try:
        os.killpg(group, signum)
    except (ProcessLookupError, PermissionError):  # macOS answers EPERM for a group of zombies
        return False
    return True
