"""How far a command is: a bar on a terminal, else a line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds between two lines.
EVERY = 5.0


def say(line: str) -> None:
    """Print a line on standard error, above a bar."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is the output of a command


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
    """Shows it in a bar below the lines that are written to standard error."""

    def __init__(self, total: int, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Shown

        super().__init__(total, what)
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        self.shown = Shown(*columns, console=Console(stderr=True), transient=True)
        self._task = self.shown.add_task(f"0 {what}", total=total or None)

    def advance(self, number: int) -> None:
        self.shown.advance(self._task, number)

    def tell(self, count: int) -> None:
        self.shown.update(self._task, description=f"{count:,} {self._what}")


@contextmanager
def shown(total: int, what: str, say: Callable[[str], object] = say) -> Iterator[Progress]:
    """Progress through a `total` (0 where that is not known), which counts what `what` says: a bar on standard error,
    else lines that `say` takes."""
    if not sys.stderr.isatty():
        yield Progress(total, what, say)
        return
    bar = _Bar(total, what)
    with bar.shown:
        yield bar
