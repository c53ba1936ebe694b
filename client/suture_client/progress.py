"""Progress of a command: a bar on a terminal, else occasional lines."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Seconds between two lines.
INTERVAL = 5.0


def print_line(line: str) -> None:
    """Print a line on standard error, above the bar."""
    click.echo(f"\r\x1b[K{line}" if sys.stderr.isatty() else line, err=True)


class Progress:
    """Shows progress as lines."""

    def __init__(self, total: int, what: str, say: Callable[[str], object] = print_line) -> None:
        self._total, self._what, self._say = total, what, say
        self._done = 0
        self._last = time.monotonic()

    def advance(self, number: int) -> None:
        """Add to the done part of the total."""
        self._done += number

    def set_count(self, count: int) -> None:
        """Show the number of done items."""
        now = time.monotonic()
        if now - self._last >= INTERVAL:
            self._last = now
            part = f", {100 * min(self._done, self._total) // self._total} %" if self._total else ""
            self._say(f"{count:,} {self._what}{part}")


class _Bar(Progress):
    """Shows a bar on standard error, below the printed lines."""

    def __init__(self, total: int, what: str) -> None:
        super().__init__(total, what)
        self.bar = click.progressbar(length=total, label=f"0 {what}", file=sys.stderr)

    def advance(self, number: int) -> None:
        self.bar.update(number)

    def set_count(self, count: int) -> None:
        self.bar.label = f"{count:,} {self._what}"


@contextmanager
def progress_bar(total: int, what: str, say: Callable[[str], object] = print_line) -> Iterator[Progress]:
    """Show the progress through a `total` (0 if unknown): a bar on a terminal, else lines through `say`. Both count
    `what`, such as "events"."""
    if not (total and sys.stderr.isatty()):
        yield Progress(total, what, say)
        return
    bar = _Bar(total, what)
    with bar.bar:
        yield bar
