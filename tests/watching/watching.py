"""A watcher in a thread of the test, with the lines that it logs."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from capture.watching.progress import Lines
from capture.watching.roots import find_roots
from capture.watching.sending import Files
from capture.watching.telling import logger
from capture.watching.watcher import Watcher
from tests.mcp_server.serving import Serving

from .server import KEY, FileServer

#: No test waits so long: what has not happened by then never will.
HANGS = 30.0


def words(count: int, word: str = "word") -> str:
    """A text of so many different words, without the end of a sentence."""
    return " ".join(f"{word}{number}" for number in range(count))


class Watching(logging.Handler):
    """`suture watch` in a thread."""

    def __init__(
        self,
        server: FileServer | Serving,
        directories: Sequence[Path],
        *,
        names: Sequence[str] = (),
        key: str = KEY,
        **options: Any,
    ) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.error: Exception | None = None
        self.is_in_step: bool | None = None
        self._end = threading.Event()
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        self._files = Files(server.url, key)
        self.watcher = Watcher(
            find_roots(directories, names), self._files, Lines(), stopped=self._end.is_set, **options
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.is_in_step = self.watcher.run()
        except Exception as error:
            self.error = error

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def lines_with(self, text: str) -> list[str]:
        """The logged lines that have this text."""
        return [line for line in self.lines if text in line]

    def until(self, condition: Callable[[], Any]) -> None:
        """Wait until the condition holds; fails if the watcher ended with an error before."""
        deadline = time.monotonic() + HANGS
        while not condition():
            assert self.error is None, repr(self.error)
            assert time.monotonic() < deadline, f"it did not happen in time; {self.lines}"
            time.sleep(0.01)

    def until_in_step(self) -> "Watching":
        """Wait until the first look through every root is over."""
        self.until(lambda: all(not state.is_first for state in self.watcher.states))
        return self

    def wait(self) -> "Watching":
        """Wait until it ends by itself."""
        self._thread.join(HANGS)
        assert not self._thread.is_alive()
        return self

    def stop(self) -> None:
        self._end.set()
        self._thread.join(HANGS)
        logger.removeHandler(self)
        self._files.close()
        assert not self._thread.is_alive()
