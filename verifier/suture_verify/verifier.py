"""The verifier of one tenant's ledger: it takes entries and leaves as a stream and returns a report."""

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

#: What only a database can show about a content: its words do not match its hash; they are missing, and their hash was
#: left; or words and hash are missing.
ContentState = Literal["altered", "missing", "lost"]

#: Seconds. The threads that check signatures need the GIL for a moment after each one, and by default the busy reading
#: thread would release it only every 5 ms.
_SWITCH_INTERVAL = 0.00002

#: At the latest, the second complete seal after the entry that names a row seals the row.
_SEALS_UNTIL_SEALED = 2


class Verifier:
    """Checks one snapshot of a tenant's ledger: all entries, in the order of each chain, then all leaves in their
    order.

    The chains can come in any order. Close it, or use it as a context manager, if `finish` may not be reached.
    """

    def __init__(
        self, tenant: uuid.UUID, exported_at: datetime | None = None, *, since: VerifiedUntil | None = None
    ) -> None:
        """`exported_at`: the snapshot is an export of that time; None for a database. `since`: only what came after is
        given, and what that says is taken as verified."""
        self.tenant = tenant
        self._exported_at = exported_at
        self._tenant_text = str(tenant)
        #: What was found so far: whoever verifies more than a verifier can adds to it.
        self.findings = Findings()
        self._signatures: SignatureChecks[SignedEntry] = SignatureChecks(self._settle)
        self._chains: dict[str, ChainCheck] = {}
        #: When the first seal that is given was made, as its entry says.
        self.first_sealed_at: datetime | None = None
        self._begin = time.perf_counter()
        self._entries = self._signed = self._leaves = 0
        # Heads in seals whose entries had not come when the seal came: (chain, seq) -> (hash, seal)
        self._heads: dict[tuple[str, int], tuple[bytes, int]] = {}
        self._other_heads: set[tuple[str, int]] = set()
        # The last complete seals: (entry, the heads of all other chains)
        self._last_seals: list[tuple[int, dict[str, int]]] = []
        # Rows that entries refer to and whose leaf has not come: (kind, id) -> the first entry of each chain that does
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
        """Stop the threads and release memory and files; `finish` does it too."""
        self._signatures.close()
        self._tree.close()

    def entry(self, chain: str, seq: int, canonical: bytes, hash: bytes, signature: bytes) -> Entry | None:
        """Take the next entry of a chain; returns it if its bytes match the hash and belong there. Raises ValueError
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
        """Take the next leaf: its kind, the id of its row and its leaf hash."""
        self._leaves += 1
        self._tree.leaf(position, kind, id, hash)
        if kind in entries.REFERENCES:
            self._references.pop((kind, str(id)), None)

    def row(self, position: int, recomputed: bytes | None) -> None:
        """Take the leaf hash computed from the row of a leaf now, None if the row is missing; call it after `leaf`."""
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
        """Take an entry whose database columns differ from its canonical bytes."""
        self.findings.add(Kind.CONTENT_MISMATCH, chain, seq, "the columns of this entry differ from what was signed")

    def head(self, chain: str, seq: int, hash: bytes) -> None:
        """Take the last entry of a chain as a database has it (-1: none); call it after the chain's entries."""
        check = self._chains.get(chain)
        end = check.next_seq if check else 0
        if seq >= end:
            self.findings.add(Kind.TRUNCATED, chain, end, f"entry {seq} is its head, and the chain ends before {end}")
        elif seq < end - 1:
            self.findings.add(Kind.GAP, chain, seq + 1, f"it comes after entry {seq}, which is the head of the chain")
        elif check is not None and check.hash_at(seq) not in (hash, None):
            self.findings.add(Kind.LINK, chain, seq, "it is not the entry that is the head of the chain")

    def tree(self, size: int, root: bytes | None) -> None:
        """Take the size and root of the tree as a database has them; call it after the leaves."""
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
        """The kinds and ids of rows that entries refer to and that have no leaf so far."""
        return [(kind, uuid.UUID(id_)) for kind, id_ in self._references if _is_id(id_)]

    def known_leaf(self, kind: str, id: uuid.UUID) -> None:
        """Take a row that a leaf before `since` was made of."""
        self._references.pop((kind, str(id)), None)

    def known_redaction(self, canonical: bytes) -> None:
        """Take a redaction before `since`."""
        with suppress(MalformedEntry):  # what it would explain stays unexplained
            self._redacted.update(entries.redacted_contents(entries.parse_entry(canonical).metadata))

    def unexplained(self) -> bool:
        """Whether contents are missing that no redaction explains so far."""
        return any(id_ not in self._redacted for id_ in self._missing)

    def verified_until(self, tree_head: TreeHead, at: datetime) -> VerifiedUntil | None:
        """How far the ledger is verified, if the verification finds nothing: up to a published tree head; None if
        that covers less than what was verified before. Call it before `finish`."""
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
        """Take a content that differs from what was recorded. A missing one is a finding unless a redaction names it. A
        lost one is always: an erasure leaves the hash, without which nothing shows whether the rows of these words are
        what was sealed."""
        if state != "altered":
            self._missing[str(id)] = state
        else:
            detail = f"the words of {id} do not match their hash"
            self.findings.add(Kind.CONTENT_MISMATCH, CONTENT, None, detail, row=Row("content", str(id)))

    def finish(self, tree_heads: Iterable[SignedNote] = (), quorum: Quorum | None = None) -> Report:
        """Make the checks that need the whole ledger, compare with trusted tree heads, of which the newest needs the
        cosignatures of a quorum, and report. Ends the verification."""
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
        """Whether what a tree head says can be compared: not one from before what was verified already."""
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
        # No time tells which entries came before a seal: their chain or its heads do, whatever clocks said.
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
    """Verify an export that is open for reading; returns the report and the tenant. The newest of the tree heads needs
    the cosignatures of a quorum. Raises MalformedExport.

    For a process that does nothing else: it makes threads switch more often until it returns.
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
