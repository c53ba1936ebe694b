"""Ends a hook at its time limit, whatever it waits for: a name server, a disk, an agent that does not read."""

import _thread
import os
import time

from suture_client.hooks import journal

#: Seconds between two looks at the clock, and for the last line of the log.
_PAUSE = 0.02

_deadline = [0.0]


def end_at(deadline: float) -> None:
    """End the process at `deadline` (`time.monotonic`), with exit code 0. A later call changes it."""
    is_watched = _deadline[0] > 0
    _deadline[0] = deadline
    if not is_watched:
        _thread.start_new_thread(_watch, ())


def _watch() -> None:
    while (left := _deadline[0] - time.monotonic()) > 0:
        time.sleep(min(left, _PAUSE))
    # In a thread of its own, since the log may be what does not answer.
    _thread.start_new_thread(journal.log, (journal.ERROR, "The hook was ended at its time limit."))
    time.sleep(_PAUSE)
    os._exit(0)
