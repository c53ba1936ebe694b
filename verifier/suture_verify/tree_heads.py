"""Compares a ledger with tree heads that were published earlier and kept elsewhere."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime

from suture_verify.chains import ChainCheck
from suture_verify.cosignatures import Quorum
from suture_verify.entries import GOVERNANCE
from suture_verify.findings import Findings, Kind
from suture_verify.notes import SignedNote, TreeHead, origin_of
from suture_verify.seals import TreeCheck

#: The number of notes that are compared at once. A file may have millions.
_BATCH = 1_000
#: The most tree heads within the ledger that are also compared with each other.
_MAX_REMEMBERED = 100_000


class TreeHeadComparison:
    """Compares trusted notes with the complete governance chain and tree."""

    def __init__(
        self,
        tenant: uuid.UUID,
        chain: ChainCheck | None,
        tree: TreeCheck,
        findings: Findings,
        exported_at: datetime | None = None,
        quorum: Quorum | None = None,
    ) -> None:
        """`exported_at`: the time of the export, which may be older than a tree head; None for a database. `quorum`:
        the cosignatures that the newest tree head needs."""
        self._origin, self._chain, self._tree, self._findings = origin_of(tenant), chain, tree, findings
        self._exported_at = exported_at
        self._quorum = quorum
        self._newest: SignedNote | None = None
        # the largest tree that the quorum has cosigned
        self._witnessed: TreeHead | None = None
        self._roots: dict[int, bytes] = {}
        self._heads: dict[int, bytes] = {}
        # the tree head that names the last of the entries after the chain's end
        self._furthest: TreeHead | None = None
        self._found: set[tuple[Kind, int]] = set()

    def compare(self, notes: Iterable[SignedNote]) -> int:
        """Report every contradiction, and return the number of the tenant's notes.

        A file may have notes of all tenants, so those of others are skipped. If all notes belong to others, that is a
        finding, because the caller expects a comparison.
        """
        foreign: TreeHead | None = None
        compared = 0
        own: list[SignedNote] = []
        for note in notes:
            if note.tree_head.origin != self._origin:
                foreign = foreign or note.tree_head
                continue
            own.append(note)
            compared += 1
            if len(own) == _BATCH:
                self._compare(own)
                own = []
        self._compare(own)
        if self._furthest is not None:
            self._report_missing_end(self._furthest)
        if self._quorum is not None:
            self._require_witnessed(self._quorum)
        if foreign and not compared:
            self._find(Kind.FOREIGN, foreign.seq, f"the tree heads are of {foreign.origin}, not of {self._origin}")
        return compared

    def _compare(self, notes: Sequence[SignedNote]) -> None:
        signed = []
        for note in notes:
            if self._is_signed_by_the_chain(note):
                signed.append(note.tree_head)
                self._take_cosignatures(note)
        reached = [tree_head.size for tree_head in signed if tree_head.size <= self._tree.size]
        trees = self._tree.trees_at(reached)
        roots = {size: tree.root() for size, tree in trees.items()}
        for tree_head in signed:
            self._compare_with_others(tree_head, roots)
            self._compare_chain(tree_head)
            self._compare_tree(tree_head, roots)

    def _take_cosignatures(self, note: SignedNote) -> None:
        if self._quorum is None:
            return
        place = note.tree_head.size, note.tree_head.seq
        newest = self._newest.tree_head if self._newest else None
        if newest is None or place >= (newest.size, newest.seq):
            # Copies of a note may have different cosignatures.
            if newest == note.tree_head and self._newest:
                note = SignedNote(note.tree_head, (*self._newest.signatures, *note.signatures))
            self._newest = note
        if len(self._quorum.witnesses_of(note)) >= self._quorum.needed:
            known = self._witnessed
            if known is None or place >= (known.size, known.seq):
                self._witnessed = note.tree_head

    def _require_witnessed(self, quorum: Quorum) -> None:
        """Require cosignatures on the newest tree head, because an older one does not cover later entries."""
        if self._newest is None:
            self._find(Kind.NOT_WITNESSED, -1, "there is no tree head that a witness could have cosigned")
            return
        names = quorum.witnesses_of(self._newest)
        if len(names) >= quorum.needed:
            return
        known = self._witnessed
        reach = f"the first {known.size} rows and {known.seq + 1} entries are witnessed" if known else "nothing is"
        self._find(
            Kind.NOT_WITNESSED,
            self._newest.tree_head.seq,
            f"{len(names)} of {quorum.needed} needed witnesses cosigned the newest tree head"
            f" ({', '.join(names) or 'none'}); {reach}",
        )

    def _is_signed_by_the_chain(self, note: SignedNote) -> bool:
        seq = note.tree_head.seq
        # a missing first entry, and thus no key, is already reported
        keys = self._chain.keys_at(seq) if self._chain else []
        if keys and note.verify(keys) is None:
            self._find(Kind.KEY, seq, "a key that was not the chain's at this entry signed the tree head")
            return False
        return True

    def _compare_with_others(self, tree_head: TreeHead, roots: dict[int, bytes]) -> None:
        # each is also compared with the ledger, so only those beyond its end must be remembered
        is_beyond = self._tree.is_broken or tree_head.size not in roots
        if self._other(self._roots, tree_head.size, tree_head.root, is_beyond) != tree_head.root:
            detail = f"two tree heads of {tree_head.size} leaves have different roots"
            other = self._roots[tree_head.size]
            self._find(Kind.SPLIT_VIEW, tree_head.seq, detail, tree_head.root, other)
        is_beyond = self._chain is None or self._chain.hash_at(tree_head.seq) is None
        if self._other(self._heads, tree_head.seq, tree_head.head, is_beyond) != tree_head.head:
            detail = "two tree heads name different entries of this number"
            self._find(Kind.SPLIT_VIEW, tree_head.seq, detail, tree_head.head, self._heads[tree_head.seq])

    @staticmethod
    def _other(known: dict[int, bytes], number: int, value: bytes, is_beyond: bool) -> bytes:
        if is_beyond or len(known) < _MAX_REMEMBERED:
            return known.setdefault(number, value)
        return known.get(number, value)

    def _compare_chain(self, tree_head: TreeHead) -> None:
        found = self._chain.hash_at(tree_head.seq) if self._chain else None
        end = self._chain.next_seq if self._chain else 0
        if found is None and tree_head.seq >= end and self._exported_at is not None:
            self._find(Kind.OLDER, end, self._older(tree_head, end))
        elif found is None and tree_head.seq >= end:
            if self._furthest is None or tree_head.seq > self._furthest.seq:
                self._furthest = tree_head
        elif found is not None and found != tree_head.head:
            detail = "the entry is not the one that the tree head names"
            self._find(Kind.SPLIT_VIEW, tree_head.seq, detail, found, tree_head.head)

    def _compare_tree(self, tree_head: TreeHead, roots: dict[int, bytes]) -> None:
        root = roots.get(tree_head.size)
        if root is not None and root != tree_head.root:
            detail = f"the first {tree_head.size} leaves do not give the tree head's root"
            self._find(Kind.SPLIT_VIEW, tree_head.seq, detail, root, tree_head.root)
        # nothing after a missing leaf can be compared; the missing leaf is already reported
        elif root is None and not self._tree.is_broken and not self._is_older(tree_head):
            missing = tree_head.size - self._tree.size
            detail = (
                f"the tree head covers {tree_head.size} leaves, and there are {self._tree.size}:"
                f" {missing} sealed row{'s are' if missing > 1 else ' is'} missing"
            )
            self._find(Kind.TRUNCATED, tree_head.seq, detail, since=self._tree.last_seal)

    def _report_missing_end(self, tree_head: TreeHead) -> None:
        """Report how many entries are missing up to the furthest tree head beyond the chain's end."""
        end = self._chain.next_seq if self._chain else 0
        missing = tree_head.seq - end + 1
        # a separate finding from rows that are missing at the same entry
        self._findings.add(
            Kind.TRUNCATED,
            GOVERNANCE,
            end,
            f"a published tree head names entry {tree_head.seq}, and the chain ends before {end}:"
            f" {missing} {'entries are' if missing > 1 else 'entry is'} missing",
            since=self._tree.last_seal,
        )

    def _is_older(self, tree_head: TreeHead) -> bool:
        """Return whether the export ends before the tree head, which is already reported."""
        return self._exported_at is not None and (self._chain is None or tree_head.seq >= self._chain.next_seq)

    def _older(self, tree_head: TreeHead, end: int) -> str:
        return (
            f"the tree head names entry {tree_head.seq}, and the export, made {self._exported_at:%Y-%m-%d %H:%M:%S%z},"
            f" ends before {end}"
        )

    def _find(
        self,
        kind: Kind,
        seq: int,
        detail: str,
        found: bytes | None = None,
        expected: bytes | None = None,
        since: int | None = None,
    ) -> None:
        """Report each kind and entry once: a missing end contradicts every later tree head."""
        if (kind, seq) not in self._found:
            self._found.add((kind, seq))
            shown, wanted = (None if digest is None else digest.hex() for digest in (found, expected))
            self._findings.add(
                kind, GOVERNANCE, seq if seq >= 0 else None, detail, found=shown, expected=wanted, since=since
            )
