"""The watcher's state of one root: the server's files, the files on disk, and the pending work."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from suture_client.watching.files import Signature
from suture_client.watching.markdown_files import MarkdownFile
from suture_client.watching.output import OnceLogger
from suture_client.watching.roots import Root
from suture_client.watching.scanning import ScanResult

#: Seconds without changes before a file is read.
QUIET = 0.5
#: Seconds after which a file that keeps changing is read anyway, repeatedly.
PATIENCE = 60.0
#: Seconds before a missing file is marked as deleted. It may have been renamed.
MISSING = 1.0
#: Seconds until a file is retried after a server error, doubled each time.
RETRY, LONGEST_RETRY = 5.0, 600.0

_FILES = ("added", "changed", "renamed", "deleted", "unchanged", "skipped", "failed")
_CHUNKS = ("added", "kept", "superseded")


@dataclass
class PendingFile:
    """A file that has changed since it was last handled."""

    signature: Signature
    #: When the change was first seen, and when to read the file.
    since: float
    due: float


@dataclass
class RootState:
    """The state of one root. Times are seconds of a monotonic clock. Threads change it only for renames."""

    root: Root
    once: OnceLogger = field(default_factory=OnceLogger)
    #: The hash of each file's current version on the server, without deleted files.
    known: dict[str, str] = field(default_factory=dict)
    is_listed: bool = False
    #: The signature of each file when it was last handled.
    seen: dict[str, Signature] = field(default_factory=dict)
    waiting: dict[str, PendingFile] = field(default_factory=dict)
    #: Files that the server has but the disk does not, and when to mark each as deleted.
    missing: dict[str, float] = field(default_factory=dict)
    #: The number of server errors per file.
    failures: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    #: The directories to watch, with their inode numbers.
    directories: dict[str, int] = field(default_factory=dict)
    is_gone: bool = False
    is_compared: bool = False
    is_reported: bool = False

    def relist(self, known: dict[str, str]) -> None:
        """Adopt the server's list of files. Files for which it differs from the known state are read again."""
        for path in self.known.keys() | known.keys():
            if self.known.get(path) != known.get(path):
                self.seen.pop(path, None)
        self.known, self.is_listed = known, True

    def compare(self, found: ScanResult, now: float) -> None:
        """Update the pending work after a scan of the root."""
        quiet = QUIET if self.is_compared else 0.0
        self.is_compared = True
        before, self.waiting = self.waiting, {}
        for path, signature in found.files.items():
            if self.seen.get(path) == signature:
                continue
            waiting = before.get(path)
            if waiting is None:
                waiting = PendingFile(signature, now, now + quiet)
            elif waiting.signature != signature:
                waiting = PendingFile(signature, waiting.since, min(now + QUIET, waiting.since + PATIENCE))
            self.waiting[path] = waiting
        self.missing = {
            path: self.missing.get(path, now + MISSING)
            for path in self.known
            if path not in found.files and found.covers(path)
        }

    def ready(self, now: float) -> list[str]:
        """Return the files to read now."""
        return [path for path, waiting in self.waiting.items() if waiting.due <= now]

    def deleted(self, now: float) -> list[str]:
        """Return the files that have been missing long enough to count as deleted."""
        return [path for path, due in self.missing.items() if due <= now]

    def due_times(self) -> Iterator[float]:
        """Yield the times of the next work."""
        yield from (waiting.due for waiting in self.waiting.values())
        yield from self.missing.values()

    def take_missing(self, path: str, file_hash: str) -> str | None:
        """Take a missing file with the same content from `missing`, preferably one with the same name; None if there is
        none."""
        name = path.rpartition("/")[2]
        alike = [one for one in list(self.missing) if self.known.get(one) == file_hash]
        alike.sort(key=lambda one: one.rpartition("/")[2] != name)
        return next((one for one in alike if self.missing.pop(one, None) is not None), None)

    def mark_stored(self, path: str, file: MarkdownFile) -> None:
        """Record that the server has the file."""
        self.known[path] = file.file_hash
        self.leave(path, file.signature)
        self.failures.pop(path, None)
        self.once.forget(str(self.root.path / path))

    def mark_absent(self, path: str) -> None:
        """Record that the server no longer has the file."""
        for kept in (self.known, self.seen, self.missing, self.failures):
            kept.pop(path, None)

    def leave(self, path: str, signature: Signature) -> None:
        """Ignore the file until it changes."""
        self.seen[path] = signature
        self.waiting.pop(path, None)

    def fail(self, path: str, now: float) -> None:
        """Schedule a retry after a server error."""
        due = now + min(LONGEST_RETRY, RETRY * 2 ** self.failures[path])
        self.failures[path] += 1
        if path in self.waiting:
            self.waiting[path].due = due
        else:
            self.missing[path] = due

    @property
    def is_settled(self) -> bool:
        """Return whether only retries are left to do."""
        return self.is_gone or (
            self.is_listed and all(path in self.failures for path in (*self.waiting, *self.missing))
        )

    def __str__(self) -> str:
        files = ", ".join(f"{self.counts[name]:,} {name}" for name in _FILES)
        return f"{files}; chunks: " + ", ".join(f"{self.counts[f'chunks {name}']:,} {name}" for name in _CHUNKS)


def counts_of(answer: Mapping[str, Any], *, was_known: bool) -> Counter[str]:
    """Return the counts for a sent version, from the server's answer."""
    chunks = {f"chunks {name}": int(answer.get(name) or 0) for name in _CHUNKS}
    return Counter(chunks) + Counter(["changed" if was_known else "added"])
