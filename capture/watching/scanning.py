"""Looking through a root for Markdown files and for the directories to watch."""

import errno
import logging
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from capture.watching.files import Signature, is_markdown
from capture.watching.ignoring import IgnoreRules
from capture.watching.roots import Root
from capture.watching.telling import Once

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass
class Found:
    """What is in a root, or in a directory of it."""

    #: The Markdown files, relative to the root.
    files: dict[str, Signature] = field(default_factory=dict)
    #: The directories that have to be watched, relative to the root; the root itself is ''.
    directories: list[str] = field(default_factory=list)
    #: The directories that could not be listed: nothing is known of what is in them.
    unread: set[str] = field(default_factory=set)

    def knows_of(self, relative: str) -> bool:
        """Whether the scan says if there is such a file."""
        return not self.unread or not any(_is_in(relative, directory) for directory in self.unread)


def _is_in(relative: str, directory: str) -> bool:
    return not directory or relative == directory or relative.startswith(f"{directory}/")


def scan(root: Root, rules: IgnoreRules, once: Once, below: str = "", stopped: Callable[[], bool] = bool) -> Found:
    """What is in the root, or below one directory of it. Follows no symbolic link and opens no file.

    Each path that is left out although it looks like a Markdown file is logged once. Stops between two directories
    when `stopped` says so; then the answer is not whole.
    """
    found = Found()
    if below and rules.is_ignored(below, is_directory=True):
        return found
    waiting = [below]
    while waiting and not stopped():
        directory = waiting.pop()
        try:
            with os.scandir(root.path / directory) as entries:
                listed = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            if not directory:  # the root itself: what was in it is not gone for good
                found.unread.add(directory)
            continue
        except OSError as error:
            found.unread.add(directory)
            once.say(
                str(root.path / directory),
                f"Cannot read the directory {root.shown(directory)}: {error.strerror}. What is in it is not watched.",
            )
            continue
        found.directories.append(directory)
        for entry in listed:
            relative = f"{directory}/{entry.name}" if directory else entry.name
            if _take(root, rules, once, found, entry, relative):
                waiting.append(relative)
    return found


def look(root: Root, rules: IgnoreRules, once: Once, relative: str) -> Found:
    """What one path in the root is: a file, a directory, or nothing that is captured."""
    found = Found()
    if _take(root, rules, once, found, _At(root, relative), relative):
        found.directories.append(relative)
    return found


class _Entry(Protocol):
    """What os.scandir says of one entry of a directory."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    def is_dir(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_symlink(self) -> bool: ...

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result: ...


class _At:
    """The same of one path. Its methods raise OSError where nothing is."""

    def __init__(self, root: Root, relative: str) -> None:
        self.path = str(root.path / relative)
        self.name = relative.rpartition("/")[2]

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self.stat(follow_symlinks=follow_symlinks).st_mode)

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self.stat(follow_symlinks=False).st_mode)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path, follow_symlinks=follow_symlinks)


def _take(root: Root, rules: IgnoreRules, once: Once, found: Found, entry: _Entry, relative: str) -> bool:
    """Note what an entry of a directory is; returns whether it is a directory to look through."""
    try:
        is_directory = entry.is_dir(follow_symlinks=False)
        is_link = entry.is_symlink()
        looks_like_one = is_markdown(entry.name)
        if not (is_directory or is_link or looks_like_one) or not _is_usable(root, once, entry, relative):
            return False
        if rules.is_ignored(relative, is_directory=is_directory):
            return False
        if is_link:
            _tell_of_link(root, once, entry, relative, looks_like_one=looks_like_one)
        elif is_directory:
            if looks_like_one:
                once.say(entry.path, f"{root.shown(relative)} is a directory, not a Markdown file.", logging.INFO)
            return True
        else:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                found.files[relative] = Signature.of(status)
            else:
                kind = next((name for holds, name in _KINDS if holds(status.st_mode)), "not a regular file")
                once.say(entry.path, f"Skipping {root.shown(relative)}: it is {kind}.")
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        found.unread.add(relative)
        if is_markdown(entry.name):
            once.say(entry.path, f"Skipping {root.shown(relative)}: {error.strerror}.")
    return False


def _is_usable(root: Root, once: Once, entry: _Entry, relative: str) -> bool:
    """Whether the name can be a path on the server: UTF-8, and in one line."""
    name = entry.name
    if name.isprintable():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        once.say(entry.path, f"Skipping {root.shown(relative)}: its name is not UTF-8.")
        return False
    if any(character < " " or "\x7f" <= character <= "\x9f" for character in name):
        once.say(entry.path, f"Skipping {root.shown(relative)}: its name has a line break or control character.")
        return False
    return True


def _tell_of_link(root: Root, once: Once, entry: _Entry, relative: str, *, looks_like_one: bool) -> None:
    """Say that a symbolic link to a directory or to a Markdown file is not followed, and why."""
    where = root.shown(relative)
    try:
        target = Path(os.path.realpath(entry.path, strict=True))
    except (OSError, ValueError) as error:
        if looks_like_one or getattr(error, "errno", None) == errno.ELOOP:
            once.say(entry.path, f"Skipping the symbolic link {where}: it leads nowhere, or to itself.")
        return
    if not (looks_like_one or target.is_dir()):
        return
    if not target.is_relative_to(root.path):
        once.say(entry.path, f"Skipping the symbolic link {where}: it leads out of {root.path}.")
    else:
        once.say(
            entry.path,
            f"Skipping the symbolic link {where}: what it leads to is watched at its own path.",
            logging.INFO,
        )
