"""The captures that wait for the server, on disk.

Each capture is a file of its own, written once and never changed, so that two hooks never wait for each other and no
line can be torn by another's. A hook writes its capture before it sends it, and deletes the file when the server has
acknowledged it. It holds a lock on the file for as long as it lives: a file whose lock is free was left behind, by a
server that was away or by a process that was killed, and the process that takes its lock may deliver it.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator

from suture_client.hooks import state

#: Captures; a directory of more gets slow.
MOST = 20_000
_SUFFIX = ".json"
#: Of a file that is being written. It gets its name when it is complete.
_PART = ".part"
#: Seconds after which nobody writes such a file any more: a lock is free before it is taken, too.
_ABANDONED = 60


class Full(Exception):  # noqa: N818 (the message is for people)
    """The spool has reached its limit."""

    def __init__(self, count: int, size: int) -> None:
        super().__init__(
            f"The spool is full ({count:,} captures, {size / 1_000_000:.1f} MB): a new capture is lost if the server "
            "does not take it. Start the server and run `suture flush`, or raise SUTURE_SPOOL_MB."
        )


class Held:
    """A capture in the spool, whose lock this process has."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor

    def read(self) -> bytes | None:
        """The capture; None if the file is not whole, as after a power cut."""
        _, size = _parsed(os.path.basename(self.path))
        content = b""
        while piece := os.read(self._descriptor, 1_000_000):
            content += piece
        return content if len(content) == size else None

    def delete(self) -> None:
        """The capture no longer has to be delivered. Raises OSError."""
        os.unlink(self.path)
        self.leave()

    def leave(self) -> None:
        """Give the lock back: anybody may deliver the capture."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def hold(capture: bytes, limit: int) -> Held:
    """Write a capture, and have its lock. `limit` is what the spool may hold, in bytes. Raises Full, OSError."""
    directory = state.spool_directory()
    count, size = measured(directory)
    if count >= MOST or size + len(capture) > limit:
        raise Full(count, size)
    path = os.path.join(directory, f"{time.time_ns():020d}-{os.getpid()}-{len(capture)}{_SUFFIX}")
    descriptor = state.open_private(path + _PART, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        written = 0
        while written < len(capture):
            written += os.write(descriptor, capture[written:])
        os.rename(path + _PART, path)
    except BaseException:
        os.unlink(path + _PART)
        os.close(descriptor)
        raise
    return Held(path, descriptor)


def sweep() -> None:
    """Delete what processes left that were killed while they wrote. Raises OSError."""
    directory = state.spool_directory()
    for name in os.listdir(directory):
        if name.endswith(_PART):
            path = os.path.join(directory, name)
            try:
                descriptor = state.open_private(path, os.O_RDONLY)
            except OSError:
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.time() - os.fstat(descriptor).st_mtime > _ABANDONED:
                    os.unlink(path)
            except OSError:
                pass
            finally:
                os.close(descriptor)


def names(directory: str | None = None) -> list[str]:
    """The names of the captures in the spool, oldest first. Raises OSError."""
    found = os.listdir(directory or state.spool_directory())
    return sorted(name for name in found if _parsed(name)[0])


def measured(directory: str | None = None) -> tuple[int, int]:
    """How many captures the spool has, and how many bytes. Raises OSError."""
    sizes = [_parsed(name)[1] for name in names(directory)]
    return len(sizes), sum(sizes)


def written_at(name: str) -> float:
    """When a capture was spooled, in seconds since the epoch."""
    return _parsed(name)[0] / 1_000_000_000


def left_behind(among: Iterable[str]) -> Iterator[Held]:
    """The captures of these names that no living process has, each with its lock taken."""
    directory = state.spool_directory()
    for name in among:
        path = os.path.join(directory, name)
        try:
            descriptor = state.open_private(path, os.O_RDONLY)
        except OSError:
            continue  # delivered meanwhile
        held = Held(path, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_nlink:
                yield held
                continue
        except OSError:
            pass  # its hook still sends it, or another process delivers it
        held.leave()


def _parsed(name: str) -> tuple[int, int]:
    """When the capture of a file was written (ns), and its size; zeros if the file is none of ours."""
    at, _, rest = name.removesuffix(_SUFFIX).partition("-")
    _, _, size = rest.partition("-")
    if name.endswith(_SUFFIX) and at.isdecimal() and size.isdecimal():
        return int(at), int(size)
    return 0, 0
