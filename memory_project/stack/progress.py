"""The progress of a start: numbered steps, and the current state of a step that takes long."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memory_project.stack.processes import say

#: Seconds after which a step reports its state, and repeats it; and seconds after which it reports a new state.
EVERY, SOONER = 10.0, 3.0
_INDENT = "      "


class Steps:
    """The steps of a start, in order. A timer's signal prints the lines: a thread would exist when the supervisor
    forks."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.number = 0
        self._detail = ""
        self._started = self._said = 0.0

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Print the title at once, the state from time to time, and the duration at the end."""
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
        """Set the current state of the step."""
        if detail != self._detail:
            self._detail = detail
            if time.monotonic() - self._said > SOONER:
                signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
                self._say()

    def _say(self) -> None:
        self._said = time.monotonic()
        doing = f": {self._detail}" if self._detail else ""
        say(f"{_INDENT}working for {self._said - self._started:.0f} s{doing}")
