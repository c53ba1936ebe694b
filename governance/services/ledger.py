"""The only writer of the ledger. The entry is the last statement of the change's transaction: no entry, no change."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import rfc8785
from django.utils import timezone
from psycopg.types.json import Jsonb

from governance import gate
from governance.models import new_id
from governance.principals import Principal

#: The chain of a tenant's governance. An agent's own memory has the chain `agent:<slug>`.
GOVERNANCE = "governance"


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry that was appended: its place in its chain and its hash."""

    id: uuid.UUID
    seq: int
    ts: datetime
    hash: bytes


def canonical_bytes(entry: Mapping[str, Any]) -> bytes:
    """The RFC 8785 form of an entry, which is what is hashed and stored."""
    return rfc8785.dumps(dict(entry))


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
    """Append one entry to a chain of the actor's tenant, in the open transaction.

    `metadata` holds ids, hashes, names and reasons that RFC 8785 can write (no floats beyond 2**53, no words of
    memory). The chain's head stays locked until the transaction ends, so entries cannot fork.
    """
    # 1. The head: whoever else appends to this chain waits here.
    head = gate.call("lock_chain", actor.tenant_id, chain)[0]
    # 2. Times increase strictly along a chain, whatever the clock does.
    moment = max(at or timezone.now(), head["ts"] + timedelta(microseconds=1)).astimezone(UTC)
    seq = head["seq"] + 1
    details = {**metadata, "actor": actor.as_json()}
    canonical = canonical_bytes(
        {
            "tenant": str(actor.tenant_id),
            "chain": chain,
            "seq": seq,
            "ts": moment.isoformat(timespec="microseconds"),
            "type": type,
            "retention": retention,
            "content_hash": content_hash.hex() if content_hash else None,
            "prev_hash": bytes(head["head"]).hex(),
            "metadata": details,
        }
    )
    entry_id = new_id()
    # 3. The database hashes the bytes itself, and refuses what does not follow the head.
    row = gate.call(
        "append_entry", actor.tenant_id, head["id"], entry_id, seq, moment, type, retention, content_hash,
        Jsonb(details), head["head"], canonical,
    )[0]  # fmt: skip
    return Recorded(id=entry_id, seq=seq, ts=moment, hash=bytes(row["append_entry"]))
