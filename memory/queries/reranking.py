"""Search that reorders its best results by comparing them with the query word by word (`rerank`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from uuid import UUID

from django.utils import timezone

from governance.acting.principals import Principal
from memory.embedding.local import local_model
from memory.embedding.protocol import ProviderFailed
from memory.queries import db, search
from memory.queries.audience import audience
from memory.queries.rows import FoundChunk
from memory.queries.search import Notice, Place, SearchResult
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.protocol import Item

#: How many of the best results are reordered; there are no others.
RERANKED = 50
#: The weight of matching words beside the rank. On LoCoMo, 0.5 is worse than none (docs/evaluation.md).
RERANK_WEIGHT = 0.2
NOT_RERANKED = Notice("not_reranked", "The results were not reranked, because the model is not available.")


@dataclass(frozen=True, slots=True)
class Match:
    """How well the query's words match a result, its position by that, and what that adds to its rank."""

    score: float
    place: int
    contribution: float


@dataclass(frozen=True, slots=True)
class Reranked:
    """The result of a search, with the match of each chunk that was compared, by the chunk's id."""

    result: SearchResult
    matches: Mapping[UUID, Match] = field(default_factory=dict)


def reranked_search(
    principal: Principal,
    query: str,
    *,
    channel: str | None = None,
    include_quarantined: bool = False,
    limit: int = 10,
    after: Place | None = None,
    **asked: Any,
) -> Reranked:
    """As `search.search`, with the best 50 results reordered; there are no others.

    If the local model cannot be used, the results keep their order and a notice says so. Raises ChannelNotAllowed.
    """
    found = search.search(
        principal, query, channel=channel, include_quarantined=include_quarantined, limit=RERANKED, **asked
    )
    chunks, notices = found.chunks, found.notices
    matches: Mapping[UUID, Match] = {}
    try:
        if chunks:
            said_by = _speakers(principal, chunks, channel, include_quarantined)
            chunks, matches = _reranked(query, chunks, said_by, _late_interaction())
    except ProviderFailed:
        notices = (*notices, NOT_RERANKED)
    place = after or Place(chunks[0].scale if chunks else 1)
    rest = [chunk for chunk in chunks if search.shown_key(chunk.chunk_id) not in place.shown]
    page = rest[:limit]
    following = None if len(rest) <= limit else place.with_shown(chunk.chunk_id for chunk in page)
    ranking = "windowed" if found.total > len(chunks) else found.ranking
    return Reranked(SearchResult(page, found.total, ranking, found.mode, notices, following), matches)


def _reranked(
    query: str, chunks: Sequence[FoundChunk], said_by: Mapping[UUID, str], space: LateInteraction
) -> tuple[list[FoundChunk], Mapping[UUID, Match]]:
    """The chunks with the mean of the best matches of the query's words added to their ranks."""
    items = [Item(chunk.text, chunk.ts, speaker=said_by.get(chunk.chunk_id)) for chunk in chunks]
    (asked,) = space.embed([Item(query, timezone.now())])
    scores = space.score(asked, space.embed(items))
    by_score = sorted(range(len(chunks)), key=lambda place: -scores[place])
    place_of = {chunks[index].chunk_id: place for place, index in enumerate(by_score, 1)}
    ranked, matches = [], {}
    for chunk, score, part in zip(chunks, scores, spread(scores), strict=True):
        added = RERANK_WEIGHT / (1 + RERANK_WEIGHT) * part
        matches[chunk.chunk_id] = Match(score, place_of[chunk.chunk_id], added)
        ranked.append(replace(chunk, rank=round((chunk.rank + RERANK_WEIGHT * part) / (1 + RERANK_WEIGHT), 6)))
    return sorted(ranked, key=_order, reverse=True), matches


def spread(scores: Sequence[float]) -> list[float]:
    """The scores scaled from 0 for the lowest to 1 for the highest: cosines of one question differ little. Equal scores
    become 1."""
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - lowest) / (highest - lowest) if highest > lowest else 1.0 for score in scores]


def _order(chunk: FoundChunk) -> tuple[Any, ...]:
    """The sort key of results, the largest first."""
    return (chunk.rank, chunk.importance, chunk.ts, chunk.chunk_id)


def _speakers(
    principal: Principal, chunks: Sequence[FoundChunk], channel: str | None, include_quarantined: bool
) -> dict[UUID, str]:
    said = db.get_speakers(
        tenant=principal.tenant_id,
        ids=[chunk.chunk_id for chunk in chunks],
        listening=audience(principal, channel).listening,
        include_quarantined=include_quarantined,
    )
    return {one.chunk_id: one.speaker for one in said}


@cache
def _late_interaction() -> LateInteraction:
    model = local_model()
    return LateInteraction(_token_vectors, model.dimensions, reduce=False)


def _token_vectors(texts: Sequence[str]) -> list[Any]:
    """The token vectors of each text, computed in batches of similar lengths: a batch is padded to its longest."""
    model = local_model()
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    found: dict[int, Any] = {}
    for start in range(0, len(order), model.batch_size):
        places = order[start : start + model.batch_size]
        found.update(zip(places, model.token_vectors([texts[place] for place in places]), strict=True))
    return [found[place] for place in range(len(texts))]
