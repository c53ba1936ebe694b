"""What search adds to its one ranking in the database, if asked: more spaces (`mode: multi`), and the match of single
words by the model (`rerank`). Both reorder the best results, and find no others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.reading.rows import FoundChunk, Origin
from memory.reading.search import Place
from memory.spaces.fusion import Share, reranked, spread
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.protocol import Item, Query, Space
from memory.spaces.ranking import rank

#: How many of the best results are reordered; there are no results after them.
FUSED, RERANKED = 100, 50
#: What the match of words counts beside the rank. On LoCoMo, 0.5 is worse than none (docs/evaluation.md).
RERANK_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Ordered:
    """Results in a new order, and what each space says of each: its share by the space's name, by the chunk's id."""

    chunks: list[FoundChunk]
    shares: Mapping[UUID, Mapping[str, Share]]


def query_of(text: str, now: datetime, session_id: str | None, origins: Sequence[Origin]) -> Query:
    """The question, with what is known of the session that it is asked of."""
    places = [one.place + 1 for one in origins if one.place is not None]
    return Query(text, now, session_id=session_id, places=max(places, default=None))


def fuse(
    found: Sequence[FoundChunk],
    origins: Sequence[Origin],
    query: Query,
    weights: Mapping[str, float],
    spaces: Mapping[str, Space[Any]],
) -> Ordered:
    """The results ranked by the spaces that have a weight. E1 and E6 have their scores from the search itself. A result
    of which no such space says anything is left out."""
    known_of = {one.chunk_id: one for one in origins}
    items = [_item(chunk, known_of.get(chunk.chunk_id)) for chunk in found]
    known = {
        "E1": {place: chunk.meaning for place, chunk in enumerate(found) if chunk.meaning is not None},
        "E6": {place: chunk.words for place, chunk in enumerate(found)},
    }
    fused = rank(query, items, known=known, weights=weights, spaces=spaces)
    chunks = [replace(found[one.id], rank=round(one.score, 6)) for one in fused]
    return Ordered(_sorted(chunks), {found[one.id].chunk_id: one.shares for one in fused})


def rerank(
    found: Sequence[FoundChunk], query: Query, speakers: Mapping[UUID, str | None], space: LateInteraction
) -> Ordered:
    """The best results with the mean of the best matches of the question's words added to their rank."""
    best = list(found[:RERANKED])
    asked = space.embed_query(query)
    if asked is None or not best:
        return Ordered(best, {})
    items = [Item(chunk.text, chunk.ts, speaker=speakers.get(chunk.chunk_id)) for chunk in best]
    matches = space.score(asked, space.embed(items))
    parts = spread(matches)
    ordered = reranked(range(len(best)), [chunk.rank for chunk in best], parts, RERANK_WEIGHT)
    share = RERANK_WEIGHT / (1 + RERANK_WEIGHT)
    by_match = sorted(range(len(best)), key=lambda place: -matches[place])
    shares = {
        best[place].chunk_id: {"E12": Share(matches[place], position, RERANK_WEIGHT, share * parts[place])}
        for position, place in enumerate(by_match, 1)
    }
    return Ordered(_sorted([replace(best[place], rank=round(score, 6)) for place, score in ordered]), shares)


def scaled(shares: Mapping[str, Share]) -> dict[str, Share]:
    """The shares of a result before it was reranked, as parts of its rank after that."""
    return {name: replace(one, contribution=one.contribution / (1 + RERANK_WEIGHT)) for name, one in shares.items()}


def page(chunks: Sequence[FoundChunk], limit: int, after: Place | None) -> tuple[list[FoundChunk], bool]:
    """The first `limit` chunks that come after the last of the page before, and whether there are no more."""
    rest = [
        chunk
        for chunk in chunks
        if after is None or _order(chunk) < (after.rank, after.importance, after.ts, after.chunk_id)
    ]
    return rest[:limit], len(rest) <= limit


def _order(chunk: FoundChunk) -> tuple[Any, ...]:
    """What results are ordered by, the largest first."""
    return (chunk.rank, chunk.importance, chunk.ts, chunk.chunk_id)


def _sorted(chunks: Sequence[FoundChunk]) -> list[FoundChunk]:
    return sorted(chunks, key=_order, reverse=True)


def _item(chunk: FoundChunk, origin: Origin | None) -> Item:
    if origin is None:
        return Item(chunk.text, chunk.ts, session_id=chunk.session_id)
    return Item(
        chunk.text,
        chunk.ts,
        speaker=origin.speaker,
        session_id=chunk.session_id,
        place=origin.place,
        refs=tuple(origin.refs),
    )
