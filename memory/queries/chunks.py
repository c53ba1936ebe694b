"""Chunks as readers see them: get, timeline, lists."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.acting.principals import Principal
from governance.refusals import NotFound
from memory.models import Tier
from memory.queries import db
from memory.queries.audience import audience
from memory.queries.rows import ChunkRow, NearChunk


class NoSuchChunk(NotFound):
    """This chunk does not exist, or you may not read it."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Chunks around the time `center_ts`, nearest first."""

    center_ts: datetime
    chunks: list[NearChunk]


#: The filters of a search; a list also takes tier, since and until.
FILTERS = ("scope", "subject_type", "subject_id", "project_id", "session_id")


def get(
    principal: Principal,
    ids: Iterable[uuid.UUID],
    *,
    channel: str | None = None,
    include_quarantined: bool = False,
) -> list[ChunkRow]:
    """The chunks of `ids` that the principal may see, in that order; others are omitted.

    Raises ChannelNotAllowed.
    """
    wanted = list(dict.fromkeys(ids))
    who = audience(principal, channel, include_quarantined=include_quarantined)
    found = db.get_chunks(
        tenant=principal.tenant_id,
        ids=wanted,
        listening=who.listening,
        include_quarantined=include_quarantined,
    )
    by_id = {row.chunk_id: row for row in found}
    return [by_id[chunk_id] for chunk_id in wanted if chunk_id in by_id]


def timeline(
    principal: Principal,
    chunk_id: uuid.UUID,
    *,
    window_seconds: int,
    channel: str | None = None,
    include_quarantined: bool = False,
    include_archived: bool = False,
    limit: int = 200,
    after: tuple[datetime, uuid.UUID] | None = None,
) -> Timeline:
    """The chunks within `window_seconds` of one, nearest first, including itself; at most `limit` after `after`.

    Raises NoSuchChunk if the principal may not see that one, and ChannelNotAllowed.
    """
    who = audience(principal, channel, include_quarantined=include_quarantined)
    found = db.get_timeline(
        tenant=principal.tenant_id,
        around=chunk_id,
        window_seconds=window_seconds,
        listening=who.listening,
        channels=who.listening,
        include_quarantined=include_quarantined,
        include_archived=include_archived,
        limit=limit,
        after_ts=after[0] if after else None,
        after_id=after[1] if after else None,
    )
    if found:
        return Timeline(found[0].center_ts, found)
    seen = get(principal, [chunk_id], channel=channel, include_quarantined=include_quarantined) if after else []
    if not seen:
        raise NoSuchChunk
    return Timeline(seen[0].ts, [])


def listed(
    principal: Principal,
    *,
    filters: Mapping[str, Any],
    before: tuple[datetime, uuid.UUID] | None,
    limit: int,
    channel: str | None = None,
    include_quarantined: bool = False,
    include_archived: bool = False,
) -> list[ChunkRow]:
    """The newest `limit` chunks under `filters` (FILTERS, tier, since, until), from `before` on. Archived chunks are
    among them with `include_archived`, and if `filters` ask for that tier. Raises ChannelNotAllowed."""
    who = audience(principal, channel, include_quarantined=include_quarantined)
    before_ts, before_id = before or (None, None)
    return db.list_chunks(
        tenant=principal.tenant_id,
        listening=who.listening,
        channels=who.listening,
        include_quarantined=include_quarantined,
        include_archived=include_archived or filters.get("tier") == Tier.ARCHIVE,
        scope=filters.get("scope"),
        subject_type=filters.get("subject_type"),
        subject_id=filters.get("subject_id"),
        project_id=filters.get("project_id"),
        session_id=filters.get("session_id"),
        tier=filters.get("tier"),
        tag=filters.get("tag"),
        since=filters.get("since"),
        until=filters.get("until"),
        before_ts=before_ts,
        before_id=before_id,
        limit=limit,
    )
