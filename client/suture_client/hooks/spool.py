"""The spool: captures on disk that wait for the server.

Each capture is a separate file that is written once and never changed, so hooks never wait for each other. A hook
writes its capture before it sends it, and deletes the file when the server has acknowledged it. It locks the file while
it runs. If the lock is free, the server was unavailable or the hook was killed: any process that takes the lock may
then deliver the capture.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator

from suture_client.hooks import state

#: Larger directories are slow.
MAX_CAPTURES = 20_000
_SUFFIX = ".json"
#: Suffix of a file that is being written. It is renamed when it is complete.
_PARTIAL = ".part"
#: Age in seconds from which such a file is abandoned. A new file is also unlocked for a moment.
_ABANDONED = 60


class SpoolFull(Exception):  # noqa: N818 (the message is for people)
    """The spool has reached its limit."""

    def __init__(self, count: int, size: int) -> None:
        super().__init__(
            f"The spool is full ({count:,} captures, {size / 1_000_000:.1f} MB): a new capture is lost unless the "
            "server accepts it. Start the server and run `suture flush`, or raise SUTURE_SPOOL_MB."
        )


class SpooledCapture:
    """A capture in the spool that this process has locked."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor

    def read(self) -> bytes | None:
        """Read the capture; None if the file is incomplete, for example after a power cut."""
        _, size = _parse_name(os.path.basename(self.path))
        content = b""
        while piece := os.read(self._descriptor, 1_000_000):
            content += piece
        return content if len(content) == size else None

    def delete(self) -> None:
        """Delete the capture from the spool. Raises OSError."""
        os.unlink(self.path)
        self.release()

    def release(self) -> None:
        """Release the lock, so that any process may deliver the capture."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def add(capture: bytes, limit: int) -> SpooledCapture:
    """Write a capture and lock it. `limit` is the largest size of the spool in bytes. Raises SpoolFull, OSError."""
    directory = state.spool_directory()
    count, size = usage(directory)
    if count >= MAX_CAPTURES or size + len(capture) > limit:
        raise SpoolFull(count, size)
    path = os.path.join(directory, f"{time.time_ns():020d}-{os.getpid()}-{len(capture)}{_SUFFIX}")
    descriptor = state.open_private(path + _PARTIAL, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        written = 0
        while written < len(capture):
            written += os.write(descriptor, capture[written:])
        os.rename(path + _PARTIAL, path)
    except BaseException:
        os.unlink(path + _PARTIAL)
        os.close(descriptor)
        raise
    return SpooledCapture(path, descriptor)


def sweep() -> None:
    """Delete partial files of killed processes. Raises OSError."""
    directory = state.spool_directory()
    for name in os.listdir(directory):
        if name.endswith(_PARTIAL):
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
    """Return the file names of the captures, oldest first. Raises OSError."""
    found = os.listdir(directory or state.spool_directory())
    return sorted(name for name in found if _parse_name(name)[0])


def usage(directory: str | None = None) -> tuple[int, int]:
    """Return the number of captures in the spool and their size in bytes. Raises OSError."""
    sizes = [_parse_name(name)[1] for name in names(directory)]
    return len(sizes), sum(sizes)


def written_at(name: str) -> float:
    """Return when a capture was spooled, in seconds since the epoch."""
    return _parse_name(name)[0] / 1_000_000_000


def size_of(name: str) -> int:
    """Return the size of a capture in bytes, by its file's name."""
    return _parse_name(name)[1]


def claim_abandoned(among: Iterable[str]) -> Iterator[SpooledCapture]:
    """Lock and yield those of the named captures that no running process has locked."""
    directory = state.spool_directory()
    for name in among:
        path = os.path.join(directory, name)
        try:
            descriptor = state.open_private(path, os.O_RDONLY)
        except OSError:
            continue  # already delivered
        held = SpooledCapture(path, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_nlink:
                yield held
                continue
        except OSError:
            pass  # its hook is still sending it, or another process is
        held.release()


def _parse_name(name: str) -> tuple[int, int]:
    """Return when a file's capture was written (ns) and its size; zeros for a foreign file."""
    at, _, rest = name.removesuffix(_SUFFIX).partition("-")
    _, _, size = rest.partition("-")
    if name.endswith(_SUFFIX) and at.isdecimal() and size.isdecimal():
        return int(at), int(size)
    return 0, 0
