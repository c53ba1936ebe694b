"""How many requests of one hot caller run at once in all processes of the web server."""

import os
import socket
from collections.abc import Callable, Hashable


class Slot:
    """A place for one request of a hot caller, until it is released."""

    def __init__(self, held: socket.socket) -> None:
        self._held = held

    def release(self) -> None:
        """Let another process have it."""
        self._held.close()


class Slots:
    """The slots of each caller, which the processes of a web server share: half as many as there are processors (or
    `count`), so that the other half is free for others. `digest` names a caller, and tells nobody who it is.

    A slot is the name of a socket, which the kernel gives to one process at a time, and takes back from one that ends.
    So there are slots on Linux alone.
    """

    def __init__(self, digest: Callable[[Hashable], str], *, count: int | None = None) -> None:
        self._digest = digest
        self._count = count or max(1, len(os.sched_getaffinity(0)) // 2)
        self._server = os.getppid()

    def take(self, caller: Hashable) -> Slot | None:
        """A free slot of `caller`, or None."""
        for number in range(self._count):
            held = socket.socket(socket.AF_UNIX)
            try:
                held.bind(f"\0suture-slot-{self._server}-{self._digest(caller)}-{number}")
            except OSError:
                held.close()
            else:
                return Slot(held)
        return None
