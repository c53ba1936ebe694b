"""How far a command is: a bar on a terminal, else a line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Seconds between two lines.
EVERY = 5.0


def say(line: str) -> None:
    """Print a line on standard error, in place of a bar, which is drawn again below."""
    click.echo(f"\r\x1b[K{line}" if sys.stderr.isatty() else line, err=True)


class Progress:
    """Shows it in lines."""

    def __init__(self, total: int, what: str, say: Callable[[str], object] = say) -> None:
        self._total, self._what, self._say = total, what, say
        self._done = 0
        self._last = time.monotonic()

    def advance(self, number: int) -> None:
        """So much more of the total is done."""
        self._done += number

    def tell(self, count: int) -> None:
        """So many of what is counted are done."""
        now = time.monotonic()
        if now - self._last >= EVERY:
            self._last = now
            part = f", {100 * min(self._done, self._total) // self._total} %" if self._total else ""
            self._say(f"{count:,} {self._what}{part}")


class _Bar(Progress):
    """Shows a bar on standard error, below the lines that `say` prints."""

    def __init__(self, total: int, what: str) -> None:
        super().__init__(total, what)
        self.shown = click.progressbar(length=total, label=f"0 {what}", file=sys.stderr)

    def advance(self, number: int) -> None:
        self.shown.update(number)

    def tell(self, count: int) -> None:
        self.shown.label = f"{count:,} {self._what}"


@contextmanager
def shown(total: int, what: str, say: Callable[[str], object] = say) -> Iterator[Progress]:
    """Show the progress through a `total` (0 if it is not known): a bar on a terminal, else lines that `say` takes. The
    bar counts `what`, such as "events"."""
    if not (total and sys.stderr.isatty()):
        yield Progress(total, what, say)
        return
    bar = _Bar(total, what)
    with bar.shown:
        yield bar
