"""Memory's own sections. Each page of one is one call of the gate."""

import json
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Protocol, TypeVar

from governance.database.typed_calls import ColumnDict
from memory.context import db, sections
from memory.context.db import ContextChunk, ContextDecision, ContextTask
from memory.context.sections import COUNTED_BEYOND, Candidate, ContextRequest, Gathered, Who
from memory.curation.db import Amendment, OwnMemory, get_core_memories
from memory.curation.queries import unconfirmed
from memory.models import RULE_SCOPES, Event, Kind
from memory.queries.conditions import words_only
from memory.queries.decisions import details_of
from memory.queries.meaning import Meaning, meaning_of

#: The weights in the score of evidence. Recency halves every HALF_LIFE, counted from the newest memory found.
SIMILARITY, RECENCY, IMPORTANCE = 0.6, 0.3, 0.1
HALF_LIFE = timedelta(days=7)
#: A long query is searched by this many of its longest words, which are the most specific.
QUERY_WORDS = 32
_WORD = re.compile(r"\w+")


class _Listed(Protocol):
    """A row of a list that may be withheld; `available` is the length of the whole list."""

    @property
    def withheld(self) -> str | None: ...
    @property
    def available(self) -> int: ...


L = TypeVar("L", bound=_Listed)


@dataclass(frozen=True, slots=True)
class _Standard:
    name: str
    title: str
    priority: int
    share: int


class Core(_Standard):
    """The agent's core memory: the current versions of its core blocks."""

    def gather(self, request: ContextRequest) -> Gathered:
        principal = request.principal
        if principal.kind != "agent":
            return Gathered()
        rows = get_core_memories(tenant=principal.tenant_id, agent=principal.id, listening=request.audience.listening)
        waiting = unconfirmed(principal, rows)
        return Gathered([_core(row, principal.name, waiting.get(row.chunk_id)) for row in rows])


class Decisions(_Standard):
    """Decisions in force: rules, and those of the subject, the project and the session."""

    def gather(self, request: ContextRequest) -> Gathered:
        return _paged(
            request,
            request.decision_page,
            _decision,
            lambda row: row.decision_id,
            belongs=lambda row: (row.scope in RULE_SCOPES) == (self.name == "rules"),
        )


class Tasks(_Standard):
    """Tasks with the status `open` or `doing`."""

    def gather(self, request: ContextRequest) -> Gathered:
        return _paged(request, request.task_page, _task, lambda row: row.task_id)


class RecentWindow(_Standard):
    """The session's newest chunks."""

    def gather(self, request: ContextRequest) -> Gathered:
        return _paged(request, request.session_page, chunk_candidate, _chunk_id, is_window=True)


class Handoff(_Standard):
    """Summaries by earlier sessions about the subject or the project."""

    def gather(self, request: ContextRequest) -> Gathered:
        if request.subject_id is None and request.project_id is None:
            return Gathered()
        return _paged(request, request.handoff_page, chunk_candidate, _chunk_id)


class Evidence(_Standard):
    """The chunks that match the query, and the newest: about the subject and the project, or without a subject."""

    def gather(self, request: ContextRequest) -> Gathered:
        query = request.query if request.query is not None else last_said(request.session_rows)
        query = None if query is None else words_only(query)
        return _evidence(request, words_of(query), meaning_of(query or ""), {}, 0, 0)


def _evidence(
    request: ContextRequest,
    query: str | None,
    meaning: Meaning,
    known: Mapping[uuid.UUID, ContextChunk],
    best_from: int,
    newest_from: int,
) -> Gathered:
    """The next best matches and newest chunks, without those in `known`: three in four are matches, while there are
    any."""
    start = best_from + newest_from
    size = request.page_size(start)
    best = size * 3 // 4 if query is not None else 0
    newest = size - best
    rows = db.get_evidence(
        tenant=request.principal.tenant_id,
        session_id=request.session_id,
        query=query,
        vector=meaning.vector,
        model=meaning.model,
        subject_type=request.subject_type,
        subject_id=request.subject_id,
        project_id=request.project_id,
        listening=request.audience.listening,
        include_quarantined=request.include_quarantined,
        collapse=request.collapse_duplicates,
        best_from=best_from,
        best=best,
        newest_from=newest_from,
        newest=newest,
        reach=start + size + COUNTED_BEYOND,
    )
    found = {**known, **{row.chunk_id: row for row in rows if row.chunk_id not in known}}
    beyond = max(rows[0].available - len(found), 0) if rows else 0
    matches = sum((row.rank or 0) > 0 for row in rows)
    left = query if matches >= best else None
    following = partial(_evidence, request, left, meaning, found, best_from + best, newest_from + newest)
    return Gathered(
        scored([row for row in rows if row.chunk_id not in known], known.values()),
        beyond=min(beyond, COUNTED_BEYOND),
        further=following if beyond and request.page_size(start + size) else None,
    )


def _paged(
    request: ContextRequest,
    read: Callable[[int, int], list[L]],
    candidate: Callable[[L], Candidate],
    id_of: Callable[[L], uuid.UUID],
    *,
    belongs: Callable[[L], bool] = lambda _: True,
    is_window: bool = False,
    start: int = 0,
) -> Gathered:
    """The page of a list from row `start` on, and how to fetch the next page. If two sections share the list, each
    keeps its own rows, and the section of the page's last row counts the rows beyond."""
    size = request.page_size(start)
    every = read(start, size)
    rows = [row for row in every if belongs(row)]
    shown = _shown(every)
    beyond = max(every[0].available - start - len(shown), 0) if every else 0
    following = partial(
        _paged, request, read, candidate, id_of, belongs=belongs, is_window=is_window, start=start + size
    )
    return Gathered(
        [candidate(row) for row in _shown(rows)],
        _withheld(reversed(rows) if is_window else rows, id_of),
        is_window,
        beyond if shown and belongs(shown[-1]) else 0,
        following if beyond and request.page_size(start + size) else None,
    )


def last_said(rows: Sequence[ContextChunk]) -> str | None:
    """The newest message of a person in these rows, or the newest chunk if no person spoke."""
    shown = _shown(rows)
    said = [row for row in shown if row.kind == Kind.MESSAGE and row.actor_type == Event.ActorType.HUMAN]
    if said:
        return " ".join(row.text or "" for row in said if row.event_id == said[-1].event_id)
    return shown[-1].text if shown else None


def words_of(text: str | None) -> str | None:
    """A search query in plain words for a text, without any conditions; None if it has no words."""
    if text is None:
        return None
    words = dict.fromkeys(_WORD.findall(text.lower()))
    return " ".join(sorted(words, key=len, reverse=True)[:QUERY_WORDS]) or None


def scored(rows: Sequence[ContextChunk], known: Iterable[ContextChunk] = ()) -> list[Candidate]:
    """Evidence by its score, best first. Similarity is the rank divided by the best rank.

    Recency is counted from the newest row, not from the clock, so that the same state always gives the same order. Each
    chunk uses the share of its recorder and of its session, if there are several of them. `known` are rows of earlier
    pages: they are used for comparison, and not returned.
    """
    if not rows:
        return []
    every = [*known, *rows]
    newest = max(row.ts for row in every)
    best = max(row.rank or 0 for row in every) or 1.0
    # a single recorder or session needs no limit
    shared = [name for name in ("recorder", "session_id") if len({getattr(row, name) for row in every}) > 1]
    found = []
    for row in rows:
        similarity, recency = round((row.rank or 0) / best, 6), round(0.5 ** ((newest - row.ts) / HALF_LIFE), 6)
        score = SIMILARITY * similarity + RECENCY * recency + IMPORTANCE * float(row.importance)
        found.append(
            chunk_candidate(
                row,
                tuple(f"{name} {getattr(row, name)}" for name in shared if getattr(row, name) is not None),
                (round(score, 6), similarity, recency),
            )
        )
    found.sort(key=lambda one: (-(one.score or 0), -one.ts.timestamp() if one.ts else 0, one.id))
    return found


def _chunk_id(row: ContextChunk) -> uuid.UUID:
    return row.chunk_id


def _shown(rows: Iterable[L]) -> list[L]:
    return [row for row in rows if row.withheld is None]


def _withheld(rows: Iterable[L], id_of: Callable[[L], uuid.UUID]) -> dict[str, list[uuid.UUID]]:
    found: dict[str, list[uuid.UUID]] = {}
    for row in rows:
        if row.withheld is not None:
            found.setdefault(row.withheld, []).append(id_of(row))
    return found


#: Rows in the JSON form, without columns that only serve building.
_chunk_json = ColumnDict(
    ContextChunk, "withheld", "kind", "actor_type", "actor_id", "is_whole", "rank", "content_hash", "available"
)
_decision_json = ColumnDict(ContextDecision, "withheld", "details", "content_hash", "available")
_task_json = ColumnDict(ContextTask, "withheld", "details", "content_hash", "available")


def chunk_candidate(
    row: ContextChunk,
    origins: tuple[str, ...] = (),
    scores: tuple[float, float, float] | tuple[None, None, None] = (None, None, None),
) -> Candidate:
    """A chunk that is not withheld as a candidate; `scores` are score, similarity and recency."""
    return Candidate(
        kind="chunk",
        id=row.chunk_id,
        text=row.text or "",
        item={**_chunk_json(row), "kind": row.kind, "actor_type": row.actor_type, "actor_id": row.actor_id},
        ts=row.ts,
        speaker=_speaker(row),
        recorder=Who(row.recorder_kind or "", row.recorder),
        recorded_at=row.recorded_at,
        edits_applied=row.edits_applied,
        content_hash=row.content_hash,
        is_quarantined=row.is_quarantined,
        memory=row.event_id if row.is_whole else None,
        event=row.event_id,
        origins=origins,
        score=scores[0],
        similarity=scores[1],
        recency=scores[2],
    )


_core_json = ColumnDict(OwnMemory, "content", "content_hash")


def _core(row: OwnMemory, agent: str, amendment: Amendment | None) -> Candidate:
    """A core memory, named after its block."""
    whose = Who(f"{row.block_label} of agent", agent)
    return Candidate(
        kind="chunk",
        id=row.chunk_id,
        text=row.content,
        item={**_core_json(row), "text": row.content, "recorder": agent},
        ts=row.ts,
        speaker=whose,
        recorder=whose,
        edits_applied=row.edits_applied,
        content_hash=row.content_hash,
        is_quarantined=row.is_quarantined,
        unconfirmed=amendment.amender if amendment else "",
    )


def _speaker(row: ContextChunk | ContextDecision | ContextTask) -> Who | None:
    """Who said it, as the event claims; None for a summary, which has no event."""
    return Who(row.actor_type, row.actor_id) if row.actor_type and row.actor_id else None


def _decision(row: ContextDecision) -> Candidate:
    fields = details_of(row.details)
    details = "".join(f"\n{name.capitalize()}: {'; '.join(texts)}" for name, texts in fields.items() if texts)
    return Candidate(
        kind="decision",
        id=row.decision_id,
        text=f"{row.decision}{details}",
        item={**_decision_json(row), **fields},
        ts=row.ts,
        speaker=_speaker(row),
        recorder=Who(row.recorder_kind or "", row.recorder) if row.recorder else None,
        recorded_at=row.recorded_at,
        edits_applied=row.edits_applied,
        content_hash=row.content_hash,
        is_quarantined=row.is_quarantined,
        memory=row.event_id,
        words="decision",
        further_words=tuple(fields),
    )


def _task(row: ContextTask) -> Candidate:
    fields = json.loads(row.details) if row.details else {}
    details = fields.get("details") or None
    return Candidate(
        kind="task",
        id=row.task_id,
        text=f"{row.title} ({row.status})" + (f"\n{details}" if details else ""),
        item={**_task_json(row), "details": details},
        ts=row.ts,
        speaker=_speaker(row),
        recorder=Who(row.recorder_kind or "", row.recorder) if row.recorder else None,
        recorded_at=row.recorded_at,
        edits_applied=row.edits_applied,
        content_hash=row.content_hash,
        is_quarantined=row.is_quarantined,
        memory=row.event_id,
        words="title",
        further_words=("details",),
    )


def register() -> None:
    """Register the sections; called once, when the app is ready. Priority 60 and 6 % are for the capsules app's
    section."""
    sections.register(
        Core("core", "Core memory", 10, 0),
        Decisions("rules", "Rules", 20, 9),
        Tasks("tasks", "Active tasks", 30, 5),
        Decisions("decisions", "Decisions", 40, 6),
        RecentWindow("recent_window", "Recent window, oldest first", 50, 12),
        Handoff("handoff", "Handoff from earlier sessions", 70, 9),
        Evidence("evidence", "Evidence", 80, 43),
    )
