"""Verifies one tenant's ledger: takes entries and leaves as a stream, and returns a report."""

import sys
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import BinaryIO, Literal, Self

from suture_verify import entries
from suture_verify.chains import ChainCheck, SignedEntry
from suture_verify.cosignatures import Quorum
from suture_verify.entries import GOVERNANCE, Entry, MalformedEntry
from suture_verify.export import EntryLine, ExportReader
from suture_verify.findings import CONTENT, LEAVES, Findings, Kind, Report, Row
from suture_verify.following import START
from suture_verify.notes import SignedNote, TreeHead
from suture_verify.seals import TreeCheck
from suture_verify.signatures import Claim, SignatureChecks
from suture_verify.tree_heads import TreeHeadComparison
from suture_verify.verified_until import VerifiedUntil

#: States of a content, which only a database shows: its words do not match its hash; only the words are missing; or
#: words and hash are missing.
ContentState = Literal["altered", "missing", "lost"]

#: In seconds. The threads that check signatures briefly need the GIL after each one, but by default the busy reading
#: thread releases it only every 5 ms.
_SWITCH_INTERVAL = 0.00002

#: A row is sealed at the latest by the second complete seal after the entry that names it.
_SEALS_UNTIL_SEALED = 2


class Verifier:
    """Checks one snapshot of a tenant's ledger: all entries, in the order of each chain, then all leaves in order.

    The chains may come in any order. Close it, or use it as a context manager, if `finish` may not be called.
    """

    def __init__(
        self, tenant: uuid.UUID, exported_at: datetime | None = None, *, since: VerifiedUntil | None = None
    ) -> None:
        """`exported_at`: the time of the export; None for a database. `since`: the state that is already verified; only
        later data is passed."""
        self.tenant = tenant
        self._exported_at = exported_at
        self._tenant_text = str(tenant)
        #: The findings so far. Callers may add their own.
        self.findings = Findings()
        self._signatures: SignatureChecks[SignedEntry] = SignatureChecks(self._settle)
        self._chains: dict[str, ChainCheck] = {}
        #: The time of the first seal that was passed.
        self.first_sealed_at: datetime | None = None
        self._begin = time.perf_counter()
        self._entries = self._signed = self._leaves = 0
        # Heads in seals that arrived before their entries: (chain, seq) -> (hash, seal)
        self._heads: dict[tuple[str, int], tuple[bytes, int]] = {}
        self._other_heads: set[tuple[str, int]] = set()
        # The last complete seals: (entry, the heads of all other chains)
        self._last_seals: list[tuple[int, dict[str, int]]] = []
        # Referenced rows whose leaf has not arrived: (kind, id) -> the first entry of each chain that refers to it
        self._references: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}
        self._redacted: set[str] = set()
        self._missing: dict[str, ContentState] = {}
        self._since = since
        if since is None:
            self._tree = TreeCheck(self.findings)
        else:
            self._tree = TreeCheck(self.findings, since.tree_head.size, since.subtrees)
            for chain in since.chains:
                self._begin_chain(chain)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the threads and release memory and files, as `finish` does."""
        self._signatures.close()
        self._tree.close()

    def entry(self, chain: str, seq: int, canonical: bytes, hash: bytes, signature: bytes) -> Entry | None:
        """Add the next entry of a chain; returns it if its bytes match the hash and belong there. Raises ValueError
        after a leaf, because seals must come before the leaves."""
        if self._leaves:
            raise ValueError("entries come before leaves")
        self._entries += 1
        check = self._chains.get(chain) or self._begin_chain(chain)
        entry = check.entry(seq, canonical, hash, signature)
        if entry is not None:
            self._interpret(chain, seq, entry)
        return entry

    def leaf(self, position: int, kind: str, id: uuid.UUID, hash: bytes) -> None:
        """Add the next leaf: its kind, the id of its row and its leaf hash."""
        self._leaves += 1
        self._tree.leaf(position, kind, id, hash)
        if kind in entries.REFERENCES:
            self._references.pop((kind, str(id)), None)

    def row(self, position: int, recomputed: bytes | None) -> None:
        """Compare a leaf with the hash of its current row, None if the row is missing. Call it after `leaf`."""
        leaf = self._tree.leaf_at(position)
        name = f"the {leaf.kind} {leaf.id}" if leaf else "the row"
        row = Row(leaf.kind, str(leaf.id)) if leaf else None
        since = self._tree.seal_of(position)
        if recomputed is None:
            self.findings.add(
                Kind.CONTENT_MISSING, LEAVES, position, f"{name} was sealed and is gone", row=row, since=since
            )
        elif leaf is not None and leaf.hash != recomputed:
            self.findings.add(
                Kind.CONTENT_MISMATCH, LEAVES, position, f"{name} is not what was sealed", row=row,
                found=f"leaf hash {recomputed.hex()}", expected=f"leaf hash {leaf.hash.hex()}", since=since,
            )  # fmt: skip

    def columns(self, chain: str, seq: int) -> None:
        """Report an entry whose database columns differ from its canonical bytes."""
        self.findings.add(Kind.CONTENT_MISMATCH, chain, seq, "the columns of this entry differ from what was signed")

    def head(self, chain: str, seq: int, hash: bytes) -> None:
        """Compare the last entry of a chain with the database's (-1: none). Call it after the chain's entries."""
        check = self._chains.get(chain)
        end = check.next_seq if check else 0
        if seq >= end:
            self.findings.add(Kind.TRUNCATED, chain, end, f"entry {seq} is its head, and the chain ends before {end}")
        elif seq < end - 1:
            self.findings.add(Kind.GAP, chain, seq + 1, f"it comes after entry {seq}, which is the head of the chain")
        elif check is not None and check.hash_at(seq) not in (hash, None):
            self.findings.add(Kind.LINK, chain, seq, "it is not the entry that is the head of the chain")

    def tree(self, size: int, root: bytes | None) -> None:
        """Compare the size and root of the tree with the database's. Call it after the leaves."""
        if size != self._tree.size:
            detail = f"the tree has {size} leaves, as its row says, and there are {self._tree.size}"
            self.findings.add(
                Kind.SEAL_MISMATCH, LEAVES, min(size, self._tree.size), detail,
                found=str(size), expected=str(self._tree.size),
            )  # fmt: skip
        elif size and not self._tree.is_broken and root != self._tree.root:
            self.findings.add(
                Kind.SEAL_MISMATCH, LEAVES, size - 1, "the leaves do not give the root of the tree's row",
                found=root.hex() if root else "none", expected=self._tree.root.hex(),
            )  # fmt: skip

    def unresolved(self) -> list[tuple[str, uuid.UUID]]:
        """Return the kinds and ids of referenced rows that have no leaf so far."""
        return [(kind, uuid.UUID(id_)) for kind, id_ in self._references if _is_id(id_)]

    def known_leaf(self, kind: str, id: uuid.UUID) -> None:
        """Register a row that has a leaf before `since`."""
        self._references.pop((kind, str(id)), None)

    def known_redaction(self, canonical: bytes) -> None:
        """Register a redaction before `since`."""
        with suppress(MalformedEntry):  # the contents then stay unexplained
            self._redacted.update(entries.redacted_contents(entries.parse_entry(canonical).metadata))

    def unexplained(self) -> bool:
        """Return whether missing contents are not explained by a redaction so far."""
        return any(id_ not in self._redacted for id_ in self._missing)

    def verified_until(self, tree_head: TreeHead, at: datetime) -> VerifiedUntil | None:
        """Return how far the ledger is verified, if there are no findings: up to a published tree head; None if that
        covers less than the earlier verification. Call it before `finish`."""
        governance = self._chains.get(GOVERNANCE)
        position = governance.position_at(tree_head.seq) if governance else None
        tree = self._tree.trees_at([tree_head.size]).get(tree_head.size) if tree_head.size <= self._tree.size else None
        if position is None or tree is None or (position.hash, tree.root()) != (tree_head.head, tree_head.root):
            return None
        chains = {name: check.position for name, check in self._chains.items()}
        return VerifiedUntil(
            tree_head,
            tree.hashes,
            {**{name: one for name, one in chains.items() if one.public_key}, GOVERNANCE: position},
            at,
            self._since.whole_at if self._since else at,
        )

    def content(self, id: uuid.UUID, state: ContentState) -> None:
        """Register a content that differs from the record. A missing one is a finding unless a redaction names it. A
        lost one always is: an erasure leaves the hash, without which the sealed rows of these words cannot be
        verified."""
        if state != "altered":
            self._missing[str(id)] = state
        else:
            detail = f"the words of {id} do not match their hash"
            self.findings.add(Kind.CONTENT_MISMATCH, CONTENT, None, detail, row=Row("content", str(id)))

    def finish(self, tree_heads: Iterable[SignedNote] = (), quorum: Quorum | None = None) -> Report:
        """Run the checks that need the whole ledger, compare with trusted tree heads, and return the report. The newest
        tree head needs the cosignatures of the quorum. Ends the verification."""
        try:
            self._signatures.finish()
            for check in self._chains.values():
                check.finish()
            self._tree.finish()
            governance = self._chains.get(GOVERNANCE)
            if governance is None:
                self.findings.add(Kind.GAP, GOVERNANCE, 0, "there is no entry of the governance chain")
            self._find_unmatched_heads()
            self._find_dangling_references()
            self._find_missing_contents()
            comparison = TreeHeadComparison(
                self.tenant, governance, self._tree, self.findings, self._exported_at, quorum
            )
            compared = comparison.compare(note for note in tree_heads if self._is_given(note))
        finally:
            self.close()
        return Report(
            findings=self.findings.sorted(),
            finding_count=self.findings.count,
            entries=self._entries,
            chains=len(self._chains),
            leaves=self._leaves,
            unsealed=self._tree.unsealed,
            seals=self._tree.seals,
            erased=len(self._redacted),
            tree_heads=compared,
            signatures=self._signed,
            seconds=time.perf_counter() - self._begin,
            since=self._since,
        )

    def _begin_chain(self, name: str) -> ChainCheck:
        start = self._since.chains.get(name, START) if self._since else START
        check = ChainCheck(name, self._tenant_text, self.findings, self._signatures, start)
        self._chains[name] = check
        return check

    def _is_given(self, note: SignedNote) -> bool:
        """Return whether a tree head can be compared, because it is not older than the verified state."""
        before, head = self._since, note.tree_head
        return before is None or (head.size >= before.tree_head.size and head.seq >= before.tree_head.seq)

    def _settle(self, claim: Claim[SignedEntry], holds: bool) -> None:
        self._signed += 1
        claim.subject.chain.settle(claim, holds)

    def _interpret(self, chain: str, seq: int, entry: Entry) -> None:
        for kind in entries.REFERENCES:
            named = entry.metadata.get(kind)
            if type(named) is str:
                self._refer(kind, named, chain, seq)
        if entry.type == entries.EDITS_PROPOSED:
            for edit in entries.edits_of(entry.metadata):
                self._refer("edit", edit, chain, seq)
        try:
            if entry.type == entries.SEAL and chain == GOVERNANCE:
                self._take_seal(seq, entry)
            elif entry.type == entries.REDACTION:
                self._redacted.update(entries.redacted_contents(entry.metadata))
        except MalformedEntry as error:
            kind_found = Kind.SEAL_MISMATCH if entry.type == entries.SEAL else Kind.MALFORMED
            self.findings.add(kind_found, chain, seq, str(error))

    def _refer(self, kind: str, id_: str, chain: str, seq: int) -> None:
        known = self._references.get((kind, id_), ())
        if all(name != chain for name, _ in known):
            self._references[kind, id_] = (*known, (chain, seq))

    def _take_seal(self, seq: int, entry: Entry) -> None:
        seal = entries.parse_seal(entry.metadata)
        self._tree.seal(seq, seal)
        self.first_sealed_at = self.first_sealed_at or entry.ts
        if seal.is_complete:
            heads = {name: head for name, (head, _) in seal.heads.items()}
            self._last_seals = [*self._last_seals[1 - _SEALS_UNTIL_SEALED :], (seq, heads)]
        for name, (head, digest) in seal.heads.items():
            check = self._chains.get(name)
            found = check.hash_at(head) if check else None
            if found is None:
                expected, _ = self._heads.setdefault((name, head), (digest, seq))
                found = expected
            if found != digest:
                self._find_other_head(name, head, seq, found, digest)

    def _find_unmatched_heads(self) -> None:
        cut: set[str] = set()
        for (name, head), (digest, seal) in self._heads.items():
            check = self._chains.get(name)
            found = check.hash_at(head) if check else None
            end = check.next_seq if check else 0
            if found is None and head >= end and name not in cut:
                cut.add(name)
                detail = f"the seal in governance entry {seal} names entry {head}, and the chain ends before {end}"
                self.findings.add(Kind.TRUNCATED, name, end, detail, since=seal)
            elif found is not None and found != digest:
                self._find_other_head(name, head, seal, found, digest)

    def _find_other_head(self, name: str, head: int, seal: int, found: bytes, expected: bytes) -> None:
        if (name, head) in self._other_heads:
            return
        self._other_heads.add((name, head))
        detail = f"the seal in governance entry {seal} names another entry of this number"
        self.findings.add(
            Kind.SEAL_MISMATCH, name, head, detail, found=f"hash {found.hex()}", expected=f"hash {expected.hex()}",
            since=seal,
        )  # fmt: skip

    def _find_dangling_references(self) -> None:
        if len(self._last_seals) < _SEALS_UNTIL_SEALED or self._tree.is_broken:
            return
        # Times do not show which entries precede a seal, because clocks may be wrong. Its chain and heads do.
        before, heads = self._last_seals[0]
        for (kind, id_), places in self._references.items():
            for chain, seq in places:
                if seq < before if chain == GOVERNANCE else seq <= heads.get(chain, -1):
                    detail = f"the {kind} {id_} has no leaf"
                    self.findings.add(
                        Kind.DANGLING_REFERENCE, chain, seq, detail, row=Row(kind, id_), since=self._last_seals[1][0]
                    )
                    break

    def _find_missing_contents(self) -> None:
        for id_, state in self._missing.items():
            if id_ not in self._redacted:
                detail = f"the words of {id_} are missing"
            elif state == "lost":
                detail = f"the words of {id_} were erased, and their hash, which the erasure left, is missing"
            else:
                continue
            self.findings.add(Kind.CONTENT_MISSING, CONTENT, None, detail, row=Row("content", id_))


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def verify_export(
    file: BinaryIO, tree_heads: Iterable[SignedNote] = (), quorum: Quorum | None = None
) -> tuple[Report, uuid.UUID]:
    """Verify an open export; returns the report and the tenant. The newest tree head needs the cosignatures of the
    quorum. Raises MalformedExport.

    Intended for a process that does nothing else, because it changes the thread switch interval until it returns.
    """
    reader = ExportReader(file)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        with Verifier(reader.header.tenant, reader.header.exported_at) as verifier:
            for line in reader:
                if isinstance(line, EntryLine):
                    verifier.entry(*line)
                else:
                    verifier.leaf(*line)
            return verifier.finish(tree_heads, quorum), reader.header.tenant
    finally:
        sys.setswitchinterval(usual)
