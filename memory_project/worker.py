"""How the worker runs tasks: one run of each at a time on a machine."""

import fcntl
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from celery import Task
from django.conf import settings

logger = logging.getLogger("suture.worker")


class OneAtATime(Task):  # type: ignore[type-arg] # generic in its stubs alone
    """A periodic task whose next run is left out while one still works on this machine: runs that take longer than
    their interval would otherwise take every process of the worker. A direct call runs in any case."""

    #: False for a task that limits its runs by itself.
    alone: ClassVar[bool] = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.request.called_directly or not self.alone:
            return self.run(*args, **kwargs)
        with _first_of(str(self.name)) as is_first:
            if is_first:
                return self.run(*args, **kwargs)
            logger.info("%s still runs, and is not started again", self.name)
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
        # closing the file gives the lock back, as does the end of the process
        yield True
