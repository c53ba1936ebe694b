"""Idempotency keys: a request with a key is done once. A retry gets the stored answer."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.utils import timezone

from governance.acting.principals import Principal
from governance.database.typed_calls import select
from governance.every_tenant import claim_in_every_tenant
from governance.models import IdempotencyKey, new_id
from governance.refusals import Conflict, Refusal, Unavailable

T = TypeVar("T")

#: How many old keys one transaction of the job deletes.
FORGET_BATCH = 1_000

# Every write of an agent runs both. Plain SQL costs half as much as querysets, and tells whether a row was inserted.
_CLAIM = """
    INSERT INTO governance_idempotencykey (tenant_id, id, actor_id, key, fingerprint, created_at)
    VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id
"""
_STORE = "UPDATE governance_idempotencykey SET status = %s, answer = %s WHERE tenant_id = %s AND id = %s RETURNING id"


class IdempotencyKeyReused(Conflict):
    """This Idempotency-Key was already used for a different request. Use a new key for every new request."""


class DoneBefore(Conflict):
    """This request was already done. Nothing was changed."""

    def __init__(self, answer: "Answer") -> None:
        super().__init__()
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Answer:
    """The stored answer to a request: a status, and JSON with ids and statuses, never memory text.

    `body` is JSON text when it is stored, and its parsed value when it is read.
    """

    status: int
    body: Any = "null"


@dataclass(frozen=True, slots=True)
class _Claim:
    id: uuid.UUID
    answer: Answer | None = None


def once(
    actor: Principal,
    key: str,
    fingerprint: bytes,
    work: Callable[[], T],
    *,
    answer_of: Callable[[T], Answer | None] = lambda _: Answer(200),
) -> T:
    """Call `work` in the open transaction and store its answer under the actor's `key`.

    If an answer is stored already, `work` is not called. Of two concurrent calls, the second waits for the first. If
    `answer_of` returns None for the result, only the fingerprint is stored, and the next call works again. A refused or
    failed call stores nothing: it is rolled back, or, if the refusal `keeps_record`, the key is deleted here.

    Raises DoneBefore with the stored answer, IdempotencyKeyReused if the key was used for a request with another
    fingerprint, and the exceptions of `work`.
    """
    claim = _claim(actor, key, fingerprint)
    if claim.answer is not None:
        raise DoneBefore(claim.answer)
    try:
        result = work()
    except Refusal as refusal:
        if refusal.keeps_record:
            IdempotencyKey.objects.filter(tenant_id=actor.tenant_id, id=claim.id).delete()
        raise
    answer = answer_of(result)
    if answer is not None:
        select(uuid.UUID, _STORE, [answer.status, answer.body, actor.tenant_id, claim.id])
    return result


def _claim(actor: Principal, key: str, fingerprint: bytes) -> _Claim:
    mine = new_id()
    # 1. The unique index makes the insert wait for another transaction that holds the key. If that one rolled back,
    #    we insert; if it committed, its row stays.
    # 2. The read that follows has a new snapshot (READ COMMITTED) and sees that row.
    # 3. Between the two, the cleanup job may delete a day-old key: then try again.
    for _ in range(2):
        if select(uuid.UUID, _CLAIM, [actor.tenant_id, mine, actor.id, key, fingerprint, timezone.now()]):
            return _Claim(mine)
        held = IdempotencyKey.objects.filter(tenant_id=actor.tenant_id, actor_id=actor.id, key=key).first()
        if held is not None:
            if bytes(held.fingerprint) != fingerprint:
                raise IdempotencyKeyReused
            return _Claim(held.id, None if held.status is None else Answer(held.status, held.answer))
    raise Unavailable


def forget(older_than: timedelta, *, at: datetime | None = None) -> int:
    """Delete, tenant by tenant, the keys claimed longer ago than `older_than`; returns how many. Safe to run twice at
    once. The first failure is raised after all tenants were tried."""
    before = (at or timezone.now()) - older_than

    def claim(tenant_id: uuid.UUID) -> list[uuid.UUID]:
        keys = IdempotencyKey.objects.filter(tenant_id=tenant_id, created_at__lt=before)
        return list(keys.select_for_update(skip_locked=True).values_list("id", flat=True)[:FORGET_BATCH])

    def delete(tenant_id: uuid.UUID, ids: list[uuid.UUID]) -> None:
        IdempotencyKey.objects.filter(tenant_id=tenant_id, id__in=ids).delete()

    return claim_in_every_tenant(claim, delete, complaint="not all old idempotency keys of %s were deleted")
