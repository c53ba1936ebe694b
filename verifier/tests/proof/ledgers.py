"""A small ledger that signs real entries, and the ways to tamper with one."""

import dataclasses
import io
import json
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify import entries, merkle
from suture_verify.entries import GOVERNANCE
from suture_verify.export import EntryLine, Header, LeafLine, write_export
from suture_verify.notes import SignedNote, TreeHead, origin_of, parse_notes, sign_note
from suture_verify.verifier import Verifier

BEGIN = datetime(2026, 5, 1, tzinfo=UTC)
ALICE = "agent:alice"


def digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


@dataclasses.dataclass
class Ledger:
    """A ledger as a server would write it for one tenant."""

    tenant: uuid.UUID = dataclasses.field(default_factory=uuid.uuid4)
    lines: list[EntryLine] = dataclasses.field(default_factory=list)
    leaves: list[LeafLine] = dataclasses.field(default_factory=list)
    keys: dict[str, Ed25519PrivateKey] = dataclasses.field(default_factory=dict)
    sealed: int = 0
    clock: int = 0

    # -- writing

    def add(self, type: str = "edit.rejected", chain: str = GOVERNANCE, **metadata: Any) -> EntryLine:
        """Append an entry; a new chain begins with its opening entry."""
        if chain not in self.keys:
            self.keys[chain] = Ed25519PrivateKey.generate()
            self._append(chain, entries.opening_type(chain), {"public_key": self.public(chain).hex()})
        return self._append(chain, type, metadata)

    def rotate(self, chain: str = GOVERNANCE) -> Ed25519PrivateKey:
        """Let a new key sign the chain; answers the old one."""
        old, new = self.keys[chain], Ed25519PrivateKey.generate()
        self.add(
            "key.rotated",
            chain,
            public_key=new.public_key().public_bytes_raw().hex(),
            previous_key=self.public(chain).hex(),
        )
        self.keys[chain] = new
        return old

    def row(self, kind: str = "event", id: uuid.UUID | None = None) -> LeafLine:
        """Add a row, as a leaf that the next seal takes."""
        # as those of a server: in order
        id = id or uuid.UUID(int=len(self.leaves) << 64 | uuid.uuid4().int >> 65)
        self.leaves.append(LeafLine(len(self.leaves), kind, id, merkle.leaf_hash(id.bytes)))
        return self.leaves[-1]

    def seal(self, **changes: Any) -> EntryLine:
        """Seal all rows so far."""
        heads = {name: self.tip(name) for name in self.keys if name != GOVERNANCE}
        metadata: dict[str, Any] = {
            "size": len(self.leaves),
            "root": self.root().hex(),
            "previous_size": self.sealed,
            "counts": dict(Counter(leaf.kind for leaf in self.leaves[self.sealed :])),
            "chains": {name: [head.seq, head.hash.hex()] for name, head in heads.items()},
        }
        self.sealed = len(self.leaves)
        return self.add("seal", **metadata | changes)

    def _append(self, chain: str, type: str, metadata: dict[str, Any]) -> EntryLine:
        self.clock += 1
        before = None if type in (entries.GENESIS, entries.IDENTITY) else self.tip(chain)
        canonical = rfc8785.dumps(
            {
                "tenant": str(self.tenant),
                "chain": chain,
                "seq": before.seq + 1 if before else 0,
                "ts": (BEGIN + timedelta(seconds=self.clock)).isoformat(timespec="microseconds"),
                "type": type,
                "retention": "committed",
                "content_hash": None,
                "prev_hash": (before.hash if before else entries.NO_HASH).hex(),
                "metadata": metadata,
            }
        )
        self.lines.append(signed(chain, before.seq + 1 if before else 0, canonical, self.keys[chain]))
        return self.lines[-1]

    # -- looking

    def public(self, chain: str = GOVERNANCE) -> bytes:
        return self.keys[chain].public_key().public_bytes_raw()

    def tip(self, chain: str = GOVERNANCE) -> EntryLine:
        return next(line for line in reversed(self.lines) if line.chain == chain)

    def root(self, size: int | None = None) -> bytes:
        return merkle.root_of(leaf.hash for leaf in self.leaves[:size])

    def note(self, *, key: Ed25519PrivateKey | None = None, **changes: Any) -> SignedNote:
        """The tree head that the server publishes now."""
        return parse_notes(self.note_text(key=key, **changes))[0]

    def note_text(self, *, key: Ed25519PrivateKey | None = None, **changes: Any) -> str:
        tip = self.tip()
        tree_head = TreeHead(origin_of(self.tenant), self.sealed, self.root(self.sealed), tip.seq, tip.hash)
        return sign_note(dataclasses.replace(tree_head, **changes), key or self.keys[GOVERNANCE])

    def export(self) -> bytes:
        lines = sorted(self.lines, key=lambda line: line.chain)
        header = Header(self.tenant, "acme", BEGIN)
        return "".join(write_export(header, lines, self.leaves)).encode()

    def file(self) -> io.BytesIO:
        return io.BytesIO(self.export())

    def verifier(self) -> Verifier:
        """A verifier that has taken everything and is not finished."""
        verifier = Verifier(self.tenant)
        for line in self.lines:
            verifier.entry(*line)
        for leaf in self.leaves:
            verifier.leaf(*leaf)
        return verifier

    # -- tampering

    def copy(self) -> "Ledger":
        return dataclasses.replace(
            self, lines=list(self.lines), leaves=list(self.leaves), keys=dict(self.keys), sealed=self.sealed
        )

    def index(self, seq: int, chain: str = GOVERNANCE) -> int:
        return next(at for at, line in enumerate(self.lines) if (line.chain, line.seq) == (chain, seq))

    def rewrite(self, at: int, key: Ed25519PrivateKey, *, chain: str = GOVERNANCE, **changes: Any) -> None:
        """Change an entry, then link and sign it and all behind it again with a key."""
        previous = None
        for line in [line for line in self.lines if line.chain == chain and line.seq >= at]:
            fields = json.loads(line.canonical)
            fields |= changes if previous is None else {"prev_hash": previous.hex()}
            made = signed(chain, line.seq, rfc8785.dumps(fields), key)
            self.lines[self.lines.index(line)], previous = made, made.hash


def signed(chain: str, seq: int, canonical: bytes, key: Ed25519PrivateKey) -> EntryLine:
    return EntryLine(chain, seq, canonical, sha256(canonical).digest(), key.sign(canonical))


def small_ledger() -> Ledger:
    """Build a ledger with two chains, seals, references and a key rotation."""
    ledger = Ledger()
    edit, verdict = uuid.uuid4(), uuid.uuid4()
    ledger.add("tenant.created", slug="acme")
    ledger.add("memory", ALICE, memory="one")
    ledger.row()
    ledger.row("edit", edit)
    ledger.add("edit.proposed", edit=str(edit), reason="größer, 日本, \U0001f600")
    ledger.seal()
    ledger.row("verdict", verdict)
    ledger.add("edit.approved", edit=str(edit), verdict=str(verdict))
    ledger.add("memory", ALICE, memory="two", weight=0.5)
    ledger.seal()
    ledger.rotate()
    ledger.row()
    ledger.add("policy.changed", policy="strict", overrides=[])
    ledger.seal()
    return ledger


def verify(ledger: Ledger, *notes: SignedNote) -> Any:
    return ledger.verifier().finish(notes)


def found(ledger: Ledger, *notes: SignedNote) -> list[tuple[str, str, int | None]]:
    return [(finding.kind.value, finding.chain, finding.seq) for finding in verify(ledger, *notes).findings]
