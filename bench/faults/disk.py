"""Small disks that can be filled: mounts in memory, which only root may make."""

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

#: Megabytes: what a small stack needs, and a log of 64 MB.
HOME_MB, WAL_MB = 700, 160
_CHUNK = 1 << 20
_DEVICE = "suture-faults"


class CannotMount(Exception):  # noqa: N818 (an answer, not an error)
    """This machine lets nothing be mounted here."""


class Disk:
    """A mount."""

    def __init__(self, place: Path) -> None:
        self.place = place

    @classmethod
    def mount(cls, place: Path, megabytes: int) -> "Disk":
        """Mount a disk of that size. Raises CannotMount."""
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
        """The disk on which a directory is, however many links lead to it. Raises LookupError where that is no small
        one of ours."""
        place = path.resolve()
        while not place.is_mount():
            place = place.parent
        if (_DEVICE, str(place)) not in {(one.device, one.mountpoint) for one in psutil.disk_partitions(all=True)}:
            raise LookupError(f"{path} is on a disk that is not to be filled: {place}")
        return cls(place)

    @contextlib.contextmanager
    def filled(self) -> Iterator[None]:
        """Filled to the last byte, also what is freed meanwhile; freed at the end. Raises NoEffect where that was not
        so."""
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
        """Take it away, with all that is on it."""
        with contextlib.suppress(OSError):
            subprocess.run(["umount", "--lazy", str(self.place)], capture_output=True, check=False)
