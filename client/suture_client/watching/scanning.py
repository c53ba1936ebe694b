"""Looking through a root for Markdown files and for the directories to watch."""

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from suture_client.filtering import Ignored
from suture_client.watching.files import Signature, is_markdown
from suture_client.watching.ignoring import IgnoreRules
from suture_client.watching.output import Once
from suture_client.watching.roots import Root

#: What no path on the server has: control characters, and bytes that are no UTF-8.
_NO_PATH = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass
class Found:
    """What is in a root."""

    #: The Markdown files, relative to the root.
    files: dict[str, Signature] = field(default_factory=dict)
    #: The directories that are not ignored, by their absolute paths, each with what tells it from any other.
    directories: dict[str, int] = field(default_factory=dict)
    #: What could not be looked at, relative to the root: nothing is known of what is in it.
    unread: list[str] = field(default_factory=list)

    def knows_of(self, relative: str) -> bool:
        """Whether the scan says if there is such a file."""
        return not any(not one or f"{relative}/".startswith(f"{one}/") for one in self.unread)


def scan(root: Root, once: Once, lists: Ignored | None = None) -> Found:
    """What is in the root and not ignored. Follows no symbolic link and opens no file but those of rules.

    Each path that is left out although it looks like a Markdown file is logged once. `lists` are the user's own.
    """
    found = Found()
    waiting = [("", IgnoreRules.above(root.path, once, lists or Ignored()))]
    while waiting:
        directory, rules = waiting.pop()
        place = root.path / directory
        try:
            with os.scandir(place) as entries:
                listed = list(entries)
            found.directories[str(place)] = place.stat().st_ino
        except FileNotFoundError:
            if not directory:  # the root itself: what was in it is not gone for good
                found.unread.append("")
            continue
        except OSError as error:
            found.unread.append(directory)
            once.say(
                str(place),
                f"Cannot read the directory {root.shown(directory)}: {error.strerror}. What is in it is not watched.",
            )
            continue
        rules = rules.inside(place, once)
        for entry in listed:
            relative = f"{directory}/{entry.name}" if directory else entry.name
            try:
                if _take(root, rules, once, found, entry, relative):
                    waiting.append((relative, rules))
            except FileNotFoundError:
                continue
            except OSError as error:
                found.unread.append(relative)
                once.say(entry.path, f"Skipping {root.shown(relative)}: {error.strerror}.")
    return found


def _take(root: Root, rules: IgnoreRules, once: Once, found: Found, entry: os.DirEntry[str], relative: str) -> bool:
    """Note what an entry of a directory is; returns whether it is a directory to look through."""
    is_directory = entry.is_dir(follow_symlinks=False)
    if not (is_directory or entry.is_symlink() or is_markdown(entry.name)):
        return False
    if _NO_PATH.search(entry.name):
        once.say(entry.path, f"Skipping {root.shown(relative)}: its name is not UTF-8, or has a control character.")
        return False
    if rules.ignore(entry.path, is_directory=is_directory):
        return False
    if is_directory:
        return True
    if entry.is_symlink():
        _tell_of_link(root, once, entry, relative)
        return False
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISREG(status.st_mode):
        found.files[relative] = Signature.of(status)
    else:
        once.say(entry.path, f"Skipping {root.shown(relative)}: it is not a regular file.")
    return False


def _tell_of_link(root: Root, once: Once, entry: os.DirEntry[str], relative: str) -> None:
    """Say of a link to a directory or to a Markdown file that it is not followed, where what it leads to is not watched
    at a path of its own."""
    if not Path(os.path.realpath(entry.path)).is_relative_to(root.path) and (is_markdown(entry.name) or entry.is_dir()):
        once.say(entry.path, f"Skipping the symbolic link {root.shown(relative)}: it leads out of {root.path}.")
