"""Search that reorders its best results: by several spaces (`mode: multi`), or word by word (`rerank`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from governance.identity.principals import Principal
from memory.embedding.local import local_model
from memory.embedding.protocol import ProviderFailed
from memory.reading import calls, fusing, search
from memory.reading.audience import audience
from memory.reading.rows import FoundChunk, Origin
from memory.reading.search import Mode, Notice, Place, SearchResult
from memory.spaces.catalog import without_model
from memory.spaces.fusion import Share
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.protocol import Space
from memory.spaces.ranking import weights_for

NOT_RERANKED = Notice("not_reranked", "The words were not compared by the model, which cannot be used now.")


@dataclass(frozen=True, slots=True)
class FusedResult:
    """The result of a search, with what each space says of each chunk, by the chunk's id and the space's name."""

    result: SearchResult
    shares: Mapping[UUID, Mapping[str, Share]] = field(default_factory=dict)


def fused_search(
    principal: Principal,
    query: str,
    *,
    now: datetime,
    mode: Mode,
    weights: Mapping[str, float] | None = None,
    rerank: bool = False,
    channel: str | None = None,
    include_quarantined: bool = False,
    include_archived: bool = False,
    limit: int = 10,
    highlight: bool = False,
    explain: bool = False,
    alpha: float | None = None,
    collapse: bool = True,
    after: Place | None = None,
    filters: Mapping[str, str | None],
) -> FusedResult:
    """As `search.search`, for the best 100 results in `multi` mode and the best 50 with `rerank`; there are no others.

    `weights` are those of the spaces in `multi` mode, None for those as shipped. If the local model cannot be used, the
    results keep their order and a notice says so. Raises ChannelNotAllowed.
    """
    found = search.search(
        principal,
        query,
        channel=channel,
        include_quarantined=include_quarantined,
        include_archived=include_archived,
        limit=fusing.FUSED if mode is Mode.MULTI else fusing.RERANKED,
        highlight=highlight,
        explain=explain,
        mode=Mode.HYBRID if mode is Mode.MULTI else mode,
        alpha=alpha,
        collapse=collapse,
        filters=filters,
    )
    chunks, notices = found.chunks, found.notices
    ranked_by = found.mode
    shares: dict[UUID, Mapping[str, Share]] = {}
    origins = _origins(principal, chunks, channel, include_quarantined)
    asked = fusing.query_of(query, now, filters.get("session_id"), origins)
    try:
        if mode is Mode.MULTI:
            ranked_by = Mode.MULTI
            given = weights_for(asked) if weights is None else weights
            ordered = fusing.fuse(chunks, origins, asked, given, _spaces(given))
            chunks, shares = ordered.chunks, {**ordered.shares}
        if rerank:
            ordered = fusing.rerank(chunks, asked, {one.chunk_id: one.speaker for one in origins}, _late_interaction())
            chunks = ordered.chunks
            shares = {
                one: {**fusing.scaled(shares.get(one, {})), **compared} for one, compared in ordered.shares.items()
            }
    except ProviderFailed:
        notices = (*notices, NOT_RERANKED)
    page, is_last = fusing.page(chunks, limit, after)
    result = SearchResult(page, found.total, _ranking(found, chunks), ranked_by, notices, is_last=is_last)
    return FusedResult(result, shares)


def _ranking(found: SearchResult, chunks: Sequence[FoundChunk]) -> str:
    return "windowed" if found.total > len(chunks) else found.ranking


def _origins(
    principal: Principal, chunks: Sequence[FoundChunk], channel: str | None, include_quarantined: bool
) -> list[Origin]:
    if not chunks:
        return []
    return calls.get_origins(
        tenant=principal.tenant_id,
        ids=[chunk.chunk_id for chunk in chunks],
        listening=audience(principal, channel).listening,
        include_quarantined=include_quarantined,
        with_places=True,
    )


def _spaces(weights: Mapping[str, float]) -> Mapping[str, Space[Any]]:
    """The spaces that have a weight and that the search itself does not answer."""
    spaces = {name: space for name, space in without_model().items() if weights.get(name)}
    if weights.get("E12"):
        spaces["E12"] = _late_interaction()
    return spaces


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
