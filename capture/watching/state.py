"""What the watcher knows of one root: what the server has, what the disk has, and what is still to be done."""

import os
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from capture.filtering import Ignored
from capture.watching.files import Signature, signature_of
from capture.watching.ignoring import IgnoreRules
from capture.watching.roots import Root
from capture.watching.scanning import Found
from capture.watching.telling import Once

#: Seconds for which a file must not have changed before it is read.
QUIET = 0.5
#: A file that never stops changing is read after so many seconds all the same, and then again.
PATIENCE = 60.0
#: Seconds for which a missing file may turn up under another name before it is marked as deleted.
MISSING = 1.0
#: Seconds until the next try with a file that the server failed with; doubled each time.
RETRY, LONGEST_RETRY = 5.0, 600.0


@dataclass
class Waiting:
    """A file that is to be read when it is quiet."""

    signature: Signature | None
    #: When it was last seen to change, and when the waiting began; in seconds of the monotonic clock.
    changed: float
    since: float


@dataclass
class Counts:
    """What was done with the files of a root."""

    added: int = 0
    changed: int = 0
    renamed: int = 0
    deleted: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    chunks_added: int = 0
    chunks_kept: int = 0
    chunks_superseded: int = 0

    def add(self, answer: Mapping[str, Any], *, was_known: bool) -> None:
        """Count a version that was sent, by the server's answer."""
        if was_known:
            self.changed += 1
        else:
            self.added += 1
        self.chunks_added += int(answer.get("added") or 0)
        self.chunks_kept += int(answer.get("kept") or 0)
        self.chunks_superseded += int(answer.get("superseded") or 0)

    def __str__(self) -> str:
        files = ("added", "changed", "renamed", "deleted", "unchanged", "skipped", "failed")
        chunks = f"{self.chunks_added:,} added, {self.chunks_kept:,} kept, {self.chunks_superseded:,} superseded"
        return ", ".join(f"{getattr(self, name):,} {name}" for name in files) + f"; chunks: {chunks}"


@dataclass
class RootState:
    """One root. Only the watcher's main thread changes it."""

    root: Root
    once: Once = field(default_factory=Once)
    #: The hash of each file's current version on the server; a deleted file is not among them.
    known: dict[str, str] = field(default_factory=dict)
    #: What each file was when it was last dealt with.
    seen: dict[str, Signature] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    #: Files that the server knows and the disk has no more, and when each is marked as deleted.
    missing: dict[str, float] = field(default_factory=dict)
    in_flight: set[str] = field(default_factory=set)
    #: Files that the server failed with: how often, and when the next try is.
    failures: dict[str, tuple[int, float]] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    is_listed: bool = False
    #: Whether the first look through it is still under way, and of how many files.
    is_first: bool = True
    total: int = 0
    is_gone: bool = False
    number: tuple[int, int] | None = None
    lists: Ignored = field(default_factory=Ignored)
    next_scan: float = 0.0

    def __post_init__(self) -> None:
        self.number = self.place()
        self.renew_rules()

    def renew_rules(self) -> None:
        """Read the rules of what is ignored."""
        self.rules = IgnoreRules(self.root.path, self.once, self.lists)

    def relist(self, known: dict[str, str]) -> None:
        """Take over what the server says it has. What it has otherwise than was thought is read again."""
        for path in self.known.keys() | known.keys():
            if self.known.get(path) != known.get(path):
                self.seen.pop(path, None)
        self.known, self.is_listed = known, True
        self.missing = {path: due for path, due in self.missing.items() if path in known}

    def compare(self, found: Found, below: str, now: float) -> None:
        """Note what is to be done after a look through the root, or through one directory of it."""
        for path, signature in found.files.items():
            if self.seen.get(path) != signature:
                self.wait(path, signature, now)
            self.missing.pop(path, None)
        prefix = f"{below}/" if below else ""
        for path in self.known:
            if path.startswith(prefix) and path not in found.files and found.knows_of(path):
                self.miss(path, now)

    def wait(self, path: str, signature: Signature | None, now: float) -> None:
        """Read the file when it is quiet."""
        waiting = self.waiting.get(path)
        if waiting is None:
            self.waiting[path] = Waiting(signature, now - _age(signature), now)
        elif waiting.signature != signature:
            waiting.signature, waiting.changed = signature, now

    def miss_below(self, directories: Collection[str], now: float) -> None:
        """The files of these directories are missing."""
        if directories:
            for path in self.known:
                if any(above in directories for above in _above(path)):
                    self.miss(path, now)

    def miss(self, path: str, now: float) -> None:
        """Mark the file as deleted soon, unless it turns up."""
        self.missing.setdefault(path, now + MISSING)

    def is_quiet(self, path: str, now: float) -> bool:
        """Whether a waiting file may be read now; else notes what it looks like."""
        waiting = self.waiting[path]
        signature = signature_of(self.root.path / path)
        if signature != waiting.signature:
            waiting.signature, waiting.changed = signature, now
        return now - waiting.changed >= QUIET or now - waiting.since >= PATIENCE

    def fail(self, path: str, now: float) -> None:
        """The server failed with the file: try it again later."""
        times = self.failures.get(path, (0, 0.0))[0]
        self.failures[path] = times + 1, now + min(LONGEST_RETRY, RETRY * 2**times)

    def is_due(self, path: str, now: float) -> bool:
        """Whether a file may be tried, or tried again."""
        return path not in self.in_flight and (path not in self.failures or self.failures[path][1] <= now)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to do but to try again what failed."""
        return (
            self.is_listed
            and not self.in_flight
            and all(path in self.failures for path in self.waiting)
            and all(path in self.failures for path in self.missing)
        )

    def place(self) -> tuple[int, int] | None:
        """What tells the directory that is at the root's path from any other; None if there is none."""
        try:
            found = os.stat(self.root.path)
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None

    def notice_root(self) -> bool:
        """Look whether the root is there; returns whether that has changed (`is_gone`). A root is back when the same
        directory was found twice."""
        place = self.place()
        if place == self.number and place is not None:
            was_gone, self.is_gone = self.is_gone, False
            return was_gone
        self.number = place
        was_gone, self.is_gone = self.is_gone, True
        return not was_gone


def _age(signature: Signature | None) -> float:
    """For how many seconds a file has not changed; 0 where that is not known."""
    if signature is None:
        return 0.0
    return max(0.0, time.time() - max(signature.modified, signature.changed) / 1e9)


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
