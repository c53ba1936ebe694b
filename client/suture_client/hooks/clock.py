"""Time limits of a hook: how long it may take, counted from the start of its process."""

import os
import time
from typing import NamedTuple

from suture_client.hooks.call import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    SUBAGENT_STOP,
    USER_PROMPT_SUBMIT,
)


class Limits(NamedTuple):
    """Seconds since the start of the process. The agent's own limit is above `process`."""

    #: The process has ended.
    process: float
    #: The server has acknowledged the capture, or it stays in the spool.
    capture: float
    #: The context has been printed, or there is none.
    context: float = 0.0
    #: Captures of before have been delivered.
    spool: float = 0.0


#: How many times longer hooks may take than below, for a server that is far away. The agents' own limits (the `timeout`
#: in their settings) must be longer then, too.
PATIENCE_VARIABLE = "SUTURE_HOOK_PATIENCE"

# The agents' limits are 5, 2, 0.5, 3, 3, 3 and 30 s. Claude Code gives SessionEnd 1.5 s where nothing else is set.
_LIMITS = {
    SESSION_START: Limits(process=4.5, capture=0.0, context=3.0, spool=3.5),
    USER_PROMPT_SUBMIT: Limits(process=1.7, capture=1.0, context=1.4, spool=1.5),
    PRE_TOOL_USE: Limits(process=0.42, capture=0.3, spool=0.35),
    POST_TOOL_USE: Limits(process=2.5, capture=1.0, spool=1.2),
    STOP: Limits(process=2.5, capture=1.2, spool=1.4),
    SUBAGENT_STOP: Limits(process=2.5, capture=1.2, spool=1.4),
    SESSION_END: Limits(process=5.0, capture=1.2, spool=1.4),
}
#: Seconds in which a hook ends that has not yet written its capture to the spool, counted from when it runs: on a busy
#: machine its start alone may take longer than all of the above.
UNSAFE = 1.5
#: Seconds in which the payload has to arrive, since the start of the process, and of events other than PreToolUse.
PAYLOAD, LATER_PAYLOAD = 0.3, 0.8
#: Seconds that a call may spend on captures of before.
SPOOL = 0.15
#: Assumed where the system does not tell when the process began.
_STARTING = 0.06


def limits(event: str) -> Limits:
    """How long a hook of this event may take."""
    patience = _patience()
    return Limits(*(limit * patience for limit in _LIMITS[event]))


def _patience() -> float:
    try:
        given = float(os.environ.get(PATIENCE_VARIABLE, ""))
    except ValueError:
        return 1.0
    return given if 1 <= given <= 100 else 1.0


def process_began() -> float:
    """When this process began, in seconds of `time.monotonic`."""
    now = time.monotonic()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        age = _STARTING
    # A clock that is wrong by more than any start takes is not believed.
    return now - (age if 0 <= age < 1 else _STARTING)


def timestamp(at: float | None = None) -> str:
    """A time (seconds since the epoch, by default now) as RFC 3339 in UTC, with microseconds."""
    seconds, microseconds = divmod(round((time.time() if at is None else at) * 1_000_000), 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{microseconds:06d}Z"
