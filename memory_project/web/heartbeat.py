"""Each web process sends a heartbeat every second, and the supervisor kills one that stops
(memory_project/stack/hung_processes.py): the kernel gives each process a share of the new connections, even a frozen
one that accepts none."""

import asyncio
import multiprocessing
import os
import signal
from contextlib import suppress
from pathlib import Path

#: Seconds between two heartbeats.
PERIOD = 1.0


async def show(directory: Path) -> None:
    """Touch this process's file in `directory`, from the event loop, forever; return at once if the directory does not
    exist. Ends the process if its server was killed."""
    own, server = directory / str(os.getpid()), multiprocessing.parent_process()
    while server is None or server.is_alive():
        with suppress(OSError):
            own.touch(mode=0o600)
        await asyncio.sleep(PERIOD)
    os.kill(os.getpid(), signal.SIGTERM)
