"""The only writer of the ledger. Entries are the last statements of the change's transaction: no entry, no change.

From the lock of a chain's head to the COMMIT, all others that append to this chain wait. So a request holds back its
entries (`hold_back`) until everything else is done (`append_held`). Outside a request, a service appends at its end.
"""

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import rfc8785
from django.db import connection

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import db, entry_types, keyring, published_tree_heads
from governance.models import new_id
from suture_verify.entries import AGENT_CHAIN, GOVERNANCE, KEY_ROTATED, opening_type


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a future entry. `type` is registered (see entry_types), and `metadata` has its declared fields:
    ids, hashes, names and reasons that RFC 8785 can encode (no number beyond 2**53, no text of memory)."""

    type: str
    metadata: Mapping[str, Any]
    content_hash: bytes | None = None
    retention: str = "committed"


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry that was appended: its place in its chain and its hash."""

    id: uuid.UUID
    seq: int
    ts: datetime
    hash: bytes


def require_writable(tenant_id: uuid.UUID) -> None:
    """Refuse a change that has no entry if the ledger would refuse one. Called within the tenant. A missing signing key
    is not checked here, because it makes the receipt fail (receipts.py).

    Raises published.LedgerIsBehind and published.TreeHeadsUnreadable.
    """
    published_tree_heads.require_not_behind(tenant_id)


@dataclass(frozen=True, slots=True)
class _HeldEntry:
    """An entry that is held back, with its chain and the savepoints in which it was recorded."""

    draft: Draft
    prepared: "_Prepared"
    chain: str
    savepoints: tuple[str | None, ...]


@dataclass(slots=True)
class Held:
    """The entries that a request holds back."""

    actor: Principal
    entries: list["_HeldEntry"] = field(default_factory=list)

    def forget(self, savepoint: str) -> None:
        """Drop entries recorded since a savepoint that is rolled back."""
        self.entries = [one for one in self.entries if savepoint not in one.savepoints]

    def is_of(self, actor: Principal) -> bool:
        """Whether the entries of `actor` are held back."""
        mine = self.actor
        return (mine.tenant_id, mine.kind, mine.id) == (actor.tenant_id, actor.kind, actor.id)


@contextmanager
def held_back() -> Iterator[None]:
    """Within the block, the entries of the principal given to `hold_back` wait for append_held(). Entries still held at
    its end are dropped, because the transaction is then rolled back."""
    try:
        yield
    finally:
        connection.held_entries = None  # type: ignore[attr-defined] # of our own backend


def hold_back(actor: Principal) -> None:
    """Hold back the entries of `actor` from now on; see held_back()."""
    connection.held_entries = Held(actor)  # type: ignore[attr-defined] # as above


def append_held() -> None:
    """Append the held entries, as the last statements before the COMMIT. Does nothing if the transaction will be rolled
    back. Raises the same as append_all."""
    held = _held()
    if held is None or connection.needs_rollback:
        return
    # the governance chain last, because all actors append to it
    for chain in sorted({one.chain for one in held.entries}, key=lambda name: (name == GOVERNANCE, name)):
        _append_held_of(held, chain)


def _append_held_of(held: Held, chain: str) -> None:
    due = [one.prepared for one in held.entries if one.chain == chain]
    held.entries = [one for one in held.entries if one.chain != chain]
    if due:
        _append(due, held.actor, chain)


def held_values(name: str) -> set[Any]:
    """The values of one metadata field in the held entries, which count as recorded."""
    held = _held()
    return {one.draft.metadata.get(name) for one in held.entries} if held else set()


def _held() -> Held | None:
    return getattr(connection, "held_entries", None)


def record(
    type: str,
    *,
    actor: Principal,
    metadata: Mapping[str, Any],
    chain: str = GOVERNANCE,
    content_hash: bytes | None = None,
    retention: str = "committed",
) -> None:
    """Append one entry to a chain of the actor's tenant; see record_all."""
    record_all([Draft(type, metadata, content_hash, retention)], actor=actor, chain=chain)


def record_all(drafts: Sequence[Draft], *, actor: Principal, chain: str = GOVERNANCE) -> None:
    """Append entries to a chain of the actor's tenant, in the open transaction: at its end if a request holds back the
    actor's entries, otherwise now.

    Raises UnknownEntryType and EntryDoesNotFit for an entry that does not match its declaration, ValueError for one
    that RFC 8785 cannot encode, and, now or at the end, the exceptions of append_all.
    """
    held = _held()
    if held is None or not held.is_of(actor):
        append_all(drafts, actor=actor, chain=chain)
        return
    if drafts:
        published_tree_heads.require_not_behind(actor.tenant_id)
        within = tuple(connection.savepoint_ids)
        held.entries += [_HeldEntry(one, _Prepared.of(one, actor, chain), chain, within) for one in drafts]


def append_all(drafts: Sequence[Draft], *, actor: Principal, chain: str = GOVERNANCE) -> list[Recorded]:
    """Append entries now, each signed and linked to the previous one, and return their places. A new chain begins with
    an entry that pins its key.

    The chain's head stays locked until the transaction ends, so that the chain cannot fork: do everything else first.
    Raises SigningKeyMissing, published.LedgerIsBehind and published.TreeHeadsUnreadable: then nothing may be written.
    Raises UnknownEntryType and EntryDoesNotFit for an entry that does not match its declaration.
    """
    if not drafts:
        return []
    if (held := _held()) is not None:
        _append_held_of(held, chain)  # to keep the order
    gate.act_as(actor)
    published_tree_heads.require_not_behind(actor.tenant_id)
    return _append([_Prepared.of(draft, actor, chain) for draft in drafts], actor, chain)


def _append(prepared: Sequence["_Prepared"], actor: Principal, chain: str) -> list[Recorded]:
    gate.act_as(actor)
    # 1. Lock the head: others that append to this chain wait from here to our COMMIT.
    head = db.lock_chain(tenant=actor.tenant_id, name=chain)
    pinned = head.public_key
    key = keyring.signer_of(pinned) if pinned else keyring.for_new_chain()
    writer = _Writer(actor, chain, key, head)
    if pinned is None:
        writer.append(_opening(chain, key))
    recorded = [writer.append_prepared(one) for one in prepared]
    # 2. The database hashes the bytes itself, and refuses entries that do not follow the head.
    writer.write(expected=pinned, next_key=key.public if pinned is None else None)
    return recorded


def open_chain(chain: str, *, actor: Principal) -> Recorded | None:
    """Begin a chain of the actor's tenant with the entry that pins its key; None if it exists. Raises the same as
    append_all."""
    gate.act_as(actor)
    published_tree_heads.require_not_behind(actor.tenant_id)
    head = db.lock_chain(tenant=actor.tenant_id, name=chain)
    if head.public_key:
        return None
    key = keyring.for_new_chain()
    writer = _Writer(actor, chain, key, head)
    opened = writer.append(_opening(chain, key))
    writer.write(expected=None, next_key=key.public)
    return opened


def _opening(chain: str, key: keyring.SigningKey) -> Draft:
    owner = {"agent": chain.removeprefix(AGENT_CHAIN)} if chain.startswith(AGENT_CHAIN) else {}
    return Draft(opening_type(chain), {"public_key": key.public.hex(), **owner})


def rotate_key(chain: str, *, actor: Principal, to: keyring.SigningKey) -> Recorded:
    """Make `to` the chain's signing key, by an entry that the current key signs.

    Raises SigningKeyMissing if the current key is not here.
    """
    gate.act_as(actor)
    published_tree_heads.require_not_behind(actor.tenant_id)
    head = db.lock_chain(tenant=actor.tenant_id, name=chain)
    present = keyring.signer_of(head.public_key or b"")
    writer = _Writer(actor, chain, present, head)
    rotated = writer.append(Draft(KEY_ROTATED, {"public_key": to.public.hex(), "previous_key": present.public.hex()}))
    writer.write(expected=present.public, next_key=to.public)
    return rotated


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An entry in RFC 8785 form without the three values that depend on the head of its chain. They belong between
    `front` and `middle`, between `middle` and `back`, and before the end."""

    front: bytes
    middle: bytes
    back: bytes
    end: bytes

    @classmethod
    def of(cls, draft: Draft, actor: Principal, chain: str) -> "_Prepared":
        """Prepare a draft. Raises UnknownEntryType, EntryDoesNotFit, and ValueError for values that RFC 8785 cannot
        encode."""
        entry_types.find(draft.type).require_fits(draft.metadata, chain)
        front = {
            "chain": chain,
            "content_hash": draft.content_hash.hex() if draft.content_hash else None,
            "metadata": {**draft.metadata, "actor": actor.as_json()},
        }
        return cls(
            rfc8785.dumps(front)[:-1] + b',"prev_hash":"',
            b'","retention":' + rfc8785.dumps(draft.retention) + b',"seq":',
            b',"tenant":"' + str(actor.tenant_id).encode() + b'","ts":"',
            b'","type":' + rfc8785.dumps(draft.type) + b"}",
        )

    def following(self, seq: int, previous: bytes, moment: datetime) -> bytes:
        """The bytes to hash and sign for the entry at `moment` (UTC) after entry `seq`, whose hash is `previous`."""
        return b"".join(
            (
                self.front,
                previous.hex().encode(),
                self.middle,
                str(seq + 1).encode(),
                self.back,
                moment.isoformat(timespec="microseconds").encode(),
                self.end,
            )
        )


class _Writer:
    """Collects entries that follow a locked head, to append them in one call."""

    def __init__(self, actor: Principal, chain: str, key: keyring.SigningKey, head: db.ChainHead) -> None:
        self.actor, self.chain, self.key, self.chain_id = actor, chain, key, head.id
        self.seq, self.hash, self.ts = head.seq, head.head, head.ts
        self.ids: list[uuid.UUID] = []
        self.canonical: list[bytes] = []
        self.signatures: list[bytes] = []

    def append(self, draft: Draft) -> Recorded:
        return self.append_prepared(_Prepared.of(draft, self.actor, self.chain))

    def append_prepared(self, entry: "_Prepared") -> Recorded:
        # Times come from the database, and strictly increase along a chain even if a clock is set back.
        moment = (self.ts + timedelta(microseconds=1)).astimezone(UTC)
        canonical = entry.following(self.seq, self.hash, moment)
        self.seq, self.ts, self.hash = self.seq + 1, moment, hashlib.sha256(canonical).digest()
        self.ids.append(new_id())
        self.canonical.append(canonical)
        self.signatures.append(self.key.sign(canonical))
        return Recorded(self.ids[-1], self.seq, moment, self.hash)

    def write(self, *, expected: bytes | None, next_key: bytes | None) -> None:
        db.append_entries(
            tenant=self.actor.tenant_id,
            chain=self.chain_id,
            ids=self.ids,
            canonical=self.canonical,
            signatures=self.signatures,
            public_key=expected,
            next_key=next_key,
        )
