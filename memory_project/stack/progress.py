"""What the operator sees while the stack starts: numbered steps, and what one that takes long waits for."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memory_project.stack.processes import say

#: Seconds after which a step says what it waits for, and again; and after which it says at once what else it waits for.
EVERY, SOONER = 10.0, 3.0
_INDENT = "      "


class Steps:
    """The steps of a start, in order. The lines come from a timer's signal: a thread would be there when the supervisor
    forks."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.number = 0
        self._detail = ""
        self._started = self._said = 0.0

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Print the title at once, then now and then what it waits for, and at the end how long it took."""
        self.number, self._detail = self.number + 1, ""
        self._started = self._said = time.monotonic()
        say(f"[{self.number}/{self.total}] {title} ...")
        before = signal.signal(signal.SIGALRM, lambda *_: self._say())
        signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        say(f"{_INDENT}done ({time.monotonic() - self._started:.1f} s)")

    def tell(self, detail: str) -> None:
        """What the step waits for now."""
        if detail != self._detail:
            self._detail = detail
            if time.monotonic() - self._said > SOONER:
                signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
                self._say()

    def _say(self) -> None:
        self._said = time.monotonic()
        doing = f": {self._detail}" if self._detail else ""
        say(f"{_INDENT}at work for {self._said - self._started:.0f} s{doing}")
