"""The tenant's tree of rows as a stream, checked against its seals and tree heads."""

import uuid
from collections import Counter, deque
from collections.abc import Iterable
from tempfile import SpooledTemporaryFile

from governance.proof.entries import GOVERNANCE, HASH_SIZE, Seal
from governance.proof.findings import LEAVES, Findings, Kind
from governance.proof.merkle import Frontier

#: More bytes of leaf hashes than this are kept on disk.
_IN_MEMORY = 64 * 1024 * 1024
_AT_ONCE = 4096


class _Labels:
    """The kinds and ids of one seal's leaves. A seal appends the rows of each kind together, in order of their ids.

    No hash binds a leaf to its kind and id, so only this order shows that somebody changed them.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._kind, self._id = "", 0

    def take(self, kind: str, id: uuid.UUID) -> bool:
        """Take the next leaf's kind and id; returns whether they may follow those before."""
        may_follow = id.int > self._id if kind == self._kind else kind not in self.counts
        self.counts[kind] += 1
        self._kind, self._id = kind, id.int
        return may_follow


class TreeCheck:
    """Takes all seals, then all leaves, in their order."""

    def __init__(self, findings: Findings) -> None:
        self.size = 0
        self.seals = 0
        self._findings = findings
        self._sealed = 0
        self._waiting: deque[tuple[int, Seal]] = deque()
        self._labels = _Labels()
        self._tree = Frontier()
        self._walked = Frontier()  # as far as roots_at() has come
        self._fresh: list[bytes] = []  # not in the tree or in the file yet
        self._hashes = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 # closed by close()
        self._is_broken = False  # a leaf is missing, so no root after it can be computed

    @property
    def unsealed(self) -> int:
        """How many leaves come after the last seal."""
        return max(0, self.size - self._sealed)

    def seal(self, seq: int, seal: Seal) -> None:
        """Take the seal of governance entry `seq`."""
        self.seals += 1
        if seal.previous_size != self._sealed:
            detail = f"it continues from {seal.previous_size} leaves, and the seal before it has {self._sealed}"
            self._findings.add(Kind.SEAL_MISMATCH, GOVERNANCE, seq, detail)
        if seal.size >= self._sealed:
            self._sealed = seal.size
            self._waiting.append((seq, seal))

    def leaf(self, position: int, kind: str, id: uuid.UUID, digest: bytes) -> None:
        """Take the next leaf: its kind, the id of its row and its leaf hash."""
        if position != self.size or self._is_broken:
            self._lose(position)
            return
        if position == 0:
            self._compare()
        if self._waiting and not self._labels.take(kind, id):
            detail = f"a seal has the rows of each kind together and in order, and {kind} {id} is out of order"
            self._findings.add(Kind.SEAL_MISMATCH, LEAVES, position, detail)
        self._fresh.append(digest)
        self.size += 1
        if len(self._fresh) >= _AT_ONCE or (self._waiting and self._waiting[0][1].size == self.size):
            self._compare()

    def hash_at(self, position: int) -> bytes | None:
        """The leaf hash at a position; None when no leaf is known there."""
        if not 0 <= position < self.size:
            return None
        if (fresh := position - self._tree.size) >= 0:
            return self._fresh[fresh]
        self._hashes.seek(position * HASH_SIZE)
        return self._hashes.read(HASH_SIZE)

    def roots_at(self, sizes: Iterable[int]) -> dict[int, bytes]:
        """The roots over the first leaves, for sizes up to the tree's own: one pass over all leaf hashes, also for
        several calls whose sizes increase from one to the next."""
        self._compare()
        wanted, roots = sorted(set(sizes)), {}
        if wanted and wanted[0] < self._walked.size:
            self._walked = Frontier()
        tree = self._walked
        self._hashes.seek(tree.size * HASH_SIZE)
        for size in wanted:
            while tree.size < size:
                block = self._hashes.read(min(_AT_ONCE, size - tree.size) * HASH_SIZE)
                tree.extend(block[at : at + HASH_SIZE] for at in range(0, len(block), HASH_SIZE))
            roots[size] = tree.root()
        return roots

    def finish(self) -> None:
        """Report the seals whose leaves never came."""
        self._compare()
        if not self._is_broken:
            for seq, seal in self._waiting:
                detail = f"it seals {seal.size} leaves, and there are {self.size}"
                self._findings.add(Kind.TRUNCATED, GOVERNANCE, seq, detail)

    def close(self) -> None:
        """Release the memory or file of the leaf hashes."""
        self._hashes.close()

    @property
    def is_broken(self) -> bool:
        """Whether a leaf is missing or out of order, so that nothing after it can be compared."""
        return self._is_broken

    def _lose(self, position: int) -> None:
        if not self._is_broken:
            detail = f"leaf {position} comes where {self.size} is expected; nothing after it can be compared"
            self._findings.add(Kind.GAP, LEAVES, self.size, detail)
            self._is_broken = True

    def _compare(self) -> None:
        self._tree.extend(self._fresh)
        self._hashes.seek(0, 2)
        self._hashes.write(b"".join(self._fresh))
        self._fresh.clear()
        while self._waiting and self._waiting[0][1].size == self._tree.size:
            seq, seal = self._waiting.popleft()
            if self._tree.root() != seal.root:
                detail = f"the first {seal.size} leaves do not give its root"
                self._findings.add(Kind.SEAL_MISMATCH, GOVERNANCE, seq, detail)
            labels, self._labels = self._labels, _Labels()
            if labels.counts != seal.counts:
                found = ", ".join(f"{count} {kind}" for kind, count in sorted(labels.counts.items()))
                detail = f"its leaves are {found or 'none'}, which is not what it counted"
                self._findings.add(Kind.SEAL_MISMATCH, GOVERNANCE, seq, detail)
