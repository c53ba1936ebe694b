"""The processes of the web server look after each other: one whose event loop stands still is killed, and the server
starts another.

The kernel gives each process its own part of the new connections, also one that is frozen and takes none: whoever gets
such a connection waits in vain, as does everybody whose request it had begun.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

logger = logging.getLogger("suture.web")

#: Seconds between two questions, and that the answer may take.
PERIOD = 1.0
#: After so many questions in a row without an answer a sibling is frozen. Time alone proves nothing: this process may
#: have stood still itself, as all do while a machine sleeps.
MOST_UNANSWERED = 4


def _address(pid: int) -> str:
    """Where a process answers: a socket without a file, which ends with it."""
    return f"\0suture-web-{os.getppid()}-{pid}"


async def serve(active: Callable[[], bytes] = bytes) -> asyncio.Server:
    """Answer the siblings of this process in its event loop, with what is `active` here."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            writer.write(active())
            await writer.drain()
        writer.close()

    own = socket.socket(socket.AF_UNIX)
    own.bind(_address(os.getpid()))
    return await asyncio.start_unix_server(answer, sock=own)


class Watch(threading.Thread):
    """Asks every sibling each PERIOD seconds, in a thread of its own, and kills those that are frozen. What the others
    have said is given to `hear`."""

    def __init__(self, hear: Callable[[bytes], object]) -> None:
        super().__init__(name="siblings", daemon=True)
        self._hear = hear
        self._parent = os.getppid()
        self._unanswered: dict[int, int] = {}
        self._ends = threading.Event()

    def run(self) -> None:
        """Watch until `end`."""
        while not self._ends.wait(PERIOD):
            self._look()

    def end(self) -> None:
        """Watch no longer."""
        self._ends.set()

    def _look(self) -> None:
        said = {pid: _answer(pid) for pid in _children(self._parent) - {os.getpid()}}
        self._hear(b"".join(filter(None, said.values())))
        self._unanswered = {pid: self._unanswered.get(pid, 0) + 1 for pid, answer in said.items() if answer is None}
        for pid, times in self._unanswered.items():
            if times >= MOST_UNANSWERED:
                self._kill(pid)

    def _kill(self, pid: int) -> None:
        try:
            # the number might be another process's by now: this holds on to the process
            held = os.pidfd_open(pid)
        except OSError:
            return
        try:
            if pid in _children(self._parent):
                logger.error("process %d of the web server does not answer, and is killed", pid)
                signal.pidfd_send_signal(held, signal.SIGKILL)
        except OSError:
            logger.exception("process %d could not be killed", pid)
        finally:
            os.close(held)


def _children(parent: int) -> set[int]:
    """The processes whose parent this is."""
    found: set[int] = set()
    for started_by in Path("/proc").glob(f"{parent}/task/*/children"):
        with contextlib.suppress(OSError):
            found |= set(map(int, started_by.read_text().split()))
    return found


def _answer(pid: int) -> bytes | None:
    """What a process answers; None where it does not in time. One that does not listen, because it starts or ends or is
    something else, is not waited for."""
    said = b""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(PERIOD)
        try:
            asking.connect(_address(pid))
            while piece := asking.recv(65_536):
                said += piece
        except ConnectionError:
            return b""
        except OSError:  # it does not answer, or has as many unanswered connections as it may have
            return None
    return said


@contextlib.asynccontextmanager
async def watched(
    active: Callable[[], bytes] = bytes, hear: Callable[[bytes], object] = lambda _: None
) -> AsyncIterator[None]:
    """Answer siblings and watch them while the context is open; only where there are such sockets. They are told what
    is `active` here, and `hear` is called in the event loop with what is there."""
    if sys.platform != "linux":
        yield
        return
    loop = asyncio.get_running_loop()

    def heard(names: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has just ended
            loop.call_soon_threadsafe(hear, names)

    server, watch = await serve(active), Watch(heard)
    watch.start()
    try:
        yield
    finally:
        watch.end()
        server.close()
