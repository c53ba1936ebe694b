"""What the watcher knows of one root: what the server has, what the disk has, and what is still to be done."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from suture_client.watching.files import Signature
from suture_client.watching.output import Once
from suture_client.watching.reading import MarkdownFile
from suture_client.watching.roots import Root
from suture_client.watching.scanning import Found

#: Seconds for which a file must not have changed before it is read.
QUIET = 0.5
#: A file that never stops changing is read after so many seconds all the same, and then again.
PATIENCE = 60.0
#: Seconds for which a missing file may turn up under another name before it is marked as deleted.
MISSING = 1.0
#: Seconds until the next try with a file that the server failed with; doubled each time.
RETRY, LONGEST_RETRY = 5.0, 600.0

_FILES = ("added", "changed", "renamed", "deleted", "unchanged", "skipped", "failed")
_CHUNKS = ("added", "kept", "superseded")


@dataclass
class Waiting:
    """A file that is other than when it was last dealt with."""

    signature: Signature
    #: Since when it waits, and when it is to be read.
    since: float
    due: float


@dataclass
class RootState:
    """One root. Times are seconds of a monotonic clock. Threads change it only by what they rename."""

    root: Root
    once: Once = field(default_factory=Once)
    #: The hash of each file's current version on the server; a deleted file is not among them.
    known: dict[str, str] = field(default_factory=dict)
    is_listed: bool = False
    #: What each file was when it was last dealt with.
    seen: dict[str, Signature] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    #: Files that the server knows and the disk has no more, and when each is marked as deleted.
    missing: dict[str, float] = field(default_factory=dict)
    #: How often the server failed with a file.
    failures: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    #: The directories to watch, each with what tells it from any other.
    directories: dict[str, int] = field(default_factory=dict)
    is_gone: bool = False
    is_compared: bool = False
    is_told: bool = False

    def relist(self, known: dict[str, str]) -> None:
        """Take over what the server says it has. What it has otherwise than was thought is read again."""
        for path in self.known.keys() | known.keys():
            if self.known.get(path) != known.get(path):
                self.seen.pop(path, None)
        self.known, self.is_listed = known, True

    def compare(self, found: Found, now: float) -> None:
        """Note what is to be done after a look through the root."""
        quiet = QUIET if self.is_compared else 0.0
        self.is_compared = True
        before, self.waiting = self.waiting, {}
        for path, signature in found.files.items():
            if self.seen.get(path) == signature:
                continue
            waiting = before.get(path)
            if waiting is None:
                waiting = Waiting(signature, now, now + quiet)
            elif waiting.signature != signature:
                waiting = Waiting(signature, waiting.since, min(now + QUIET, waiting.since + PATIENCE))
            self.waiting[path] = waiting
        self.missing = {
            path: self.missing.get(path, now + MISSING)
            for path in self.known
            if path not in found.files and found.knows_of(path)
        }

    def ready(self, now: float) -> list[str]:
        """The files to read now."""
        return [path for path, waiting in self.waiting.items() if waiting.due <= now]

    def deleted(self, now: float) -> list[str]:
        """The files that are missing for so long that they are taken for deleted."""
        return [path for path, due in self.missing.items() if due <= now]

    def dues(self) -> Iterator[float]:
        """When there is something to do."""
        yield from (waiting.due for waiting in self.waiting.values())
        yield from self.missing.values()

    def take_missing(self, path: str, file_hash: str) -> str | None:
        """A missing file of the same content, one of the same name rather than another, that nobody else has taken."""
        name = path.rpartition("/")[2]
        alike = [one for one in list(self.missing) if self.known.get(one) == file_hash]
        alike.sort(key=lambda one: one.rpartition("/")[2] != name)
        return next((one for one in alike if self.missing.pop(one, None) is not None), None)

    def has(self, path: str, file: MarkdownFile) -> None:
        """The server has the file as it was read."""
        self.known[path] = file.file_hash
        self.leave(path, file.signature)
        self.failures.pop(path, None)
        self.once.forget(str(self.root.path / path))

    def has_no_more(self, path: str) -> None:
        """The server has no current version of the file any more."""
        for kept in (self.known, self.seen, self.missing, self.failures):
            kept.pop(path, None)

    def leave(self, path: str, signature: Signature) -> None:
        """Leave the file as it is until it changes."""
        self.seen[path] = signature
        self.waiting.pop(path, None)

    def fail(self, path: str, now: float) -> None:
        """The server failed with the file: try it again later."""
        due = now + min(LONGEST_RETRY, RETRY * 2 ** self.failures[path])
        self.failures[path] += 1
        if path in self.waiting:
            self.waiting[path].due = due
        else:
            self.missing[path] = due

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to do but to try again what failed."""
        return self.is_gone or (
            self.is_listed and all(path in self.failures for path in (*self.waiting, *self.missing))
        )

    def __str__(self) -> str:
        files = ", ".join(f"{self.counts[name]:,} {name}" for name in _FILES)
        return f"{files}; chunks: " + ", ".join(f"{self.counts[f'chunks {name}']:,} {name}" for name in _CHUNKS)


def counted(answer: Mapping[str, Any], *, was_known: bool) -> Counter[str]:
    """What a version that was sent adds to the counts, by the server's answer."""
    chunks = {f"chunks {name}": int(answer.get(name) or 0) for name in _CHUNKS}
    return Counter(chunks) + Counter(["changed" if was_known else "added"])
