"""The only writer of the ledger. Entries are the last statements of the change's transaction: no entry, no change."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import rfc8785
from django.utils import timezone

from governance import gate
from governance.identity.principals import Principal
from governance.ledger import calls, entry_types, keyring, published
from governance.models import Chain, new_id
from governance.proof.entries import AGENT_CHAIN, GOVERNANCE, KEY_ROTATED, opening_type


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
    """Refuse a change whose rows are sealed later, without an entry, if the ledger would refuse an
    entry. Called within the tenant.

    Raises SigningKeyMissing, published.LedgerIsBehind and published.TreeHeadsUnreadable.
    """
    published.require_not_behind(tenant_id)
    # the column alone: this is asked for every event
    pinned = Chain.objects.filter(tenant_id=tenant_id, name=GOVERNANCE).values_list("public_key", flat=True).first()
    if pinned:
        keyring.signer_of(bytes(pinned))


def record(
    type: str,
    *,
    actor: Principal,
    metadata: Mapping[str, Any],
    chain: str = GOVERNANCE,
    content_hash: bytes | None = None,
    retention: str = "committed",
    at: datetime | None = None,
) -> Recorded:
    """Append one entry to a chain of the actor's tenant; see record_all."""
    return record_all([Draft(type, metadata, content_hash, retention)], actor=actor, chain=chain, at=at)[0]


def record_all(
    drafts: Sequence[Draft], *, actor: Principal, chain: str = GOVERNANCE, at: datetime | None = None
) -> list[Recorded]:
    """Append entries to a chain of the actor's tenant, in the open transaction, each hashed over the one before it
    and signed. A new chain begins with an entry that pins its key.

    The chain's head stays locked until the transaction ends, so entries cannot fork. Raises SigningKeyMissing,
    published.LedgerIsBehind and published.TreeHeadsUnreadable: then nothing may be written. Raises UnknownEntryType and
    EntryDoesNotFit for an entry that is not as an app has declared it.
    """
    if not drafts:
        return []
    gate.act_as(actor)
    published.require_not_behind(actor.tenant_id)
    # 1. Lock the head: others that append to this chain wait here.
    head = calls.lock_chain(tenant=actor.tenant_id, name=chain)
    pinned = head.public_key
    key = keyring.signer_of(pinned) if pinned else keyring.current()
    writer = _Writer(actor, chain, key, head, at or timezone.now())
    if pinned is None:
        writer.append(_opening(chain, key))
    recorded = [writer.append(draft) for draft in drafts]
    # 2. The database hashes the bytes itself, and refuses what does not follow the head.
    writer.write(expected=pinned, next_key=key.public if pinned is None else None)
    return recorded


def open_chain(chain: str, *, actor: Principal) -> Recorded | None:
    """Begin a chain of the actor's tenant with the entry that pins its key; None if it has begun. Raises what
    record_all raises."""
    gate.act_as(actor)
    published.require_not_behind(actor.tenant_id)
    head = calls.lock_chain(tenant=actor.tenant_id, name=chain)
    if head.public_key:
        return None
    key = keyring.current()
    writer = _Writer(actor, chain, key, head, timezone.now())
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
    published.require_not_behind(actor.tenant_id)
    head = calls.lock_chain(tenant=actor.tenant_id, name=chain)
    present = keyring.signer_of(head.public_key or b"")
    writer = _Writer(actor, chain, present, head, timezone.now())
    rotated = writer.append(Draft(KEY_ROTATED, {"public_key": to.public.hex(), "previous_key": present.public.hex()}))
    writer.write(expected=present.public, next_key=to.public)
    return rotated


class _Writer:
    """Entries that follow a locked head, collected for one call."""

    def __init__(
        self, actor: Principal, chain: str, key: keyring.SigningKey, head: calls.ChainHead, at: datetime
    ) -> None:
        self.actor, self.chain, self.key, self.chain_id = actor, chain, key, head.id
        self.seq, self.hash, self.ts = head.seq, head.head, head.ts
        self.at = at
        self.ids: list[uuid.UUID] = []
        self.canonical: list[bytes] = []
        self.signatures: list[bytes] = []

    def append(self, draft: Draft) -> Recorded:
        entry_types.find(draft.type).require_fits(draft.metadata, self.chain)
        # Times increase strictly along a chain, whatever the clock does.
        moment = max(self.at, self.ts + timedelta(microseconds=1)).astimezone(UTC)
        canonical = rfc8785.dumps(
            {
                "tenant": str(self.actor.tenant_id),
                "chain": self.chain,
                "seq": self.seq + 1,
                "ts": moment.isoformat(timespec="microseconds"),
                "type": draft.type,
                "retention": draft.retention,
                "content_hash": draft.content_hash.hex() if draft.content_hash else None,
                "prev_hash": self.hash.hex(),
                "metadata": {**draft.metadata, "actor": self.actor.as_json()},
            }
        )
        self.seq, self.ts, self.hash = self.seq + 1, moment, hashlib.sha256(canonical).digest()
        self.ids.append(new_id())
        self.canonical.append(canonical)
        self.signatures.append(self.key.sign(canonical))
        return Recorded(self.ids[-1], self.seq, moment, self.hash)

    def write(self, *, expected: bytes | None, next_key: bytes | None) -> None:
        calls.append_entries(
            tenant=self.actor.tenant_id,
            chain=self.chain_id,
            ids=self.ids,
            canonical=self.canonical,
            signatures=self.signatures,
            public_key=expected,
            next_key=next_key,
        )
