"""How the worker runs tasks: runs of the same task do not overlap on a machine."""

import fcntl
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from celery import Task
from django.conf import settings

logger = logging.getLogger("suture.worker")


class NonOverlappingTask(Task):  # type: ignore[type-arg] # generic in its stubs alone
    """A periodic task whose run is skipped while the previous one still works on this machine: otherwise slow runs
    would occupy every process of the worker. A direct call always runs."""

    #: False for a task that limits its runs itself.
    alone: ClassVar[bool] = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.request.called_directly or not self.alone:
            return self.run(*args, **kwargs)
        with _first_of(str(self.name)) as is_first:
            if is_first:
                return self.run(*args, **kwargs)
            logger.info("skipped %s: the previous run is still working", self.name)
            return None


@contextmanager
def _first_of(name: str) -> Iterator[bool]:
    folder = Path(settings.SUTURE_HOME) / "jobs"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / name).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        # closing the file releases the lock, as does the end of the process
        yield True
