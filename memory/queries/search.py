"""Search in effective memory: by words, by meaning, or by both."""

import json
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import partial

from governance.acting.principals import Principal
from memory.models import Chunk
from memory.queries import db
from memory.queries.audience import audience
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
    """The last chunk of a page of a search: the next page follows it. `scale` is what the page's ranks are relative to,
    and `shown` are chunks from further on that an earlier page has shown before their turn."""

    rank: float
    scale: float
    importance: Decimal
    ts: datetime
    chunk_id: uuid.UUID
    shown: frozenset[uuid.UUID] = frozenset()

    @classmethod
    def of(cls, last: FoundChunk, shown: Collection[uuid.UUID] = ()) -> "Place":
        """The place of a chunk."""
        return cls(last.rank, last.scale, last.importance, last.ts, last.chunk_id, frozenset(shown))


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
    filters: Mapping[str, str | None],
) -> SearchResult:
    """Return the best `limit` chunks for a query (docs/search.md), and the number of matches.

    Ordered by rank, importance and time, starting after `after`. `alpha` is the weight of meaning in hybrid mode, from
    0 to 1; None for the tenant's. With `collapse`, omits chunks that say the same as a better one, or nearly repeat two
    better ones of their recorder. With `highlight`, each chunk has a `snippet` of escaped HTML; with `explain`, the
    words borrowed from its neighbours. With `in_every_channel`, `channel` is only the audience: memory of other
    channels is found too, if the audience may read it. If no memory fulfils the conditions of the query, its words
    alone are searched, unless `keep_conditions`. Raises ChannelNotAllowed.
    """
    who = audience(principal, channel, include_quarantined=include_quarantined)
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
        project_id=filters.get("project_id"),
        session_id=filters.get("session_id"),
        limit=limit,
        highlight=highlight,
        explain=explain,
        mode=mode,
        alpha=alpha,
        vector=meaning.vector,
        model=meaning.model,
        collapse=collapse,
        after_rank=after.rank if after else None,
        after_scale=after.scale if after else None,
        after_importance=after.importance if after else None,
        after_ts=after.ts if after else None,
        after_id=after.chunk_id if after else None,
        without_recorders=None,
    )
    found = search_chunks(query=query)
    if meant := meant_by(_unknown_words(principal, query, found)):
        found = search_chunks(query=" ".join([query, *meant]))
    if not found and not keep_conditions and words_only(query).split() != query.split():
        query = words_only(query)
        if found := search_chunks(query=query):
            notices = (*notices, WITHOUT_CONDITIONS)
    if not found:
        is_worded = after is not None or db.names_words(tenant=principal.tenant_id, query=query)
        return SearchResult([], 0, "exact", ranked_by, notices if is_worded else (*notices, ONLY_STOP_WORDS))
    first = found[0]
    known = after.shown if after else frozenset()
    if not collapse:
        is_last = first.following <= limit
        rows = [row for row in found if row.chunk_id not in known]
        place = None if is_last else Place.of(found[-1], known)
        return SearchResult(rows, first.total_count, first.ranking, ranked_by, notices, place)
    again = partial(search_chunks, query=" ".join([query, *meant]))
    shown = uncrowded(found, limit, _is_own(principal), partial(_following, again))
    ranked = {row.chunk_id for row in [*shown.chunks, *shown.waiting]}
    if len(shown.chunks) < limit:
        # matches with only common words were not ranked, because the crowd has as many of them
        crowding = shown.crowding if first.ranking == "windowed" else []
        # on the first page, others go before the many short texts of one recorder
        crowding += shown.crowding_shortly if after is None else []
        if crowding:
            others = again(limit=limit, after_scale=first.scale, without_recorders=crowding)
            shown = shown.with_others(others, limit)
    shown = shown.filled(limit)
    if shown.left_out:
        notices = (*notices, Notice("near_duplicates", NEAR_DUPLICATES.format(shown.left_out)))
    # they come again in their turn, unless the cursor names them
    before_turn = (
        {row.chunk_id for row in shown.chunks if row.chunk_id not in ranked} if shown.crowding_shortly else set()
    )
    reached = [row for row in shown.chunks if row.chunk_id not in before_turn]
    place = None if shown.is_last else Place.of(reached[-1], known | before_turn)
    rows = [row for row in shown.chunks if row.chunk_id not in known]
    return SearchResult(rows, first.total_count, first.ranking, ranked_by, notices, place)


def _is_own(principal: Principal) -> Callable[[FoundChunk], bool]:
    """Whether a chunk is in the agent's own chain, which it curates itself: its commits are no crowd."""
    return lambda row: row.source in CURATED and row.recorder == principal.name


def _following(search_chunks: Callable[..., list[FoundChunk]], last: FoundChunk, limit: int) -> list[FoundChunk]:
    """The page of a search after `last`."""
    return search_chunks(
        limit=limit,
        after_rank=last.rank,
        after_scale=last.scale,
        after_importance=last.importance,
        after_ts=last.ts,
        after_id=last.chunk_id,
    )


def _unknown_words(principal: Principal, query: str, found: list[FoundChunk]) -> list[UnknownWord]:
    """The words of `query` that no memory contains, according to a search with these results."""
    if not found:
        return db.unknown_words(tenant=principal.tenant_id, query=query)
    return [UnknownWord(**one) for one in json.loads(found[0].unknown or "[]")]
