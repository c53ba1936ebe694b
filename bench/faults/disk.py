"""Small disks that can be filled: mounts in memory, which need root."""

import contextlib
import errno
import os
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import psutil

from bench.faults.effects import NoEffect

#: Megabytes: for a small stack, and for a log of 64 MB.
HOME_MB, WAL_MB = 700, 160
_CHUNK = 1 << 20
_DEVICE = "suture-faults"


class CannotMount(Exception):  # noqa: N818 (an answer, not an error)
    """Nothing can be mounted on this machine."""


class Disk:
    """A mount."""

    def __init__(self, place: Path) -> None:
        self.place = place

    @classmethod
    def mount(cls, place: Path, megabytes: int) -> "Disk":
        """Mount a disk of this size. Raises CannotMount."""
        place.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=711", _DEVICE, str(place)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise CannotMount(str(error)) from None
        if done.returncode:
            raise CannotMount(done.stderr.strip())
        return cls(place)

    @classmethod
    def of(cls, path: Path) -> "Disk":
        """The disk of a directory, following links. Raises LookupError if it is not one of the small ones."""
        place = path.resolve()
        while not place.is_mount():
            place = place.parent
        if (_DEVICE, str(place)) not in {(one.device, one.mountpoint) for one in psutil.disk_partitions(all=True)}:
            raise LookupError(f"{path} is on a disk that must not be filled: {place}")
        return cls(place)

    @contextlib.contextmanager
    def filled(self) -> Iterator[None]:
        """Fill it to the last byte, including space that is freed meanwhile; free it at the end. Raises NoEffect if it
        was not full."""
        file = self.place / "filling"
        ends = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            filling = pool.submit(self._fill, file, ends)
            try:
                yield
                is_full = os.statvfs(self.place).f_bavail == 0
            finally:
                ends.set()
                wait([filling])
                file.unlink(missing_ok=True)
            filling.result()
        if not is_full:
            raise NoEffect(f"{self.place} is not full")

    @staticmethod
    def _fill(file: Path, ends: threading.Event) -> None:
        with file.open("ab", buffering=0) as filling:
            while not ends.wait(0.05):
                size = _CHUNK
                while size:
                    try:
                        filling.write(b"x" * size)
                    except OSError as error:
                        if error.errno != errno.ENOSPC:
                            raise
                        size //= 2

    def unmount(self) -> None:
        """Unmount it and delete its content."""
        with contextlib.suppress(OSError):
            subprocess.run(["umount", "--lazy", str(self.place)], capture_output=True, check=False)
