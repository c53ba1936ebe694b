"""What the operator sees while the stack starts: numbered steps, and after some seconds how long one takes."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from memory_project.stack.processes import say

#: Seconds after which a step says again that it is at work.
EVERY = 5.0
_INDENT = "      "


class Steps:
    """The steps of a start, in order. `detail` is what the step is doing now, for the lines that say it is at work.

    The lines come from a timer's signal: a thread would be there when the supervisor forks.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.number = 0
        self.detail = ""

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Print the title at once, then every few seconds that it is at work, and at the end how long it took."""
        self.number, self.detail, started = self.number + 1, "", time.monotonic()
        say(f"[{self.number}/{self.total}] {title} ...")

        def still_at_it(signum: int, frame: FrameType | None) -> None:
            doing = f": {self.detail}" if self.detail else ""
            say(f"{_INDENT}at work for {time.monotonic() - started:.0f} s{doing}")

        before = signal.signal(signal.SIGALRM, still_at_it)
        signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        say(f"{_INDENT}done ({time.monotonic() - started:.1f} s)")

    def tell(self, detail: str) -> None:
        """What the step does now."""
        self.detail = detail
