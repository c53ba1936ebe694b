"""Checks that a fault was in effect: one that breaks nothing proves nothing."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import psutil

from bench.faults.clients import Answer

#: Maximum seconds until a killed process has exited.
_END_SECONDS = 60.0


class NoEffect(Exception):  # noqa: N818 (an answer, not an error)
    """The fault had no effect; the message has the details."""


class Log:
    """The lines that PostgreSQL has logged since this was created."""

    def __init__(self, home: Path) -> None:
        self._path = home / "log" / "postgres.log"
        self._begin = self._path.stat().st_size

    def count(self, pattern: str) -> int:
        """The number of lines that match a pattern."""
        with self._path.open("rb") as log:
            log.seek(self._begin)
            lines = log.read().decode(errors="replace").splitlines()
        return sum(re.search(pattern, line) is not None for line in lines)


def require_ended(processes: Iterable[psutil.Process]) -> None:
    """Raise NoEffect if one of them still runs after a while."""
    _, alive = psutil.wait_procs([one for one in processes if not _is_zombie(one)], _END_SECONDS)
    if left := [one for one in alive if not _is_zombie(one)]:
        raise NoEffect(f"{left[0]} still runs")


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def require_stopped(processes: Iterable[psutil.Process]) -> None:
    """Raise NoEffect if one of them is not frozen."""
    for process in processes:
        try:
            if process.status() != psutil.STATUS_STOPPED:
                raise NoEffect(f"{process} is not frozen")
        except psutil.NoSuchProcess:
            raise NoEffect(f"{process} has exited") from None


def refused(answers: Sequence[Answer], begin: float, end: float) -> int:
    """The number of failed requests in that time."""
    return sum(begin <= answer.at <= end and not answer.is_done for answer in answers)
