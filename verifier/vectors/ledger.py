"""A small ledger with fixed keys, ids and times, as a server would write it for one tenant."""

import dataclasses
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
from suture_verify.notes import TreeHead, origin_of, sign_note

BEGIN = datetime(2026, 5, 1, tzinfo=UTC)
ALICE = "agent:alice"


def id_of(name: str) -> uuid.UUID:
    """Return a fixed id for a name."""
    return uuid.uuid5(uuid.NAMESPACE_URL, f"suture:vector:{name}")


def seed_of(name: str) -> bytes:
    """Return a fixed private key (RFC 8032) for a name."""
    return sha256(f"suture vector {name}".encode()).digest()


def key_of(name: str) -> Ed25519PrivateKey:
    """Return the signing key of a name."""
    return Ed25519PrivateKey.from_private_bytes(seed_of(name))


def public(key: Ed25519PrivateKey) -> str:
    """Return the public key in an entry's notation."""
    return key.public_key().public_bytes_raw().hex()


#: The tenants of the vectors, and the keys of the first one's chains.
ACME, OTHER = id_of("tenant acme"), id_of("tenant other")


def signed(chain: str, seq: int, canonical: bytes, key: Ed25519PrivateKey) -> EntryLine:
    """Return an entry line whose hash and signature match its bytes."""
    return EntryLine(chain, seq, canonical, sha256(canonical).digest(), key.sign(canonical))


@dataclasses.dataclass
class Ledger:
    """The lines of an export under construction."""

    tenant: uuid.UUID = ACME
    lines: list[EntryLine] = dataclasses.field(default_factory=list)
    leaves: list[LeafLine] = dataclasses.field(default_factory=list)
    rows: list[str] = dataclasses.field(default_factory=list)
    keys: dict[str, Ed25519PrivateKey] = dataclasses.field(default_factory=dict)
    sealed: int = 0
    clock: int = 0

    def add(self, type: str, chain: str = GOVERNANCE, *, content: bytes | None = None, **metadata: Any) -> EntryLine:
        """Append an entry. A new chain starts with an entry that names its key."""
        if chain not in self.keys:
            self.keys[chain] = key_of(f"{self.tenant} {chain}")
            self._append(chain, entries.opening_type(chain), {"public_key": public(self.keys[chain])}, None)
        return self._append(chain, type, metadata, content)

    def rotate(self) -> None:
        """Replace the key of the governance chain."""
        old, new = self.keys[GOVERNANCE], key_of(f"{self.tenant} rotated")
        self.add("key.rotated", public_key=public(new), previous_key=public(old))
        self.keys[GOVERNANCE] = new

    def row(self, kind: str, *columns: Any) -> uuid.UUID:
        """Record a row for the next seal, and return its id. The columns are strings and null, which PostgreSQL writes
        as Python does."""
        id = uuid.UUID(int=len(self.leaves) << 96 | id_of(f"{kind} {len(self.leaves)}").int >> 32)
        text = json.dumps([f"{kind}/1", str(self.tenant), str(id), *columns], ensure_ascii=False)
        self.rows.append(text)
        self.leaves.append(LeafLine(len(self.leaves), kind, id, merkle.leaf_hash(text.encode())))
        return id

    def seal(self, **changes: Any) -> EntryLine:
        """Seal all rows so far. `changes` are applied to the metadata before signing."""
        heads = {name: self.tip(name) for name in self.keys if name != GOVERNANCE}
        metadata: dict[str, Any] = {
            "size": len(self.leaves),
            "root": self.root().hex(),
            "previous_size": self.sealed,
            "counts": dict(Counter(leaf.kind for leaf in self.leaves[self.sealed :])),
            "complete": True,
            "chains": {name: [head.seq, head.hash.hex()] for name, head in heads.items()},
        }
        self.sealed = len(self.leaves)
        return self.add("seal", **metadata | changes)

    def tip(self, chain: str = GOVERNANCE) -> EntryLine:
        """Return the last entry of a chain."""
        return next(line for line in reversed(self.lines) if line.chain == chain)

    def root(self, size: int | None = None) -> bytes:
        """Return the root over the first leaves."""
        return merkle.root_of(leaf.hash for leaf in self.leaves[:size])

    def subtree(self, start: int, end: int) -> bytes:
        """Return the root over the leaves from `start` to `end`."""
        return merkle.root_of(leaf.hash for leaf in self.leaves[start:end])

    def note(self, key: Ed25519PrivateKey | None = None, **changes: Any) -> str:
        """Return the tree head that the server would publish now."""
        tip = self.tip()
        head = TreeHead(origin_of(self.tenant), self.sealed, self.root(self.sealed), tip.seq, tip.hash)
        return sign_note(dataclasses.replace(head, **changes), key or self.keys[GOVERNANCE])

    def export(self) -> bytes:
        """Return the export as the server writes it."""
        header = Header(self.tenant, "acme", BEGIN + timedelta(hours=1))
        lines = sorted(self.lines, key=lambda line: line.chain)
        return "".join(write_export(header, lines, self.leaves)).encode()

    # -- tampering

    def at(self, seq: int, chain: str = GOVERNANCE) -> int:
        """Return the index of an entry in `lines`."""
        return next(at for at, line in enumerate(self.lines) if (line.chain, line.seq) == (chain, seq))

    def change(self, seq: int, chain: str = GOVERNANCE, **parts: Any) -> None:
        """Replace parts of an entry's line."""
        at = self.at(seq, chain)
        self.lines[at] = self.lines[at]._replace(**parts)

    def fields(self, seq: int, chain: str = GOVERNANCE) -> dict[str, Any]:
        """Return the fields of an entry."""
        found: dict[str, Any] = json.loads(self.lines[self.at(seq, chain)].canonical)
        return found

    def rewrite(
        self, seq: int, key: Ed25519PrivateKey | None = None, /, chain: str = GOVERNANCE, **changes: Any
    ) -> None:
        """Change an entry, then link and sign it and all later ones again, with the key of the chain or another."""
        previous: bytes | None = None
        signer = key or self.keys[chain]
        for line in [line for line in self.lines if line.chain == chain and line.seq >= seq]:
            fields = json.loads(line.canonical)
            fields |= changes if previous is None else {"prev_hash": previous.hex()}
            made = signed(chain, line.seq, rfc8785.dumps(fields), signer)
            self.lines[self.lines.index(line)], previous = made, made.hash

    def _append(self, chain: str, type: str, metadata: dict[str, Any], content: bytes | None) -> EntryLine:
        self.clock += 1
        before = None if type in (entries.GENESIS, entries.IDENTITY) else self.tip(chain)
        seq = before.seq + 1 if before else 0
        canonical = rfc8785.dumps(
            {
                "tenant": str(self.tenant),
                "chain": chain,
                "seq": seq,
                "ts": (BEGIN + timedelta(seconds=self.clock)).isoformat(timespec="microseconds"),
                "type": type,
                "retention": "committed",
                "content_hash": content.hex() if content else None,
                "prev_hash": (before.hash if before else entries.NO_HASH).hex(),
                "metadata": metadata,
            }
        )
        self.lines.append(signed(chain, seq, canonical, self.keys[chain]))
        return self.lines[-1]


def whole() -> Ledger:
    """Build a ledger with two chains, an edit and its verdict, a rotated key, a redaction, and two seals.

    Governance: 0 genesis, 1 tenant.created, 2 edit.proposed, 3 seal, 4 edit.approved, 5 key.rotated, 6 redaction,
    7 seal, 8 policy.changed. Alice's: 0 identity, 1 and 2 memory.committed. Leaves: 0 event, 1 chunk, 2 edit; 3 event,
    4 verdict.
    """
    ledger = Ledger()
    odd: dict[str, Any] = {"\U0001f600": "before", "\ue000": "after", "share": 0.5}
    ledger.add("tenant.created", slug="acme", **odd)
    ledger.row("event", "message", None)
    chunk = ledger.row("chunk", "größer, 日本, \U0001f600", None)
    ledger.add("memory.committed", ALICE, content=sha256(b"salt and words").digest(), chunk=str(chunk))
    edit = ledger.row("edit", str(chunk), "amend")
    ledger.add("edit.proposed", edit=str(edit), reason='größer, 日本, \U0001f600, "\\" \x7f\n')
    ledger.seal()
    ledger.row("event", "message", None)
    verdict = ledger.row("verdict", str(edit), "approve")
    ledger.add("edit.approved", edit=str(edit), verdict=str(verdict), count=2**53 - 1)
    ledger.rotate()
    ledger.add("memory.committed", ALICE, content=sha256(b"other words").digest(), chunk=str(id_of("content")))
    ledger.add(
        "redaction",
        erasure=str(id_of("erasure")),
        contents=[[str(id_of("content")), sha256(b"other words").hexdigest()]],
    )
    ledger.seal()
    ledger.add("policy.changed", policy="strict", overrides=[])
    return ledger
