"""Each process of the web server sends a heartbeat every second, and the supervisor kills one that stops
(memory_project/stack/hung_processes.py): the kernel gives each process its share of new connections, even one that is
frozen and accepts none."""

import asyncio
import multiprocessing
import os
import signal
from contextlib import suppress
from pathlib import Path

#: Seconds between two signs.
PERIOD = 1.0


async def show(directory: Path) -> None:
    """Touch the file in `directory` that this process's id names, from the event loop and without end; nothing where
    the supervisor has made no such directory. A process whose server was killed ends."""
    own, server = directory / str(os.getpid()), multiprocessing.parent_process()
    while server is None or server.is_alive():
        with suppress(OSError):
            own.touch(mode=0o600)
        await asyncio.sleep(PERIOD)
    os.kill(os.getpid(), signal.SIGTERM)
