"""Opening files that somebody else may change at any moment, without leaving the root and without waiting."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Self

SUFFIXES = (".md", ".markdown")


def is_markdown(name: str) -> bool:
    """Whether a file of this name is one that is captured."""
    return name.lower().endswith(SUFFIXES)


@dataclass(frozen=True, slots=True)
class Signature:
    """What changes when a file is written: its times in nanoseconds, its size in bytes, its number."""

    modified: int
    changed: int
    size: int
    number: int

    @classmethod
    def of(cls, found: os.stat_result) -> Self:
        return cls(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def signature_of(path: Path) -> Signature | None:
    """The signature of what is at a path; None if nothing is, or it cannot be asked for."""
    try:
        return Signature.of(os.lstat(path))
    except (OSError, ValueError):
        return None


def open_inside(root: Path, relative: str) -> int:
    """Open a regular file in `root` for reading; answers its descriptor.

    No symbolic link is followed on the way, even if one took a directory's place a moment ago, and nothing that is no
    regular file is waited for. Raises OSError; IsADirectoryError for everything that is no regular file.
    """
    *directories, name = relative.split("/")
    place = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for directory in directories:
            inner = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            os.close(place)
            place = inner
        if not stat.S_ISREG(os.stat(name, dir_fd=place, follow_symlinks=False).st_mode):  # opening may have effects
            raise IsADirectoryError(name)
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    finally:
        os.close(place)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IsADirectoryError(name)
    return descriptor
