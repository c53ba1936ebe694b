"""Deliveries of chunks: noted in Redis when the response is certain, and recorded by a job in batches, so that no
reader waits for it."""

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
from governance.acting.credentials import system
from governance.acting.principals import Principal
from governance.edits.holds import record_holds
from governance.models import new_id
from memory.usage import db
from memory.usage.means import Means

logger = logging.getLogger("suture.deliveries")

#: Maximum number of responses to record in a transaction.
BATCH = 100
#: Maximum number of waiting responses: if no worker runs, the oldest are dropped instead of filling Redis.
AT_MOST = 50_000

#: A chunk, and the number of edits in its delivered text.
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
    """This thread's connection to Redis, and the client that it belongs to."""

    client: "redis.Redis | None" = None
    connection: Any = None


_own = _Own()
os.register_at_fork(after_in_child=lambda: _own.__dict__.clear())


def connect() -> None:
    """Open this thread's connection to Redis, unless it is open. Raises redis.RedisError."""
    client = _redis()
    if _own.client is not client:
        # Not from the pool: that counts its connections, and would refuse the hundredth thread of a process.
        pool = client.connection_pool
        _own.client, _own.connection = client, pool.connection_class(**pool.connection_kwargs)
    _own.connection.connect()


def _push(note: bytes) -> int:
    """Append a note to the list; returns its new length. Uses the thread's own connection: getting one from the pool
    costs as much CPU time as everything else. Raises redis.RedisError."""
    connect()
    try:
        return _sent(note)
    except redis.ConnectionError:
        # Redis may have closed it since the last note. A duplicate note is recorded once.
        _own.connection.disconnect()
        return _sent(note)


def _sent(note: bytes) -> int:
    _own.connection.send_command("RPUSH", _waiting(), note)
    return int(_own.connection.read_response())


def _waiting() -> str:
    """The Redis list of this database that the job empties."""
    return f"suture:deliveries:{connection.settings_dict['NAME']}"


def deliver(
    principal: Principal,
    given: Iterable[Version],
    *,
    means: Means,
    session_id: str | None = None,
    to_people: bool = False,
) -> None:
    """Note that a response delivers these chunks to `principal` by `means`; see deliver_each."""
    deliver_each(principal, {means: given}, session_id=session_id, to_people=to_people)


def deliver_each(
    principal: Principal,
    given: Mapping[Means, Iterable[Version]],
    *,
    session_id: str | None = None,
    to_people: bool = False,
) -> None:
    """Note, when the open transaction has committed, that a response delivers these chunks to `principal`, each once,
    by the first means that has it. `session_id` is the session from a field of the request; by default it is that of
    the header. Without Redis the note is lost, and logged.

    Deliveries to people are noted only with `to_people`. They never count as an access.
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
            "on_behalf_of": principal.on_behalf_of or None,
            "session_id": principal.session_id if session_id is None else session_id,
            "at": timezone.now(),
            "chunks": chunks,
        }
    )
    transaction.on_commit(lambda: _note(note, count))


def versions_of(chunks: Iterable[Mapping[str, Any]]) -> Iterator[Version]:
    """The delivered versions of chunks in the JSON of a response."""
    return ((chunk["chunk_id"], chunk["edits_applied"]) for chunk in chunks)


def _note(note: bytes, count: int) -> None:
    try:
        if _push(note) > AT_MOST:
            _redis().ltrim(_waiting(), -AT_MOST, -1)
    except redis.RedisError as error:
        logger.warning("could not note %s deliveries: %s", count, type(error).__name__)


def record_deliveries() -> int:
    """Record waiting deliveries, batch by batch; returns how many were new. Runs may overlap, and be killed at any
    point: a batch leaves Redis after it is recorded, and each delivery is recorded once."""
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
    """The deliveries of a response, one for each chunk, always with the same ids; none for an invalid note, which would
    otherwise block the others."""
    try:
        said = json.loads(note)
        first = uuid.UUID(said["id"]).int
        about = {name: said[name] for name in ("receiver_kind", "receiver", "session_id")} | {
            "tenant": str(uuid.UUID(said["tenant"])),
            "receiver_id": str(uuid.UUID(said["receiver_id"])),
            "at": datetime.fromisoformat(said["at"]).isoformat(),
            "on_behalf_of": said.get("on_behalf_of"),
        }
        given: dict[uuid.UUID, tuple[str, int]] = {}
        for means, chunks in said["chunks"].items():
            for chunk_id, version in chunks:
                given.setdefault(uuid.UUID(chunk_id), (means, int(version)))
    except (ValueError, TypeError, KeyError, AttributeError):
        logger.warning("dropped an invalid note of deliveries")
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
            # of what was recorded before the deliveries that it quotes
            record_holds(system(uuid.UUID(tenant), "deliveries"))
    if unknown := by_tenant.keys() - known:
        logger.warning("dropped deliveries of %s unknown tenants", len(unknown))
    return recorded
