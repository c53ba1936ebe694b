"""Tells the application at once that its process stops. The server tells it only when all requests have been answered,
and a stream may last for hours."""

import asyncio
import signal
from collections.abc import Callable


def when_told_to_stop(end: Callable[[], None]) -> None:
    """Let `end` be called in the running event loop when the process receives SIGTERM or SIGINT. The server's own
    handlers are the loop's, which Python's wake-up descriptor calls whatever handler is set here."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(end))
