"""How far an import is: a bar on a terminal, else a line now and then. Faults are printed as they come."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

#: Seconds between two lines.
EVERY = 5.0


class Progress(Protocol):
    """Shows what was read and sent."""

    def advance(self, size: int) -> None:
        """So many bytes more were read."""

    def tell(self, items: int) -> None:
        """So many items were read."""

    def say(self, line: str) -> None:
        """Print a line."""


class Lines:
    """Lines on standard error."""

    def __init__(self, size: int) -> None:
        self._size, self._read = size, 0
        self._last = time.monotonic()

    def advance(self, size: int) -> None:
        self._read += size

    def tell(self, items: int) -> None:
        now = time.monotonic()
        if now - self._last >= EVERY:
            self._last = now
            part = f", {100 * min(self._read, self._size) // self._size} % of the source" if self._size else ""
            self.say(f"{items:,} items{part}")

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is the output of a command


class Bar:
    """A bar below the lines."""

    def __init__(self, size: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Shown

        self._console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self.bar = Shown(*columns, console=self._console, transient=True)
        self._task = self.bar.add_task("0 items", total=size or None)

    def advance(self, size: int) -> None:
        self.bar.advance(self._task, size)

    def tell(self, items: int) -> None:
        self.bar.update(self._task, description=f"{items:,} items")

    def say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def shown(size: int) -> Iterator[Progress]:
    """Progress on standard error, through `size` bytes; 0 where that is not known."""
    if not sys.stderr.isatty():
        yield Lines(size)
        return
    bar = Bar(size)
    with bar.bar:
        yield bar
