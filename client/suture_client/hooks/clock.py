"""Time limits of a hook, counted from the start of its process."""

import os
import time
from typing import NamedTuple

from suture_client.hooks.hook_call import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    SUBAGENT_STOP,
    USER_PROMPT_SUBMIT,
)


class Limits(NamedTuple):
    """Seconds since the start of the process. The agent's own limit is longer than `process`."""

    #: The process ends.
    process: float
    #: Without an acknowledgement by then, the capture stays in the spool.
    capture: float
    #: Without a response by then, no context is printed.
    context: float = 0.0
    #: Delivery of earlier captures stops.
    spool: float = 0.0


#: Multiplies the limits below, for a server that is far away. The agents' own limits (`timeout` in their settings) must
#: then be longer, too.
PATIENCE_VARIABLE = "SUTURE_HOOK_PATIENCE"

# The agents' limits are 5, 2, 0.5, 3, 3, 3 and 30 s. Claude Code gives SessionEnd 1.5 s by default.
_LIMITS = {
    SESSION_START: Limits(process=4.5, capture=0.0, context=3.0, spool=3.5),
    USER_PROMPT_SUBMIT: Limits(process=1.7, capture=1.0, context=1.4, spool=1.5),
    PRE_TOOL_USE: Limits(process=0.42, capture=0.3, spool=0.35),
    POST_TOOL_USE: Limits(process=2.5, capture=1.0, spool=1.2),
    STOP: Limits(process=2.5, capture=1.2, spool=1.4),
    SUBAGENT_STOP: Limits(process=2.5, capture=1.2, spool=1.4),
    SESSION_END: Limits(process=5.0, capture=1.2, spool=1.4),
}
#: Limit of a hook until its capture is in the spool. It is counted from the first line of code: on a busy machine, the
#: start of the process may take longer than all limits above.
UNSPOOLED = 1.5
#: Seconds from the start of the process until the payload must have arrived: for PreToolUse, and for other events.
PAYLOAD, LONG_PAYLOAD = 0.3, 0.8
#: Seconds that a call may spend on earlier captures.
SPOOL = 0.15
#: Assumed age in seconds of the process, if the system does not tell.
_ASSUMED_AGE = 0.06


def limits(event: str) -> Limits:
    """Return the time limits of a hook for this event."""
    patience = _patience()
    return Limits(*(limit * patience for limit in _LIMITS[event]))


def _patience() -> float:
    try:
        given = float(os.environ.get(PATIENCE_VARIABLE, ""))
    except ValueError:
        return 1.0
    return given if 1 <= given <= 100 else 1.0


def process_started() -> float:
    """Return the start time of this process, in seconds of `time.monotonic`."""
    now = time.monotonic()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        age = _ASSUMED_AGE
    # No start takes a second: a larger age comes from a wrong clock.
    return now - (age if 0 <= age < 1 else _ASSUMED_AGE)


def timestamp(at: float | None = None) -> str:
    """Format a time (seconds since the epoch, by default now) as RFC 3339 in UTC, with microseconds."""
    seconds, microseconds = divmod(round((time.time() if at is None else at) * 1_000_000), 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{microseconds:06d}Z"
