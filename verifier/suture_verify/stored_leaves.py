"""Stores the leaves of a verification: few in memory, many in a file."""

import uuid
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import NamedTuple

from suture_verify.entries import HASH_SIZE

#: Bytes above which leaves are stored on disk.
_IN_MEMORY = 64 * 1024 * 1024
_BATCH = 4096
_ID_SIZE = 16
_KIND_SIZE = 4
_SIZE = HASH_SIZE + _ID_SIZE + _KIND_SIZE


class Leaf(NamedTuple):
    """A leaf: the kind and the id of its row, and its hash."""

    kind: str
    id: uuid.UUID
    hash: bytes


class StoredLeaves:
    """Leaves in order, 52 bytes each. Close it to release its memory or its file."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 # closed by close()
        self._fresh: list[bytes] = []  # not in the file yet
        self._written = 0
        self._numbers: dict[str, int] = {}
        self._kinds: list[str] = []

    def append(self, kind: str, id: uuid.UUID, digest: bytes) -> None:
        """Add the next leaf."""
        number = self._numbers.get(kind)
        if number is None:
            number = self._numbers[kind] = len(self._kinds)
            self._kinds.append(kind)
        self._fresh.append(digest + id.bytes + number.to_bytes(_KIND_SIZE))
        if len(self._fresh) >= _BATCH:
            self._write()

    def at(self, position: int) -> Leaf | None:
        """Return the leaf at a position; None if there is none."""
        if (fresh := position - self._written) >= 0:
            stored = self._fresh[fresh] if fresh < len(self._fresh) else b""
        else:
            self._file.seek(max(0, position) * _SIZE)
            stored = self._file.read(_SIZE) if position >= 0 else b""
        if not stored:
            return None
        kind = self._kinds[int.from_bytes(stored[HASH_SIZE + _ID_SIZE :])]
        return Leaf(kind, uuid.UUID(bytes=stored[HASH_SIZE : HASH_SIZE + _ID_SIZE]), stored[:HASH_SIZE])

    def hashes(self, start: int = 0) -> Iterator[bytes]:
        """Yield the hashes of all leaves from a position on, in order."""
        self._write()
        self._file.seek(start * _SIZE)
        while block := self._file.read(_BATCH * _SIZE):
            for at in range(0, len(block), _SIZE):
                yield block[at : at + HASH_SIZE]

    def close(self) -> None:
        """Release the memory or the file."""
        self._file.close()

    def _write(self) -> None:
        self._file.seek(0, 2)
        self._file.write(b"".join(self._fresh))
        self._written += len(self._fresh)
        self._fresh.clear()
