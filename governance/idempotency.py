"""Same key and same request, same answer: the keys under which answers are kept."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from governance import gate
from governance.models import IdempotencyKey, new_id
from governance.refusals import Conflict, Unavailable

# Every write of an agent takes both: as text they cost half of what the same costs as querysets, which moreover cannot
# tell whether a row was inserted.
_CLAIM = """
    INSERT INTO governance_idempotencykey (tenant_id, id, actor_id, key, fingerprint, created_at)
    VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id
"""
_STORE = "UPDATE governance_idempotencykey SET status = %s, answer = %s WHERE tenant_id = %s AND id = %s RETURNING id"


class IdempotencyKeyReused(Conflict):
    """This Idempotency-Key was used for another request. Take a new key for every new request."""


@dataclass(frozen=True)
class Claim:
    """A key held by this request. With a `status`, the request was answered before, with `answer`."""

    tenant_id: uuid.UUID
    id: uuid.UUID
    status: int | None = None
    answer: Any = None


def claim_key(*, tenant_id: uuid.UUID, actor_id: uuid.UUID, key: str, fingerprint: bytes) -> Claim:
    """Claim `key` in the request's transaction; a concurrent request with the same key is waited for first.

    Raises `IdempotencyKeyReused` when the key stands for a request with another fingerprint.
    """
    mine = new_id()
    # 1. The unique index makes the insert wait for whoever holds the key in an open transaction: ours if that rolled
    #    back, theirs if it committed.
    # 2. The read after it has a new snapshot (READ COMMITTED) and sees theirs.
    # 3. Between the two, the cleaning job may remove a day-old key: once more.
    for _ in range(2):
        if gate.rows(_CLAIM, [tenant_id, mine, actor_id, key, fingerprint, timezone.now()]):
            return Claim(tenant_id, mine)
        held = IdempotencyKey.objects.filter(tenant_id=tenant_id, actor_id=actor_id, key=key).first()
        if held is not None:
            if bytes(held.fingerprint) != fingerprint:
                raise IdempotencyKeyReused
            return Claim(tenant_id, held.id, held.status, held.answer)
    raise Unavailable


def store_answer(claim: Claim, *, status: int, answer: str) -> None:
    """Keep `answer` (JSON with ids and statuses, never memory text) for the next request with this key."""
    gate.rows(_STORE, [status, answer, claim.tenant_id, claim.id])


def release_key(claim: Claim) -> None:
    """Give the key back: its request was not done, so that the next try with it starts anew."""
    IdempotencyKey.objects.filter(tenant_id=claim.tenant_id, id=claim.id).delete()


def forget(older_than: timedelta, *, at: datetime | None = None) -> int:
    """Delete, tenant by tenant, the keys claimed longer ago than `older_than`; returns how many."""
    before = (at or timezone.now()) - older_than
    forgotten = 0
    for tenant_id in gate.tenants().values():
        with gate.tenant(tenant_id):
            keys = IdempotencyKey.objects.filter(tenant_id=tenant_id, created_at__lt=before)
            forgotten += keys.delete()[0]
    return forgotten
