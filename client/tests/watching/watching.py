"""A watcher whose clock the test moves, with the lines that it logs."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suture_client.watching.files_api import Files
from suture_client.watching.output import logger
from suture_client.watching.roots import find_roots
from suture_client.watching.watcher import Watcher

from .server import KEY, FileServer


def words(count: int, word: str = "word") -> str:
    """Return a text with this number of different words, without a sentence end."""
    return " ".join(f"{word}{number}" for number in range(count))


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Watching(logging.Handler):
    """A watcher that has scanned its directories once. The server has a `url`, or is a FileServer."""

    def __init__(
        self,
        server: Any,
        directories: Sequence[Path],
        *,
        names: Sequence[str] = (),
        key: str = KEY,
        **options: Any,
    ) -> None:
        super().__init__()
        self.lines: list[str] = []
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        self.clock = Clock()
        transport = server.transport() if isinstance(server, FileServer) else None
        self._files = Files(server.url, key, transport=transport)
        self.watcher = Watcher(find_roots(directories, names), self._files, clock=self.clock, **options)
        self.pass_time(0.0)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def lines_with(self, text: str) -> list[str]:
        """The logged lines that have this text."""
        return [line for line in self.lines if text in line]

    def pass_time(self, seconds: float = 5.0) -> None:
        """Look now, as after an event, and then whenever the watcher wants to within so many seconds."""
        self.watcher.look()
        until = self.clock.now + seconds
        looks = 0
        while self.clock.now + self.watcher.seconds <= until and seconds:
            self.clock.now += self.watcher.seconds
            self.watcher.look()
            looks += 1
            assert looks < 1_000, "it looks again and again"
        self.clock.now = until

    def stop(self) -> None:
        logger.removeHandler(self)
        self._files.__exit__(None, None, None)
