"""Opens files that may change at any time, without leaving the root and without blocking."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Self

SUFFIXES = (".md", ".markdown")


def is_markdown(name: str) -> bool:
    """Return whether a file with this name is captured."""
    return name.lower().endswith(SUFFIXES)


@dataclass(frozen=True, slots=True)
class Signature:
    """File attributes that change with each write: times in nanoseconds, size in bytes, inode number."""

    modified: int
    changed: int
    size: int
    number: int

    @classmethod
    def of(cls, found: os.stat_result) -> Self:
        return cls(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def open_inside(root: Path, relative: str) -> int:
    """Open a regular file in `root` for reading, and return its descriptor.

    Follows no symbolic link on the way, even if a directory has just been replaced by one. Raises OSError as
    `open_regular` does.
    """
    *directories, name = relative.split("/")
    place = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for directory in directories:
            inner = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            os.close(place)
            place = inner
        return open_regular(name, place)
    finally:
        os.close(place)


def open_regular(path: str | Path, directory: int | None = None) -> int:
    """Open a regular file without following links or waiting for pipes, and return its descriptor.

    Raises OSError; IsADirectoryError for everything that is not a regular file.
    """
    if not stat.S_ISREG(os.stat(path, dir_fd=directory, follow_symlinks=False).st_mode):  # opening may have effects
        raise IsADirectoryError(str(path))
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IsADirectoryError(str(path))
    return descriptor
