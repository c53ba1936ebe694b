"""Checks the tenant's tree of rows, as a stream, against its seals and tree heads."""

import uuid
from array import array
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from itertools import islice

from suture_verify.entries import GOVERNANCE, Seal
from suture_verify.findings import LEAVES, Findings, Kind, Row
from suture_verify.merkle import Frontier
from suture_verify.stored_leaves import Leaf, StoredLeaves

#: The number of leaves that are added to the tree at once.
_BATCH = 4096


class _Labels:
    """The kinds and ids of one seal's leaves. A seal appends the rows of each kind together, in order of their ids.

    No hash binds a leaf to its kind and id, so only this order reveals changes to them.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._kind, self._id = "", 0

    def take(self, kind: str, id: uuid.UUID) -> bool:
        """Add the next leaf's kind and id. Returns whether they are in order."""
        may_follow = id.int > self._id if kind == self._kind else kind not in self.counts
        self.counts[kind] += 1
        self._kind, self._id = kind, id.int
        return may_follow


class TreeCheck:
    """Takes all seals, then all leaves, in order."""

    def __init__(self, findings: Findings, size: int = 0, subtrees: Iterable[bytes] = ()) -> None:
        """Start after the first `size` leaves, which are already verified. `subtrees` are the hashes of their full
        subtrees."""
        self.size = self._begin = self._sealed = size
        self.seals = 0
        self._findings = findings
        self._before = tuple(subtrees)
        self._waiting: deque[tuple[int, Seal]] = deque()
        self._labels = _Labels()
        self._tree = Frontier(size, self._before)
        self._walked = Frontier(size, self._before)  # the progress of trees_at()
        self._fresh: list[bytes] = []  # not in the tree yet
        self._leaves = StoredLeaves()
        # The sizes of the seals, which increase, and their entries.
        self._sizes, self._entries = array("Q"), array("Q")
        self._is_broken = False  # a leaf is missing, so no root after it can be computed

    @property
    def unsealed(self) -> int:
        """The number of leaves after the last seal."""
        return max(0, self.size - self._sealed)

    @property
    def root(self) -> bytes:
        """The root over all leaves so far."""
        self._compare()
        return self._tree.root()

    def seal(self, seq: int, seal: Seal) -> None:
        """Add the seal of governance entry `seq`."""
        self.seals += 1
        if seal.previous_size != self._sealed:
            detail = f"it continues from {seal.previous_size} leaves, and the seal before it has {self._sealed}"
            self._findings.add(
                Kind.SEAL_MISMATCH, GOVERNANCE, seq, detail, found=str(seal.previous_size), expected=str(self._sealed)
            )
        if seal.size >= self._sealed:
            self._sealed = seal.size
            self._waiting.append((seq, seal))
            self._sizes.append(seal.size)
            self._entries.append(seq)

    def leaf(self, position: int, kind: str, id: uuid.UUID, digest: bytes) -> None:
        """Add the next leaf: its kind, the id of its row and its leaf hash."""
        if position != self.size or self._is_broken:
            self._report_missing_leaf(position)
            return
        if position == self._begin:
            self._compare()
        if self._waiting and not self._labels.take(kind, id):
            detail = f"a seal has the rows of each kind together and in order, and {kind} {id} is out of order"
            self._findings.add(
                Kind.SEAL_MISMATCH, LEAVES, position, detail, row=Row(kind, str(id)), since=self._waiting[0][0]
            )
        self._leaves.append(kind, id, digest)
        self._fresh.append(digest)
        self.size += 1
        if len(self._fresh) >= _BATCH or (self._waiting and self._waiting[0][1].size == self.size):
            self._compare()

    def leaf_at(self, position: int) -> Leaf | None:
        """Return the leaf at a position; None if it is unknown."""
        return self._leaves.at(position - self._begin)

    def seal_of(self, position: int) -> int | None:
        """Return the governance entry of the first seal that covers a position; None if none does."""
        at = bisect_right(self._sizes, position)
        return self._entries[at] if at < len(self._entries) else None

    @property
    def last_seal(self) -> int | None:
        """The governance entry of the last seal; None if there is none."""
        return self._entries[-1] if self._entries else None

    def trees_at(self, sizes: Iterable[int]) -> dict[int, Frontier]:
        """Return the trees of the first leaves for these sizes, if they are not already verified. This takes one pass
        over all leaf hashes, even for several calls with increasing sizes."""
        wanted = sorted({size for size in sizes if size >= self._begin})
        if wanted and wanted[0] < self._walked.size:
            self._walked = Frontier(self._begin, self._before)
        tree, trees = self._walked, {}
        hashes = self._leaves.hashes(tree.size - self._begin)
        for size in wanted:
            tree.extend(islice(hashes, size - tree.size))
            trees[size] = Frontier(size, tree.hashes)
        return trees

    def finish(self) -> None:
        """Report the seals whose leaves are missing."""
        self._compare()
        if not self._is_broken:
            for seq, seal in self._waiting:
                detail = f"it seals {seal.size} leaves, and there are {self.size}"
                self._findings.add(
                    Kind.TRUNCATED, GOVERNANCE, seq, detail, found=str(self.size), expected=str(seal.size), since=seq
                )

    def close(self) -> None:
        """Release the memory or file of the leaves."""
        self._leaves.close()

    @property
    def is_broken(self) -> bool:
        """Whether a leaf is missing or out of order, so that nothing after it can be compared."""
        return self._is_broken

    def _report_missing_leaf(self, position: int) -> None:
        if not self._is_broken:
            detail = f"leaf {position} comes where {self.size} is expected; nothing after it can be compared"
            self._findings.add(
                Kind.GAP, LEAVES, self.size, detail, found=f"leaf {position}", expected=f"leaf {self.size}",
                since=self.seal_of(self.size),
            )  # fmt: skip
            self._is_broken = True

    def _compare(self) -> None:
        self._tree.extend(self._fresh)
        self._fresh.clear()
        while self._waiting and self._waiting[0][1].size == self._tree.size:
            seq, seal = self._waiting.popleft()
            root = self._tree.root()
            if root != seal.root:
                detail = f"the first {seal.size} leaves do not give its root"
                self._findings.add(
                    Kind.SEAL_MISMATCH, GOVERNANCE, seq, detail, found=root.hex(), expected=seal.root.hex(), since=seq
                )
            labels, self._labels = self._labels, _Labels()
            if labels.counts != seal.counts:
                found, expected = _listed(labels.counts), _listed(seal.counts)
                detail = f"its leaves are {found}, which is not what it counted"
                self._findings.add(
                    Kind.SEAL_MISMATCH, GOVERNANCE, seq, detail, found=found, expected=expected, since=seq
                )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"
