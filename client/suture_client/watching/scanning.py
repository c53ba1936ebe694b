"""Scans a root for Markdown files and directories to watch."""

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from suture_client.filtering import Ignored
from suture_client.watching.files import Signature, is_markdown
from suture_client.watching.ignoring import IgnoreRules
from suture_client.watching.output import OnceLogger
from suture_client.watching.roots import Root

#: Not allowed in paths on the server: control characters and invalid UTF-8.
_NO_PATH = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass
class ScanResult:
    """The content of a root."""

    #: The Markdown files, relative to the root.
    files: dict[str, Signature] = field(default_factory=dict)
    #: The inode numbers of the directories that are not ignored, by absolute path.
    directories: dict[str, int] = field(default_factory=dict)
    #: Paths relative to the root that could not be scanned, so that their content is unknown.
    unread: list[str] = field(default_factory=list)

    def covers(self, relative: str) -> bool:
        """Return whether the scan shows if this file exists."""
        return not any(not one or f"{relative}/".startswith(f"{one}/") for one in self.unread)


def scan(root: Root, once: OnceLogger, lists: Ignored | None = None) -> ScanResult:
    """Find everything in the root that is not ignored. Follows no symbolic link, and opens only files of rules.

    Markdown files that are skipped are logged once. `lists` are the user's ignore lists.
    """
    found = ScanResult()
    waiting = [("", IgnoreRules.above(root.path, once, lists or Ignored()))]
    while waiting:
        directory, rules = waiting.pop()
        place = root.path / directory
        try:
            with os.scandir(place) as entries:
                listed = list(entries)
            found.directories[str(place)] = place.stat().st_ino
        except FileNotFoundError:
            if not directory:  # the root is gone, maybe temporarily: its files do not count as deleted
                found.unread.append("")
            continue
        except OSError as error:
            found.unread.append(directory)
            once.say(
                str(place),
                f"Cannot read the directory {root.shown(directory)}: {error.strerror}. Its content is not watched.",
            )
            continue
        rules = rules.inside(place, once)
        for entry in listed:
            relative = f"{directory}/{entry.name}" if directory else entry.name
            try:
                if _add(root, rules, once, found, entry, relative):
                    waiting.append((relative, rules))
            except FileNotFoundError:
                continue
            except OSError as error:
                found.unread.append(relative)
                once.say(entry.path, f"Skipping {root.shown(relative)}: {error.strerror}.")
    return found


def _add(
    root: Root, rules: IgnoreRules, once: OnceLogger, found: ScanResult, entry: os.DirEntry[str], relative: str
) -> bool:
    """Add a directory entry to the result. Returns whether it is a directory to scan."""
    is_directory = entry.is_dir(follow_symlinks=False)
    if not (is_directory or entry.is_symlink() or is_markdown(entry.name)):
        return False
    if _NO_PATH.search(entry.name):
        once.say(entry.path, f"Skipping {root.shown(relative)}: its name is not UTF-8 or contains a control character.")
        return False
    if rules.ignore(entry.path, is_directory=is_directory):
        return False
    if is_directory:
        return True
    if entry.is_symlink():
        _report_link(root, once, entry, relative)
        return False
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISREG(status.st_mode):
        found.files[relative] = Signature.of(status)
    else:
        once.say(entry.path, f"Skipping {root.shown(relative)}: it is not a regular file.")
    return False


def _report_link(root: Root, once: OnceLogger, entry: os.DirEntry[str], relative: str) -> None:
    """Log that a link to a directory or a Markdown file is not followed, unless its target is watched anyway."""
    if not Path(os.path.realpath(entry.path)).is_relative_to(root.path) and (is_markdown(entry.name) or entry.is_dir()):
        once.say(entry.path, f"Skipping the symbolic link {root.shown(relative)}: its target is outside {root.path}.")
