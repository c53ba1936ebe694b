"""Memories as their readers see them: each an event with all its chunks, or a chunk without an event."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import access
from governance.refusals import Forbidden, NotFound, register_constraint
from memory import metadata
from memory.queries import db, search
from memory.queries.audience import audience
from memory.queries.rows import MemoryRow
from memory.usage.deliveries import deliver
from memory.usage.means import Means

#: Chunks that a search finds for each memory that it returns: several may be of one.
_CHUNKS_A_MEMORY = 2
_MAX_CHUNKS = 200
#: The filters of a search as of a time.
_PAST_FILTERS = (
    *("scope", "subject_type", "subject_id", "subject_ids", "subject_prefix", "project_id", "session_id"),
    *("tag", "kind", "actor", "recorder", "since", "until"),
)


class PastNotAllowed(Forbidden):
    """You may not read memory as of an earlier time. Only reviewers, auditors and admins may, because it shows what was
    corrected."""


register_constraint("past_not_allowed", PastNotAllowed)


class NoSuchMemory(NotFound):
    """This memory does not exist, or you may not read it."""


@dataclass(frozen=True, slots=True)
class FoundMemories:
    """The memories that a search found, best first, with their scores from 0 to 1."""

    memories: list[tuple[MemoryRow, float]]
    total: int
    is_estimate: bool
    notices: Sequence[search.Notice]


def get(
    principal: Principal,
    ids: Iterable[uuid.UUID],
    *,
    channel: str | None = None,
    include_quarantined: bool = False,
    as_of: datetime | None = None,
) -> dict[uuid.UUID, MemoryRow]:
    """The current versions of the memories that the principal may read, by their ids, or those of a time. Each is named
    by an event or a chunk of any of its versions. Raises ChannelNotAllowed, PastNotAllowed."""
    who = audience(principal, channel, include_quarantined=include_quarantined)
    _check_past(principal, as_of)
    rows = db.get_memories(
        tenant=principal.tenant_id,
        ids=list(ids),
        at=as_of,
        listening=who.listening,
        include_quarantined=include_quarantined,
    )
    return {row.id: row for row in rows}


def find(principal: Principal, memory_id: uuid.UUID, **options: Any) -> MemoryRow:
    """One memory; see `get`. It is delivered. Raises NoSuchMemory."""
    found = list(get(principal, [memory_id], **options).values())
    if not found:
        raise NoSuchMemory
    delivered(principal, found, Means.GET, as_of=options.get("as_of"))
    return found[0]


def listed(
    principal: Principal,
    *,
    filters: Mapping[str, Any],
    before: tuple[datetime, uuid.UUID] | None,
    limit: int,
    channel: str | None = None,
    include_quarantined: bool = False,
    as_of: datetime | None = None,
) -> list[MemoryRow]:
    """The newest `limit` memories under the filters, from `before` on, now or as of a time. They are not delivered yet.
    Raises ChannelNotAllowed, PastNotAllowed, and Invalid for a condition of metadata that cannot be understood."""
    who = audience(principal, channel, include_quarantined=include_quarantined)
    where = metadata.condition(principal.tenant_id, filters.get("where") or {})
    before_ts, before_id = before or (None, None)
    _check_past(principal, as_of)
    return db.list_memories(
        tenant=principal.tenant_id,
        at=as_of,
        listening=who.listening,
        channels=who.listening,
        include_quarantined=include_quarantined,
        scope=filters.get("scope"),
        subject_type=filters.get("subject_type"),
        subject_id=filters.get("subject_id"),
        subject_prefix=filters.get("subject_prefix"),
        project_id=filters.get("project_id"),
        session_id=filters.get("session_id"),
        key=filters.get("key"),
        key_prefix=filters.get("key_prefix"),
        tag=filters.get("tag"),
        kind=filters.get("kind"),
        recorder=filters.get("recorder"),
        since=filters.get("since"),
        until=filters.get("until"),
        metadata=where.all if where else None,
        metadata_equals=where.equals if where else None,
        before_ts=before_ts,
        before_id=before_id,
        limit=limit,
    )


def found(
    principal: Principal,
    query: str,
    *,
    where: Mapping[str, Any],
    limit: int,
    mode: search.Mode,
    channel: str | None = None,
    filters: Mapping[str, Any],
    collapse: bool = True,
) -> FoundMemories:
    """The memories that a search finds, best first, at most `limit`. They are delivered. Raises ChannelNotAllowed, and
    Invalid for a condition of metadata that cannot be understood."""
    result = search.search(
        principal,
        query,
        channel=channel,
        limit=min(_MAX_CHUNKS, _CHUNKS_A_MEMORY * limit),
        mode=mode,
        collapse=collapse,
        filters=filters,
        where=metadata.condition(principal.tenant_id, where),
    )
    scores: dict[uuid.UUID, float] = {}
    for chunk in result.chunks:
        scores.setdefault(chunk.event_id or chunk.chunk_id, chunk.rank)
    by_id = get(principal, list(scores)[:limit], channel=channel)
    memories = [(by_id[one], score) for one, score in scores.items() if one in by_id]
    delivered(principal, [row for row, _ in memories], Means.SEARCH)
    return FoundMemories(memories, result.total, result.ranking == "windowed", result.notices)


def found_at(
    principal: Principal,
    query: str,
    as_of: datetime,
    *,
    where: Mapping[str, Any],
    limit: int,
    channel: str | None = None,
    filters: Mapping[str, Any],
) -> FoundMemories:
    """The memories that contained words of the query at a time, best first, at most `limit`. Raises ChannelNotAllowed,
    PastNotAllowed, and Invalid for a condition of metadata that cannot be understood."""
    who = audience(principal, channel)
    _check_past(principal, as_of)
    condition = metadata.condition(principal.tenant_id, where)
    matches = db.search_memories_at(
        tenant=principal.tenant_id,
        at=as_of,
        query=query,
        listening=who.listening,
        channels=who.listening,
        include_quarantined=False,
        metadata=condition.all if condition else None,
        limit=limit,
        **{name: filters.get(name) for name in _PAST_FILTERS},
    )
    rows = get(principal, [one.chunk_id for one in matches], channel=channel, as_of=as_of).values()
    by_chunk = {chunk: row for row in rows for chunk in row.chunk_ids}
    memories = [(by_chunk[one.chunk_id], one.score) for one in matches]
    delivered(principal, [row for row, _ in memories], Means.SEARCH, as_of=as_of)
    return FoundMemories(memories, len(memories), len(memories) == limit, ())


def _check_past(principal: Principal, as_of: datetime | None) -> None:
    if as_of and (principal.on_behalf_of or not principal.reads_all_edits):
        raise PastNotAllowed


def delivered(principal: Principal, rows: Sequence[MemoryRow], means: Means, *, as_of: datetime | None = None) -> None:
    """Record that the principal got memories. Those of an earlier time are in the access log instead, because they may
    show words that were removed."""
    if as_of is not None:
        with gate.entered():
            access.log(
                "words.viewed",
                actor=principal,
                target_type="memory",
                target_id=rows[0].id if means is Means.GET else None,
                details={"as_of": as_of.isoformat(), "memories": [str(row.id) for row in rows]},
            )
        return
    versions = [pair for row in rows for pair in zip(row.chunk_ids, row.edits, strict=True)]
    deliver(principal, versions, means=means)


def as_json(row: MemoryRow) -> dict[str, Any]:
    """A memory as the API answers it."""
    fields = json.loads(row.fields) if row.fields else {}
    return {
        "id": row.id,
        "text": row.text,
        "value": fields.get("value"),
        "metadata": json.loads(row.metadata) if row.metadata else {},
        "key": row.key,
        "kind": row.kind,
        "source": row.source,
        "scope": row.scope,
        "subject_type": row.subject_type,
        "subject_id": row.subject_id,
        "project_id": row.project_id,
        "session_id": row.session_id,
        "channel": row.channel,
        "tags": row.tags,
        "importance": row.importance,
        "recorder": row.recorder,
        "created_at": row.created_at,
        "updated_at": row.edited_at or row.ts,
        "expires_at": row.expires_at,
        "chunk_ids": row.chunk_ids,
        "edits_applied": sum(row.edits),
        "is_quarantined": row.is_quarantined,
    }
