"""Requests that wait for something: the web server repeats them, so that no thread is held meanwhile.

A view answers at once. Where its answer would rather wait, and the server can (`can_wait`), it carries the header
ASK_AGAIN with the seconds left to wait; the server then runs the request again, until an answer comes without it. Under
any other server the first answer is the last. (memory_project/web/bridge.py; docs/decisions/0023.)
"""

from collections.abc import Mapping
from typing import Any

#: How many seconds from now on a better answer is worth waiting for. No client ever gets this header.
ASK_AGAIN = "Suture-Ask-Again-Within"
#: Whether the server that runs the request would ask again, in its WSGI environment.
CAN_WAIT = "suture.can_wait"


def can_wait(environ: Mapping[str, Any]) -> bool:
    """Whether the server will ask again: not the last time, and not if too many wait."""
    return environ.get(CAN_WAIT) is True
