"""The processes of the web server look after each other: one whose event loop stands still is killed, and the server
starts another.

The kernel gives each process its own part of the new connections, also one that is frozen and takes none: a client
with such a connection waits in vain, as does everybody whose request it had begun.

Each question and each answer says whose requests have come lately (lately.py). Of a caller who comes after a while, the
others hear at once.

Processes whose main process was killed go on, until those of the next one serve and the supervisor ends them
(memory_project/stack/handover.py). Without a supervisor nobody starts a next one, and they end by themselves.
"""

import asyncio
import contextlib
import logging
import os
import re
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

from memory_project.environment import SUPERVISOR_VARIABLE
from memory_project.web.lately import Lately

logger = logging.getLogger("suture.web")

#: Seconds between two questions, and that the answer may take.
PERIOD = 1.0
#: After so many questions in a row without an answer a sibling is frozen. Time alone proves nothing: this process may
#: have stood still itself, as all do while a machine sleeps.
MOST_UNANSWERED = 4
#: Seconds between two times at least in which siblings hear of new callers.
_PAUSE = 0.1
#: More bytes than an answer has.
_MOST_TOLD = 4096


def _address(pid: int) -> str:
    """Where a process answers: a socket without a file, which ends with it."""
    return f"\0suture-web-{os.getppid()}-{pid}"


def answering(parent: int) -> set[int]:
    """The processes that answer their siblings, of the web server with the main process `parent`. None where the kernel
    does not say it."""
    try:
        opened = Path("/proc/net/unix").read_text()
    except OSError:
        return set()
    return {int(pid) for pid in re.findall(rf"@suture-web-{parent}-(\d+)$", opened, re.MULTILINE)}


async def serve(lately: Lately) -> asyncio.Server:
    """Answer the siblings of this process in its event loop."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(TimeoutError, ConnectionError, ValueError):
            async with asyncio.timeout(PERIOD):
                lately.hear(await reader.read(_MOST_TOLD))
        with contextlib.suppress(ConnectionError):
            writer.write(lately.told())
            await writer.drain()
        writer.close()

    own = socket.socket(socket.AF_UNIX)
    own.bind(_address(os.getpid()))
    return await asyncio.start_unix_server(answer, sock=own)


class Watch(threading.Thread):
    """Asks every sibling each PERIOD seconds, in a thread of its own, and kills those that are frozen."""

    def __init__(self, lately: Lately) -> None:
        super().__init__(name="siblings", daemon=True)
        self._lately = lately
        self._parent = os.getppid()
        self._unanswered: dict[int, int] = {}
        self._ends = threading.Event()
        self._supervisor = _held(os.environ.get(SUPERVISOR_VARIABLE, ""))

    def run(self) -> None:
        """Watch until `end`."""
        due = time.monotonic() + PERIOD
        while not self._ends.is_set():
            if (left := due - time.monotonic()) <= 0:
                self._look()
                due = time.monotonic() + PERIOD
            elif self._lately.news.wait(left):
                self._lately.news.clear()
                for pid in self._siblings():
                    self._answers(pid)
                self._ends.wait(_PAUSE)

    def end(self) -> None:
        """Watch no longer."""
        self._ends.set()
        self._lately.news.set()

    def _look(self) -> None:
        if os.getppid() != self._parent and not self._is_supervised():
            logger.error("the web server has ended, and nothing starts it again: this process ends too")
            os.kill(os.getpid(), signal.SIGTERM)
        self._unanswered = {pid: self._unanswered.get(pid, 0) + 1 for pid in self._siblings() if not self._answers(pid)}
        for pid, times in self._unanswered.items():
            if times >= MOST_UNANSWERED:
                self._kill(pid)

    def _siblings(self) -> set[int]:
        return _children(self._parent) - {os.getpid()}

    def _answers(self, pid: int) -> bool:
        """Whether a process that answers siblings does so in time. One that does not listen, because it starts or ends
        or is something else, is not waited for."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(PERIOD)
            try:
                asking.connect(_address(pid))
                asking.sendall(self._lately.told())
                if told := asking.recv(_MOST_TOLD):
                    self._lately.hear(told)
            except (ConnectionError, ValueError):
                return True
            except OSError:  # it does not answer, or has as many unanswered connections as it may have
                return False
        return True

    def _is_supervised(self) -> bool:
        """Whether the supervisor runs."""
        if self._supervisor is None:
            return False
        poll = select.poll()
        poll.register(self._supervisor, select.POLLIN)
        return not poll.poll(0)

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


def _held(pid: str) -> int | None:
    """A descriptor of a process, which becomes readable when that ends; None if there is no such process. (Another
    might get its number afterwards.)"""
    try:
        return os.pidfd_open(int(pid))
    except (ValueError, OSError):
        return None


def _children(parent: int) -> set[int]:
    """The processes whose parent this is."""
    found: set[int] = set()
    for started_by in Path("/proc").glob(f"{parent}/task/*/children"):
        with contextlib.suppress(OSError):
            found |= set(map(int, started_by.read_text().split()))
    return found


@contextlib.asynccontextmanager
async def watched(lately: Lately) -> AsyncIterator[None]:
    """Answer siblings and watch them while the context is open; only where there are such sockets."""
    if sys.platform != "linux":
        yield
        return
    server, watch = await serve(lately), Watch(lately)
    watch.start()
    try:
        yield
    finally:
        watch.end()
        server.close()
