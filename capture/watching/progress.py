"""How far the first look through a root is: a bar on a terminal, else a line now and then."""

import logging
import sys
import time
from typing import Protocol

from capture.watching.telling import logger

#: Seconds between two lines.
EVERY = 5.0


class Progress(Protocol):
    """Shows how many files of a root have been checked."""

    def update(self, name: str, done: int, total: int) -> None:
        """Say so, if it is time to."""

    def end(self, name: str) -> None:
        """All of the root has been looked at."""

    def close(self) -> None:
        """Nothing is looked at any more."""


class Lines:
    """Lines of the log, one every few seconds."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def update(self, name: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last.setdefault(name, now) >= EVERY:
            self._last[name] = now
            logger.info("%s: %s of %s files looked at", name, f"{done:,}", f"{total:,}")

    def end(self, name: str) -> None:
        self._last.pop(name, None)

    def close(self) -> None:
        """Nothing to do."""


class Bars:
    """A bar for each root, below the lines of the log."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=self._console, transient=True)
        self._tasks: dict[str, int] = {}

    def update(self, name: str, done: int, total: int) -> None:
        if name not in self._tasks:
            self._bar.start()
            self._tasks[name] = self._bar.add_task(name)
        self._bar.update(self._tasks[name], completed=done, total=total)  # type: ignore[arg-type] # a TaskID is an int

    def end(self, name: str) -> None:
        if (task := self._tasks.pop(name, None)) is not None:
            self._bar.remove_task(task)  # type: ignore[arg-type] # a TaskID is an int
        if not self._tasks:
            self._bar.stop()

    def close(self) -> None:
        self._bar.stop()

    def handler(self) -> logging.Handler:
        """A handler that writes lines above the bars."""
        bars = self

        class Above(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                bars._console.print(self.format(record), markup=False, highlight=False, soft_wrap=True)

        return Above()


def progress_for_stderr() -> Progress:
    """Bars where standard error is a terminal, and the log's lines above them; else lines."""
    if not sys.stderr.isatty():
        return Lines()
    bars = Bars()
    handler = bars.handler()
    handler.setFormatter(logger.handlers[0].formatter if logger.handlers else None)
    logger.handlers[:] = [handler]
    return bars
