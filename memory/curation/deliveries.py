"""Which chunks were given to whom: noted in Redis when the answer is certain, and recorded by a job in batches, so that
no reader waits for it."""

import json
import logging
import uuid
from collections.abc import Iterable
from functools import cache
from typing import Protocol

import redis
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from governance import gate
from governance.identity.principals import Principal
from governance.models import new_id
from memory.curation import calls

logger = logging.getLogger("suture.deliveries")

#: How many deliveries one run takes at once.
BATCH = 1_000
#: No more wait than this: if no worker runs, the oldest are dropped rather than Redis filled.
AT_MOST = 100_000
#: What a delivery says while it waits.
FIELDS = frozenset(
    {"tenant", "id", "chunk_id", "version", "receiver_kind", "receiver_id", "receiver", "means", "session_id", "at"}
)


class Delivered(Protocol):
    """What was given: a chunk with the number of its edits."""

    @property
    def chunk_id(self) -> uuid.UUID: ...
    @property
    def edits_applied(self) -> int: ...


@cache
def _redis() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.REDIS_URL, decode_responses=True, socket_connect_timeout=0.5, socket_timeout=0.5
    )


def _waiting() -> str:
    """The list in Redis that the job empties, of this database."""
    return f"suture:deliveries:{connection.settings_dict['NAME']}"


def deliver(principal: Principal, given: Iterable[Delivered], *, means: str, session_id: str | None = None) -> None:
    """Note, when the open transaction has committed, that `principal` was given these chunks by `means`. Without Redis
    the note is lost, and logged."""
    moment = timezone.now().isoformat()
    rows = [
        json.dumps(
            {
                "tenant": str(principal.tenant_id),
                "id": str(new_id()),
                "chunk_id": str(one.chunk_id),
                "version": one.edits_applied,
                "receiver_kind": principal.kind,
                "receiver_id": str(principal.id),
                "receiver": principal.name,
                "means": means,
                "session_id": session_id,
                "at": moment,
            }
        )
        for one in given
    ]
    if rows:
        transaction.on_commit(lambda: _note(rows))


def _note(rows: list[str]) -> None:
    try:
        with _redis().pipeline(transaction=False) as together:
            together.rpush(_waiting(), *rows)
            together.ltrim(_waiting(), -AT_MOST, -1)
            together.execute()
    except redis.RedisError as error:
        logger.warning("%s deliveries were not noted: %s", len(rows), type(error).__name__)


def record_deliveries() -> int:
    """Record what waits, batch by batch; returns how many deliveries were new. Any number of runs may be under way, and
    be killed at any point: a batch leaves Redis when it is recorded, and each delivery is recorded once."""
    server, waiting = _redis(), _waiting()
    recorded = 0
    while rows := server.lrange(waiting, 0, BATCH - 1):
        recorded += _record([one for one in map(_parsed, map(str, rows)) if one is not None])
        with server.pipeline(transaction=True) as together:
            for row in map(str, rows):  # by value: another run may have removed the first of them
                together.lrem(waiting, 1, row)
            together.execute()
    return recorded


def _parsed(row: str) -> dict[str, str] | None:
    """A delivery that waits; None of what is none, which would otherwise keep all others waiting."""
    try:
        one = json.loads(row)
    except ValueError:
        one = None
    if isinstance(one, dict) and one.keys() == FIELDS:
        return one
    logger.warning("a note that is no delivery was dropped")
    return None


def _record(rows: list[dict[str, str]]) -> int:
    by_tenant: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_tenant.setdefault(row["tenant"], []).append(row)
    known = {str(tenant_id) for tenant_id in gate.tenants().values()}
    recorded = 0
    for tenant in by_tenant.keys() & known:
        with gate.job(uuid.UUID(tenant), "deliveries"):
            recorded += calls.record_deliveries(tenant=uuid.UUID(tenant), deliveries=json.dumps(by_tenant[tenant]))
    if unknown := by_tenant.keys() - known:
        logger.warning("deliveries of %s unknown tenants were dropped", len(unknown))
    return recorded
