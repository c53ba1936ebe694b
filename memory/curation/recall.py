"""Recall: the memories that an agent needs, for a topic or in general, within a number of tokens."""

import math
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from django.utils import timezone

from governance import tokens
from governance.acting.principals import Principal
from memory.curation import db
from memory.curation.db import RecalledChunk
from memory.near_duplicates import Crowds
from memory.queries.audience import assembling, audience
from memory.queries.conditions import words_only
from memory.queries.search import Mode, Notice, search
from memory.usage.deliveries import deliver
from memory.usage.means import Means

#: The weights of the score. Without a query there is no relevance, and the rest decides.
RELEVANCE, RECENCY, IMPORTANCE, ACCESS = 0.4, 0.3, 0.2, 0.1
#: Recency halves after this time.
HALF_LIFE = timedelta(days=7)
#: Deliveries that give the full access score.
FULL_ACCESS = 50
#: Minimum number of best matches to score, and number of the newest if there is no query.
CANDIDATES = 50
#: How many times as many of the newest to consider next if many of those are near-duplicates, and the maximum.
FURTHER = 4
DEEPEST = 2_000
#: After so many in a row that do not fit, no others are tried.
MISSES = 50


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory with its score and the parts of the score, each from 0 to 1."""

    chunk: RecalledChunk
    score: float
    relevance: float
    recency: float
    importance: float
    access: float
    tokens: int

    @property
    def edits_applied(self) -> int:
        return self.chunk.edits_applied

    @property
    def chunk_id(self) -> uuid.UUID:
        return self.chunk.chunk_id

    @property
    def why(self) -> str:
        """Why it was chosen, as text: the parts of the score, the largest first."""
        parts = {
            f"matches the query ({self.relevance:.2f})": RELEVANCE * self.relevance,
            f"recent ({self.recency:.2f})": RECENCY * self.recency,
            f"important ({self.importance:.2f})": IMPORTANCE * self.importance,
            f"used {self.chunk.access_count} times": ACCESS * self.access,
        }
        return ", ".join(part for part in sorted(parts, key=lambda part: -parts[part]) if parts[part] > 0)


@dataclass(frozen=True, slots=True)
class Recalled:
    """The memories, best first, their tokens (o200k_base), and how many more would not fit."""

    memories: list[Scored]
    tokens_used: int
    omitted: int
    notices: tuple[Notice, ...] = ()


def recall(
    principal: Principal,
    query: str | None,
    *,
    max_tokens: int,
    max_results: int,
    channel: str | None = None,
    include_superseded: bool = False,
    include_archived: bool = False,
    filters: Mapping[str, str | None] | None = None,
    without: frozenset[uuid.UUID] = frozenset(),
    without_session_id: str | None = None,
    include_core: bool = True,
    shown_as: Callable[[RecalledChunk], str] = lambda chunk: chunk.text,
    is_part: bool = False,
    also_from: Collection[str] = (),
) -> Recalled:
    """Return the best `max_results` memories for `query`, or without one by recency and importance, that fit into
    `max_tokens` together: the score of docs/self-editing-memory.md over the results of a search.

    `channel` is the audience: memory that it may not read is omitted, and memory recorded in channels that are less
    open, unless `also_from` names them. Memory that does not match `filters` is omitted, with or without a query.

    Blocks of other agents are omitted, and so are the chunks in `without`, records of the session `without_session_id`,
    archived memory without `include_archived`, and core memory without `include_core`. `shown_as` returns the text of a
    memory for the reader, whose tokens count. With `include_superseded`, it includes the agent's own superseded
    memories. With `is_part`, the caller delivers the memories, with others of the same response.

    Raises ChannelNotAllowed.
    """
    with assembling(principal, channel, also_from) as reader:
        who = audience(reader, channel)
        candidates = partial(
            _candidates, reader, query, who.listening, channel, include_superseded, include_archived, filters or {}
        )

        def scored(relevances: Mapping[uuid.UUID, float]) -> list[Scored]:
            found = db.get_recalled(
                tenant=reader.tenant_id,
                ids=[one for one in relevances if one not in without],
                listening=who.listening,
                include_superseded=include_superseded,
            )
            # a persona describes its own agent
            mine = [
                one
                for one in found
                if (one.block_label is None or one.recorded_by == reader.id)
                and (without_session_id is None or one.session_id != without_session_id)
                and (include_core or not one.is_core)
            ]
            return _scored(mine, relevances)

        # the omitted session may have most of the near results
        wanted = max(CANDIDATES, max_results) * (4 if without_session_id else 1)
        while True:
            relevances, notices = candidates(wanted)
            found = scored(relevances)
            shown, waiting = _uncrowded(found, reader)
            chosen, is_full = _fitting([*shown, *waiting], max_results, max_tokens, shown_as)
            is_crowded = query is None and len(shown) < len(found)
            if is_full or not is_crowded or not wanted <= len(relevances) < DEEPEST:
                break
            # many of the newest are near-duplicates: look further, as a search does
            wanted = min(wanted * FURTHER, DEEPEST)
        shown += waiting
        used = sum(one.tokens for one in chosen)
    if not is_part:
        deliver(principal, [(one.chunk_id, one.edits_applied) for one in chosen], means=Means.RECALL, to_people=True)
    too_large = min(len(shown), max_results) - len(chosen)
    return Recalled(chosen, used, max(too_large, 0), notices)


def _candidates(
    principal: Principal,
    query: str | None,
    listening: list[str],
    channel: str | None,
    include_superseded: bool,
    include_archived: bool,
    filters: Mapping[str, str | None],
    wanted: int,
) -> tuple[dict[uuid.UUID, float], tuple[Notice, ...]]:
    """The chunks to score with their relevance, from 0 to 1."""
    if query is None:
        recent = db.recent_memories(
            tenant=principal.tenant_id,
            agent=principal.id,
            listening=listening,
            subject_type=filters.get("subject_type"),
            subject_id=filters.get("subject_id"),
            project_id=filters.get("project_id"),
            limit=wanted,
        )
        return dict.fromkeys(recent, 0.0), ()
    query = words_only(query)
    found = search(
        principal,
        query,
        channel=channel,
        in_every_channel=True,
        include_archived=include_archived,
        limit=wanted,
        mode=Mode.HYBRID,
        filters=filters,
    )
    relevances = {one.chunk_id: float(one.rank) for one in found.chunks}
    if include_superseded and principal.kind == "agent":
        # no better than the memory that replaced them
        best = max(relevances.values(), default=1.0)
        for match in db.find_superseded(
            tenant=principal.tenant_id, agent=principal.id, query=query, listening=listening, limit=wanted
        ):
            relevances.setdefault(match.chunk_id, match.score * best)
    return relevances, found.notices


def _scored(chunks: Sequence[RecalledChunk], relevances: Mapping[uuid.UUID, float]) -> list[Scored]:
    """The chunks with their scores, best first; their tokens are not counted yet."""
    now = timezone.now()
    return sorted((_score(one, relevances[one.chunk_id], now) for one in chunks), key=_order)


def _fitting(
    scored: Sequence[Scored], max_results: int, max_tokens: int, shown_as: Callable[[RecalledChunk], str]
) -> tuple[list[Scored], bool]:
    """Return the best memories that fit, best first, and whether there is room for no more.

    Counting the tokens of a text costs more than scoring it, so only those that may fit are counted.
    """
    chosen: list[Scored] = []
    room, missed = max_tokens, 0
    for one in scored:
        if len(chosen) == max_results or room <= 0 or missed == MISSES:
            return sorted(chosen, key=_order), True
        (cost,) = tokens.count([shown_as(one.chunk)])
        if cost <= room:
            chosen.append(replace(one, tokens=cost))
            room -= cost
            missed = 0
        else:
            missed += 1
    return sorted(chosen, key=_order), False


def _order(one: Scored) -> tuple[float, float, uuid.UUID]:
    """Best first."""
    return -one.score, -one.chunk.ts.timestamp(), one.chunk_id


def _uncrowded(scored: Sequence[Scored], principal: Principal) -> tuple[list[Scored], list[Scored]]:
    """Omit memories that nearly repeat better ones of their recorder (memory/near_duplicates.py), except the chain of
    `principal`, who curates it. Returns the others, and the short ones that wait for a place that nothing else takes.
    """
    crowds = Crowds()
    shown: list[Scored] = []
    waiting: list[Scored] = []
    for one in scored:
        if one.chunk.seq is not None and one.chunk.recorded_by == principal.id:
            shown.append(one)
            continue
        crowd = crowds.crowd_of(one.chunk.text, one.chunk.recorder)
        if crowds.counts(crowd.number):
            shown.append(one)
        elif crowd.is_short:
            waiting.append(one)
    return shown, waiting


def _score(chunk: RecalledChunk, relevance: float, now: datetime) -> Scored:
    recency = 0.5 ** max((now - chunk.ts) / HALF_LIFE, 0.0)
    access = min(math.log1p(chunk.access_count) / math.log1p(FULL_ACCESS), 1.0)
    importance = float(chunk.importance)
    score = RELEVANCE * relevance + RECENCY * recency + IMPORTANCE * importance + ACCESS * access
    return Scored(chunk, round(score, 6), round(relevance, 6), round(recency, 6), importance, round(access, 6), 0)
