"""Search in effective memory: by words, by meaning, or by both."""

import base64
import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from governance.acting.principals import OPEN_CHANNELS, Principal
from memory.metadata import Condition
from memory.models import Chunk
from memory.queries import db
from memory.queries.audience import Audience, audience
from memory.queries.conditions import words_only
from memory.queries.known_words import meant_by
from memory.queries.meaning import Meaning, meaning_of
from memory.queries.rows import FoundChunk, UnknownWord
from memory.queries.uncrowding import uncrowded


class Mode(StrEnum):
    """What to rank by: words, meaning (space E1), or both with a weight."""

    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Notice:
    """Information for the client about the results."""

    code: str
    detail: str


ONLY_STOP_WORDS = Notice(
    "only_stop_words",
    "Every word of the query is too common to search for, such as `the` or `what`. Use other words.",
)
WITHOUT_CONDITIONS = Notice(
    "without_conditions",
    "No memory fulfils the conditions of the query (quotes, OR, AND, a minus sign or a star). These results match its"
    " words.",
)
#: The sources of chunks in an agent's own chain.
CURATED = frozenset({Chunk.Source.COMMIT, Chunk.Source.CONSOLIDATION, Chunk.Source.BLOCK})
NEAR_DUPLICATES = (
    "{} further matches nearly repeat better ones of the same recorder and were omitted. With `collapse_duplicates`"
    " false, they are listed."
)
NOT_FOR_CHANNEL = (
    "{} further matches are not for this channel: they are more sensitive, or blocked in it. Ask in {}, or without a"
    " channel."
)
BY_WORDS = "The results are ranked by words only, because meanings cannot be compared now: {}"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search. `ranking` is `exact` or `windowed`; if `windowed`, not every match was ranked, and
    `total` is an estimate (memory/sql/functions/choose_lane.sql). `mode` is the mode that was used."""

    chunks: list[FoundChunk]
    total: int
    ranking: str
    mode: Mode
    notices: tuple[Notice, ...] = ()
    #: Where the next page begins; None on the last one.
    next: "Place | None" = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the next page of a search begins: with the best match that is not among the `shown` keys. Ranks move while
    memory is recorded, edited or embedded, so a rank would lose matches. `scale` is what the page's ranks are relative
    to."""

    scale: float
    shown: frozenset[str] = frozenset()

    def with_shown(self, ids: Iterable[uuid.UUID]) -> "Place":
        """The place after a page that has shown these chunks, or left them out for good."""
        return replace(self, shown=self.shown | set(map(shown_key, ids)))


def shown_key(chunk_id: uuid.UUID) -> str:
    """The key of a chunk in a cursor: 48 random bits of its id in 8 characters, as shown_key in the database."""
    return base64.b64encode(chunk_id.bytes[10:]).decode()


def search(
    principal: Principal,
    query: str,
    *,
    channel: str | None = None,
    in_every_channel: bool = False,
    include_quarantined: bool = False,
    include_archived: bool = False,
    limit: int = 10,
    highlight: bool = False,
    explain: bool = False,
    mode: Mode = Mode.HYBRID,
    alpha: float | None = None,
    collapse: bool = True,
    after: Place | None = None,
    keep_conditions: bool = False,
    filters: Mapping[str, Any],
    where: Condition | None = None,
) -> SearchResult:
    """Return the best `limit` chunks for a query (docs/search.md), and the number of matches.

    Ordered by rank, importance and time, without what was shown before `after`. `alpha` is the weight of meaning in
    hybrid mode, from 0 to 1; None for the tenant's. With `collapse`, omits chunks that say the same as a better one, or
    nearly repeat two better ones of their recorder. With `highlight`, each chunk has a `snippet` of escaped HTML; with
    `explain`, the words borrowed from its neighbours. With `in_every_channel`, `channel` is only the audience: memory
    of other channels is found too, if the audience may read it. If no memory fulfils the conditions of the query, its
    words alone are searched, unless `keep_conditions`. `filters` are the values by name, `where` the condition of
    metadata. An agent may always include
    its own quarantined memory: with itself as the filter `recorder`. Raises ChannelNotAllowed, QuarantineNotAllowed.
    """
    is_own = filters.get("recorder") == principal.name
    who = audience(principal, channel, include_quarantined=include_quarantined and not is_own)
    meaning = Meaning() if mode is Mode.KEYWORD else meaning_of(query)
    notices = () if meaning.failure is None else (Notice("ranked_by_words", BY_WORDS.format(meaning.failure)),)
    ranked_by = mode if meaning.vector is not None else Mode.KEYWORD
    search_chunks = partial(
        db.search_chunks,
        tenant=principal.tenant_id,
        listening=who.listening,
        channels=list(principal.channels) if in_every_channel else who.listening,
        include_quarantined=include_quarantined,
        include_archived=include_archived,
        scope=filters.get("scope"),
        subject_type=filters.get("subject_type"),
        subject_id=filters.get("subject_id"),
        subject_ids=filters.get("subject_ids"),
        project_id=filters.get("project_id"),
        session_id=filters.get("session_id"),
        tag=filters.get("tag"),
        recorder=filters.get("recorder"),
        actor=filters.get("actor"),
        kind=filters.get("kind"),
        since=filters.get("since"),
        until=filters.get("until"),
        metadata=where.all if where else None,
        metadata_equals=where.equals if where else None,
        subject_prefix=filters.get("subject_prefix"),
        limit=limit,
        highlight=highlight,
        explain=explain,
        mode=mode,
        alpha=alpha,
        vector=meaning.vector,
        model=meaning.model,
        collapse=collapse,
        scale=after.scale if after else None,
        shown=sorted(after.shown) if after else None,
        without_recorders=None,
    )
    found = search_chunks(query=query)
    if meant := meant_by(_unknown_words(principal, query, found)):
        found = search_chunks(query=" ".join([query, *meant]))
    if not found and not keep_conditions and words_only(query).split() != query.split():
        query = words_only(query)
        if found := search_chunks(query=query):
            notices = (*notices, WITHOUT_CONDITIONS)
    if after is None and len(found) < limit:
        notices = (*notices, *_not_for_channel(principal, who, partial(search_chunks, query=query), found))
    if not found:
        is_worded = after is not None or db.names_words(tenant=principal.tenant_id, query=query)
        total = len(after.shown) if after else 0
        return SearchResult([], total, "exact", ranked_by, notices if is_worded else (*notices, ONLY_STOP_WORDS))
    first = found[0]
    place = after or Place(first.scale)
    if not collapse:
        following = None if first.following <= limit else place.with_shown(row.chunk_id for row in found)
        return SearchResult(found, first.total_count, first.ranking, ranked_by, notices, following)
    again = partial(search_chunks, query=" ".join([query, *meant]), scale=first.scale)

    def next_ranked(passed: list[uuid.UUID], count: int) -> list[FoundChunk]:
        return again(limit=count, shown=sorted(place.with_shown(passed).shown))

    page = uncrowded(found, limit, _is_own(principal), next_ranked)
    if len(page.chunks) < limit:
        # matches with only common words were not ranked, because the crowd has as many of them
        crowding = page.crowding if first.ranking == "windowed" else []
        # on the first page, others go before the many short texts of one recorder
        crowding += page.crowding_shortly if after is None else []
        if crowding and db.has_other_recorders(tenant=principal.tenant_id, recorders=crowding):
            others = again(limit=limit, without_recorders=crowding)
            page = page.with_others(others, limit)
    page = page.filled(limit)
    if page.left_out:
        notices = (*notices, Notice("near_duplicates", NEAR_DUPLICATES.format(len(page.left_out))))
    rows = page.chunks
    following = None if page.is_last else place.with_shown([*(row.chunk_id for row in rows), *page.left_out])
    return SearchResult(rows, first.total_count, first.ranking, ranked_by, notices, following)


def _not_for_channel(
    principal: Principal, who: Audience, again: Callable[..., list[FoundChunk]], found: list[FoundChunk]
) -> list[Notice]:
    """The notice of matches that the key may read in another of its channels, if the request names one that hears no
    confidential memory."""
    wider = [channel for channel in principal.channels if channel in OPEN_CHANNELS]
    if not wider or set(who.listening) & set(wider):
        return []
    more = len({row.chunk_id for row in again(listening=wider)} - {row.chunk_id for row in found})
    return [Notice("not_for_channel", NOT_FOR_CHANNEL.format(more, " or ".join(wider)))] if more else []


def _is_own(principal: Principal) -> Callable[[FoundChunk], bool]:
    """Whether a chunk is in the agent's own chain, which it curates itself: its commits are no crowd."""
    return lambda row: row.source in CURATED and row.recorder == principal.name


def _unknown_words(principal: Principal, query: str, found: list[FoundChunk]) -> list[UnknownWord]:
    """The words of `query` that no memory contains, according to a search with these results."""
    if not found:
        return db.unknown_words(tenant=principal.tenant_id, query=query)
    return [UnknownWord(**one) for one in json.loads(found[0].unknown or "[]")]
