"""Threads that read and send files. They are daemons, so that a server that never answers cannot keep the end back."""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a job: its answer, or the error that it raised."""

    job: Any
    answer: Any = None
    error: Exception | None = None


class Workers:
    """Does jobs in a few threads."""

    def __init__(self, count: int) -> None:
        self._jobs: queue.SimpleQueue[tuple[Any, Callable[[], Any]]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._count = count
        self._started = False
        #: How many jobs were given and not taken back.
        self.pending = 0

    def give(self, job: Any, work: Callable[[], Any]) -> None:
        """Do the work in a thread; `taken` answers with `job` beside the outcome."""
        if not self._started:
            self._started = True
            for number in range(self._count):
                threading.Thread(target=self._work, name=f"sender {number + 1}", daemon=True).start()
        self.pending += 1
        self._jobs.put((job, work))

    def taken(self, seconds: float) -> list[Done]:
        """What was done, waiting so many seconds for the first."""
        found = []
        try:
            found.append(self._done.get(timeout=seconds) if seconds > 0 else self._done.get_nowait())
            while True:
                found.append(self._done.get_nowait())
        except queue.Empty:
            self.pending -= len(found)
            return found

    def _work(self) -> None:
        while True:
            job, work = self._jobs.get()
            try:
                self._done.put(Done(job, answer=work()))
            except Exception as error:  # the main thread judges it
                self._done.put(Done(job, error=error))
