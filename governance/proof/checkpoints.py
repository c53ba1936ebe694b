"""A ledger against checkpoints that were published before and kept elsewhere."""

import uuid
from collections.abc import Sequence

from governance.proof.chains import ChainCheck
from governance.proof.entries import GOVERNANCE
from governance.proof.findings import Findings, Kind
from governance.proof.notes import Checkpoint, SignedNote, origin_of
from governance.proof.seals import TreeCheck


class CheckpointComparison:
    """Compares trusted notes with the governance chain and the tree, both complete."""

    def __init__(self, tenant: uuid.UUID, chain: ChainCheck | None, tree: TreeCheck, findings: Findings) -> None:
        self._origin, self._chain, self._tree, self._findings = origin_of(tenant), chain, tree, findings
        self._roots: dict[int, bytes] = {}
        self._heads: dict[int, bytes] = {}
        self._found: set[tuple[Kind, int]] = set()

    def compare(self, notes: Sequence[SignedNote]) -> int:
        """Report what disagrees; answers how many of the notes are the tenant's.

        Notes of other tenants are left out, since one file may hold those of all. Only notes of others are a fault:
        whoever compares believes that he has something to compare with.
        """
        own = [note for note in notes if note.checkpoint.origin == self._origin]
        if notes and not own:
            first = notes[0].checkpoint
            self._find(Kind.FOREIGN, first.seq, f"the checkpoints are of {first.origin}, not of {self._origin}")
        signed = [note.checkpoint for note in own if self._is_signed_by_the_chain(note)]
        reached = [checkpoint.size for checkpoint in signed if checkpoint.size <= self._tree.size]
        roots = self._tree.roots_at(reached)
        for checkpoint in signed:
            self._compare_with_others(checkpoint)
            self._compare_chain(checkpoint)
            self._compare_tree(checkpoint, roots)
        return len(own)

    def _is_signed_by_the_chain(self, note: SignedNote) -> bool:
        seq = note.checkpoint.seq
        # Without a first entry there is no key: what is missing was found already.
        keys = self._chain.keys_at(seq) if self._chain else []
        if keys and note.verify(keys) is None:
            self._find(Kind.KEY, seq, "a key that was not the chain's at this entry signed the checkpoint")
            return False
        return True

    def _compare_with_others(self, checkpoint: Checkpoint) -> None:
        if self._roots.setdefault(checkpoint.size, checkpoint.root) != checkpoint.root:
            detail = f"two checkpoints of {checkpoint.size} leaves have different roots"
            self._find(Kind.SPLIT_VIEW, checkpoint.seq, detail)
        if self._heads.setdefault(checkpoint.seq, checkpoint.head) != checkpoint.head:
            self._find(Kind.SPLIT_VIEW, checkpoint.seq, "two checkpoints name different entries of this number")

    def _compare_chain(self, checkpoint: Checkpoint) -> None:
        found = self._chain.hash_at(checkpoint.seq) if self._chain else None
        end = self._chain.next_seq if self._chain else 0
        if found is None and checkpoint.seq >= end:
            detail = f"a checkpoint was published of entry {checkpoint.seq}, and the chain ends before {end}"
            self._find(Kind.TRUNCATED, end, detail)
        elif found is not None and found != checkpoint.head:
            self._find(Kind.SPLIT_VIEW, checkpoint.seq, "the entry is not the one that the checkpoint names")

    def _compare_tree(self, checkpoint: Checkpoint, roots: dict[int, bytes]) -> None:
        root = roots.get(checkpoint.size)
        if root is not None and root != checkpoint.root:
            detail = f"the first {checkpoint.size} leaves do not give the checkpoint's root"
            self._find(Kind.SPLIT_VIEW, checkpoint.seq, detail)
        # Behind a missing leaf nothing can be compared; that it is missing was found already.
        elif root is None and not self._tree.is_broken:
            detail = f"the checkpoint covers {checkpoint.size} leaves, and there are {self._tree.size}"
            self._find(Kind.TRUNCATED, checkpoint.seq, detail)

    def _find(self, kind: Kind, seq: int, detail: str) -> None:
        """Report once a kind and entry: a cut end is missing from every later checkpoint too."""
        if (kind, seq) not in self._found:
            self._found.add((kind, seq))
            self._findings.add(kind, GOVERNANCE, seq, detail)
