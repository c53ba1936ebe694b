"""Long polling: the web server repeats a waiting request, so that it does not occupy a thread.

A view answers at once. If it would rather wait, and the server supports it (`can_wait`), its answer has the header
ASK_AGAIN with the remaining seconds. The server then repeats the request until an answer has no such header. Under any
other server the first answer is final. (memory_project/web/bridge.py; docs/decisions/0023.)
"""

from collections.abc import Mapping
from typing import Any

#: The remaining seconds to wait for a better answer. The server removes this header from answers to clients.
ASK_AGAIN = "Suture-Ask-Again-Within"
#: The WSGI variable that says whether the server would repeat the request.
CAN_WAIT = "suture.can_wait"


def can_wait(environ: Mapping[str, Any]) -> bool:
    """Whether the server will repeat the request: not on the last try, and not if too many requests wait."""
    return environ.get(CAN_WAIT) is True
