"""The only writer of the ledger. Entries are the last statements of the change's transaction: no entry, no change.

From the lock of a chain's head to the COMMIT everybody else who appends to that chain waits. So a request holds its
entries back (`hold_back`) until all else is done (`append_held`); outside of a request, a service appends at its end.
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
    """What an entry will say. `type` is registered (see entry_types), and `metadata` has the fields that it declares:
    ids, hashes, names and reasons that RFC 8785 can write (no number beyond 2**53, no words of memory)."""

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
    """Refuse a change without an entry if the ledger would refuse an entry. Called within the tenant. A missing
    signing key refuses the receipt of what was recorded (receipts.py).

    Raises published.LedgerIsBehind and published.TreeHeadsUnreadable.
    """
    published_tree_heads.require_not_behind(tenant_id)


@dataclass(frozen=True, slots=True)
class _HeldEntry:
    """An entry that waits, with its chain and the savepoints within which it was recorded."""

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
        """Drop what was recorded since a savepoint, which is rolled back."""
        self.entries = [one for one in self.entries if savepoint not in one.savepoints]

    def is_of(self, actor: Principal) -> bool:
        """Whether `actor` is the one whose entries are held back."""
        mine = self.actor
        return (mine.tenant_id, mine.kind, mine.id) == (actor.tenant_id, actor.kind, actor.id)


@contextmanager
def held_back() -> Iterator[None]:
    """Within the block, the entries of the principal that `hold_back` names wait for append_held(). What is still held
    at its end is dropped, as the transaction is rolled back then."""
    try:
        yield
    finally:
        connection.held_entries = None  # type: ignore[attr-defined] # of our own backend


def hold_back(actor: Principal) -> None:
    """From now on, hold back the entries of what `actor` does; see held_back()."""
    connection.held_entries = Held(actor)  # type: ignore[attr-defined] # as above


def append_held() -> None:
    """Append the entries that were held back: the last statements before the COMMIT. Nothing if the transaction will
    be rolled back. Raises what append_all raises."""
    held = _held()
    if held is None or connection.needs_rollback:
        return
    # the tenant's own chain last: it is everybody's
    for chain in sorted({one.chain for one in held.entries}, key=lambda name: (name == GOVERNANCE, name)):
        _append_held_of(held, chain)


def _append_held_of(held: Held, chain: str) -> None:
    due = [one.prepared for one in held.entries if one.chain == chain]
    held.entries = [one for one in held.entries if one.chain != chain]
    if due:
        _append(due, held.actor, chain)


def held_values(name: str) -> set[Any]:
    """The values of one field in the metadata of the entries that are held back: what was recorded already."""
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
    """Append entries to a chain of the actor's tenant, in the open transaction: at its end where a request holds the
    actor's entries back, else now.

    Raises UnknownEntryType and EntryDoesNotFit for an entry that is not as an app has declared it, ValueError for one
    that RFC 8785 cannot write, and, now or at the end, what append_all raises.
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
    """Append entries now, each hashed over the one before it and signed, and answer their places. A new chain begins
    with an entry that pins its key.

    The chain's head stays locked until the transaction ends, so entries cannot fork: do all else before. Raises
    SigningKeyMissing, published.LedgerIsBehind and published.TreeHeadsUnreadable: then nothing may be written. Raises
    UnknownEntryType and EntryDoesNotFit for an entry that is not as an app has declared it.
    """
    if not drafts:
        return []
    if (held := _held()) is not None:
        _append_held_of(held, chain)  # what came before stays before
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
    # 2. The database hashes the bytes itself, and refuses what does not follow the head.
    writer.write(expected=pinned, next_key=key.public if pinned is None else None)
    return recorded


def open_chain(chain: str, *, actor: Principal) -> Recorded | None:
    """Begin a chain of the actor's tenant with the entry that pins its key; None if it has begun. Raises what
    append_all raises."""
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
    """Make `to` the key that signs the chain, by an entry that the current key signs.

    Raises SigningKeyMissing where the present key is not here.
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
    """An entry in RFC 8785's form, but for what the head of its chain decides: the keys are in that form's order, and
    those three stand between `front` and `middle`, `middle` and `back`, and before the end."""

    front: bytes
    middle: bytes
    back: bytes
    end: bytes

    @classmethod
    def of(cls, draft: Draft, actor: Principal, chain: str) -> "_Prepared":
        """Raises UnknownEntryType, EntryDoesNotFit, and ValueError for what RFC 8785 cannot write."""
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
        """The bytes to hash and sign of the entry at `moment` (in UTC) after entry `seq`, whose hash is `previous`."""
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
    """Entries that follow a locked head, collected for one call."""

    def __init__(self, actor: Principal, chain: str, key: keyring.SigningKey, head: db.ChainHead) -> None:
        self.actor, self.chain, self.key, self.chain_id = actor, chain, key, head.id
        self.seq, self.hash, self.ts = head.seq, head.head, head.ts
        self.ids: list[uuid.UUID] = []
        self.canonical: list[bytes] = []
        self.signatures: list[bytes] = []

    def append(self, draft: Draft) -> Recorded:
        return self.append_prepared(_Prepared.of(draft, self.actor, self.chain))

    def append_prepared(self, entry: "_Prepared") -> Recorded:
        # Times are the database's, and increase strictly along a chain, whatever any clock does.
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
