"""Which chunks were given to whom: noted in Redis when the answer is certain, and recorded by a job in batches, so that
no reader waits for it."""

import json
import logging
import os
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Any

import orjson
import redis
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from redis.backoff import NoBackoff
from redis.retry import Retry

from governance.acting import gate
from governance.acting.principals import Principal
from governance.models import new_id
from memory.usage import db
from memory.usage.means import Means

logger = logging.getLogger("suture.deliveries")

#: How many answers one transaction records at most.
BATCH = 100
#: No more answers wait than this: if no worker runs, the oldest are dropped rather than Redis filled.
AT_MOST = 50_000

#: A chunk, and how many edits were applied to the words of it that were given.
Version = tuple[uuid.UUID, int]


@cache
def _redis() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_connect_timeout=0.5,
        socket_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
    )


class _Own(threading.local):
    """This thread's connection to Redis, and the client that it is of."""

    client: "redis.Redis | None" = None
    connection: Any = None


_own = _Own()
os.register_at_fork(after_in_child=lambda: _own.__dict__.clear())


def connect() -> None:
    """Open this thread's connection to Redis, unless it is open. Raises redis.RedisError."""
    client = _redis()
    if _own.client is not client:
        # Not of the pool's: that counts what it makes, and would refuse the hundredth thread of a process.
        pool = client.connection_pool
        _own.client, _own.connection = client, pool.connection_class(**pool.connection_kwargs)
    _own.connection.connect()


def _push(note: bytes) -> int:
    """Append a note to what waits; returns how many wait now. Over a connection of the thread's own: to take one from
    the pool costs as much of the processor as all the rest. Raises redis.RedisError."""
    connect()
    try:
        return _sent(note)
    except redis.ConnectionError:
        # Redis may have closed it since the last note. A note that arrives twice is recorded once.
        _own.connection.disconnect()
        return _sent(note)


def _sent(note: bytes) -> int:
    _own.connection.send_command("RPUSH", _waiting(), note)
    return int(_own.connection.read_response())


def _waiting() -> str:
    """The list in Redis that the job empties, of this database."""
    return f"suture:deliveries:{connection.settings_dict['NAME']}"


def deliver(
    principal: Principal,
    given: Iterable[Version],
    *,
    means: Means,
    session_id: str | None = None,
    to_people: bool = False,
) -> None:
    """Note that one answer gives `principal` these chunks by `means`; see deliver_each."""
    deliver_each(principal, {means: given}, session_id=session_id, to_people=to_people)


def deliver_each(
    principal: Principal,
    given: Mapping[Means, Iterable[Version]],
    *,
    session_id: str | None = None,
    to_people: bool = False,
) -> None:
    """Note, when the open transaction has committed, that one answer gives `principal` these chunks, each once, by the
    first means that has it. `session_id` is the session that they are in, if they say so in a field of the request;
    else it is that of its header. Without Redis the note is lost, and logged.

    What people read is noted with `to_people` alone. It never counts as an access.
    """
    if principal.kind != "agent" and not to_people:
        return
    chunks = {means.value: found for means, versions in given.items() if (found := list(versions))}
    if not chunks:
        return
    count = sum(map(len, chunks.values()))
    note = orjson.dumps(
        {
            "id": new_id(),
            "tenant": principal.tenant_id,
            "receiver_kind": principal.kind,
            "receiver_id": principal.id,
            "receiver": principal.name,
            "session_id": principal.session_id if session_id is None else session_id,
            "at": timezone.now(),
            "chunks": chunks,
        }
    )
    transaction.on_commit(lambda: _note(note, count))


def versions_of(chunks: Iterable[Mapping[str, Any]]) -> Iterator[Version]:
    """Chunks in the JSON of an answer, as they are delivered."""
    return ((chunk["chunk_id"], chunk["edits_applied"]) for chunk in chunks)


def _note(note: bytes, count: int) -> None:
    try:
        if _push(note) > AT_MOST:
            _redis().ltrim(_waiting(), -AT_MOST, -1)
    except redis.RedisError as error:
        logger.warning("%s deliveries were not noted: %s", count, type(error).__name__)


def record_deliveries() -> int:
    """Record what waits, batch by batch; returns how many deliveries were new. Any number of runs may be under way, and
    be killed at any point: a batch leaves Redis when it is recorded, and each delivery is recorded once."""
    server, waiting = _redis(), _waiting()
    recorded = 0
    while notes := [str(note) for note in server.lrange(waiting, 0, BATCH - 1)]:
        recorded += _record([row for note in notes for row in _rows_of(note)])
        with server.pipeline(transaction=True) as together:
            for note in notes:  # by value: another run may have removed the first of them
                together.lrem(waiting, 1, note)
            together.execute()
    return recorded


def _rows_of(note: str) -> list[dict[str, Any]]:
    """The deliveries of an answer, one for each chunk, with the same ids whenever they are asked for; none of what is
    no note, which would otherwise keep all others waiting."""
    try:
        said = json.loads(note)
        first = uuid.UUID(said["id"]).int
        about = {name: said[name] for name in ("receiver_kind", "receiver", "session_id")} | {
            "tenant": str(uuid.UUID(said["tenant"])),
            "receiver_id": str(uuid.UUID(said["receiver_id"])),
            "at": datetime.fromisoformat(said["at"]).isoformat(),
        }
        given: dict[uuid.UUID, tuple[str, int]] = {}
        for means, chunks in said["chunks"].items():
            for chunk_id, version in chunks:
                given.setdefault(uuid.UUID(chunk_id), (means, int(version)))
    except (ValueError, TypeError, KeyError, AttributeError):
        logger.warning("a note that is no delivery was dropped")
        return []
    return [
        {**about, "id": str(uuid.UUID(int=first + place)), "means": means, "chunk_id": str(chunk), "version": version}
        for place, (chunk, (means, version)) in enumerate(given.items())
    ]


def _record(rows: list[dict[str, Any]]) -> int:
    by_tenant: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_tenant.setdefault(row["tenant"], []).append(row)
    known = {str(tenant_id) for tenant_id in gate.tenants().values()}
    recorded = 0
    for tenant in by_tenant.keys() & known:
        with gate.job(uuid.UUID(tenant), "deliveries"):
            recorded += db.record_deliveries(tenant=uuid.UUID(tenant), deliveries=json.dumps(by_tenant[tenant]))
    if unknown := by_tenant.keys() - known:
        logger.warning("deliveries of %s unknown tenants were dropped", len(unknown))
    return recorded
