"""Chunks as readers see them: search, get, timeline, lists."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance import gate
from governance.identity.principals import Principal
from governance.refusals import NotFound
from memory.reading.audience import audience


class NoSuchChunk(NotFound):
    """There is no such chunk that you may see."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. `ranking` is `exact` or `windowed`; then `total` is an estimate (sql/0006)."""

    chunks: list[dict[str, Any]]
    total: int
    ranking: str


#: The filters of search_chunks() and of list_chunks(), in their order.
FILTERS = ("scope", "subject_type", "subject_id", "project_id", "session_id")
LIST_FILTERS = (*FILTERS, "tier", "since", "until")


def search(
    principal: Principal,
    query: str,
    *,
    channel: str | None = None,
    include_quarantined: bool = False,
    limit: int = 10,
    highlight: bool = False,
    filters: Mapping[str, str | None],
) -> Found:
    """The best `limit` chunks for a websearch-style query (words, "phrases", OR, -not), and how many match in all.

    Ordered by rank, importance and time. With `highlight`, each has a `snippet` of escaped HTML. Raises
    ChannelNotAllowed.
    """
    who = audience(principal, channel)
    found = gate.call(
        "search_chunks", principal.tenant_id, query, who.listening, who.sensitivities, who.listening,
        include_quarantined, *(filters.get(name) for name in FILTERS), limit, highlight,
    )  # fmt: skip
    if not found:
        return Found([], 0, "exact")
    return Found(found, found[0]["total_count"], found[0]["ranking"])


def get(
    principal: Principal,
    ids: Iterable[uuid.UUID],
    *,
    channel: str | None = None,
    include_quarantined: bool = False,
) -> list[dict[str, Any]]:
    """The chunks of `ids` that may be seen, in the order asked. Others are left out without a word.

    Raises ChannelNotAllowed.
    """
    wanted = list(dict.fromkeys(ids))
    who = audience(principal, channel)
    found = gate.call("get_chunks", principal.tenant_id, wanted, who.listening, who.sensitivities, include_quarantined)
    by_id = {row["chunk_id"]: row for row in found}
    return [by_id[chunk_id] for chunk_id in wanted if chunk_id in by_id]


def timeline(
    principal: Principal,
    chunk_id: uuid.UUID,
    *,
    window_seconds: int,
    channel: str | None = None,
    include_quarantined: bool = False,
    limit: int = 200,
) -> list[dict[str, Any]]:
    """The chunks within `window_seconds` of one, nearest first, itself among them.

    Raises NoSuchChunk where it may not be seen itself, ChannelNotAllowed.
    """
    who = audience(principal, channel)
    found = gate.call(
        "get_timeline", principal.tenant_id, chunk_id, window_seconds, who.listening, who.sensitivities,
        who.listening, include_quarantined, limit,
    )  # fmt: skip
    if not found:
        raise NoSuchChunk
    return found


def listed(
    principal: Principal,
    *,
    filters: Mapping[str, Any],
    before: tuple[datetime, uuid.UUID] | None,
    limit: int,
    channel: str | None = None,
    include_quarantined: bool = False,
) -> list[dict[str, Any]]:
    """The newest `limit` chunks under `filters` (FILTERS, tier, since, until), from `before` on. Raises
    ChannelNotAllowed."""
    who = audience(principal, channel)
    return gate.call(
        "list_chunks", principal.tenant_id, who.listening, who.sensitivities, who.listening, include_quarantined,
        *(filters.get(name) for name in LIST_FILTERS), *(before or (None, None)), limit,
    )  # fmt: skip
