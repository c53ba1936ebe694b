"""Ends a hook at its time limit, even if it waits for a DNS server, a disk or an agent that does not read."""

import _thread
import os
import time

from suture_client.hooks import journal

#: Seconds between checks of the clock, and for writing the last line of the log.
_PAUSE = 0.02

_deadline = [0.0]


def end_at(deadline: float) -> None:
    """End the process at `deadline` (`time.monotonic`) with exit code 0. A later call changes the deadline."""
    is_watched = _deadline[0] > 0
    _deadline[0] = deadline
    if not is_watched:
        _thread.start_new_thread(_watch, ())


def _watch() -> None:
    while (left := _deadline[0] - time.monotonic()) > 0:
        time.sleep(min(left, _PAUSE))
    # In a separate thread, because writing the log may block.
    _thread.start_new_thread(journal.log, (journal.ERROR, "The hook was stopped at its time limit."))
    time.sleep(_PAUSE)
    os._exit(0)
