"""The sections that memory itself has. Each is one call of the gate."""

import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from governance import gate
from memory.context import sections
from memory.context.sections import Candidate, ContextRequest, Gathered
from memory.models import Event, Kind, Scope
from memory.reading.decisions import with_details

#: Decisions of these scopes are rules: they hold whatever a session is about.
RULE_SCOPES = frozenset({Scope.POLICY, Scope.GLOBAL})
#: What makes evidence matter. Recency halves in HALF_LIFE, counted from the newest memory there is.
SIMILARITY, RECENCY, IMPORTANCE = 0.6, 0.3, 0.1
HALF_LIFE = timedelta(days=7)
#: Of a long query the longest words are looked for: they say most.
QUERY_WORDS = 12
_WORD = re.compile(r"\w+")
_OPERATORS = frozenset({"or", "and"})


@dataclass(frozen=True, slots=True)
class _Standard:
    name: str
    title: str
    priority: int
    share: int


class Core(_Standard):
    """Core memory: empty until there are memory blocks."""

    def gather(self, request: ContextRequest) -> Gathered:
        return Gathered()


class Decisions(_Standard):
    """Decisions in force: the rules, or those of the subject, the project and the session."""

    def gather(self, request: ContextRequest) -> Gathered:
        rows = [row for row in request.decision_rows if (row["scope"] in RULE_SCOPES) == (self.name == "rules")]
        shown = [with_details(row) for row in _shown(rows)]
        return Gathered([_decision(row) for row in shown], _withheld(rows, "decision_id"))


class Tasks(_Standard):
    """Tasks that are open or being done."""

    def gather(self, request: ContextRequest) -> Gathered:
        rows = gate.call(
            "get_active_tasks", request.principal.tenant_id, *_about(request), request.audience.listening,
            request.audience.sensitivities, request.include_quarantined, request.limit,
        )  # fmt: skip
        return Gathered([_task(row) for row in _shown(rows)], _withheld(rows, "task_id"))


class RecentWindow(_Standard):
    """The session's newest chunks."""

    def gather(self, request: ContextRequest) -> Gathered:
        rows = request.session_rows
        newest_first = [chunk_candidate(row) for row in reversed(_shown(rows))]
        return Gathered(newest_first, _withheld(rows, "chunk_id"), is_window=True)


class Handoff(_Standard):
    """Summaries that earlier sessions left about the subject or the project."""

    def gather(self, request: ContextRequest) -> Gathered:
        if request.subject_id is None and request.project_id is None:
            return Gathered()
        rows = gate.call(
            "get_handoff", request.principal.tenant_id, *_about(request), request.audience.listening,
            request.audience.sensitivities, request.include_quarantined, request.limit,
        )  # fmt: skip
        return Gathered([chunk_candidate(row) for row in _shown(rows)], _withheld(rows, "chunk_id"))


class Evidence(_Standard):
    """What memory has to say to the query, and the newest about the subject and the project."""

    def gather(self, request: ContextRequest) -> Gathered:
        query = request.query if request.query is not None else last_said(request.session_rows)
        best = request.limit * 3 // 4
        rows = gate.call(
            "get_evidence", request.principal.tenant_id, any_word_of(query), request.subject_type, request.subject_id,
            request.project_id, request.audience.listening, request.audience.sensitivities,
            request.include_quarantined, best, request.limit - best,
        )  # fmt: skip
        return Gathered(scored(rows))


def _about(request: ContextRequest) -> tuple[str | None, ...]:
    return (request.session_id, request.subject_type, request.subject_id, request.project_id)


def last_said(rows: Sequence[dict[str, Any]]) -> str | None:
    """The newest message of a person in these rows, or the newest chunk where no person spoke."""
    shown = _shown(rows)
    said = [row for row in shown if row["kind"] == Kind.MESSAGE and row["actor_type"] == Event.ActorType.HUMAN]
    if said:
        return " ".join(row["text"] for row in said if row["event_id"] == said[-1]["event_id"])
    return shown[-1]["text"] if shown else None


def any_word_of(text: str | None) -> str | None:
    """A search for any of the words of a text, or None where it has none."""
    if text is None:
        return None
    words = dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in _OPERATORS)
    return " or ".join(sorted(words, key=len, reverse=True)[:QUERY_WORDS]) or None


def scored(rows: Sequence[dict[str, Any]]) -> list[Candidate]:
    """Evidence by its score, the best first: similarity is the rank in relation to the best one's.

    Recency is counted from the newest row, not from the clock: the same state gives the same order tomorrow. Each takes
    up the share of its recorder and of its session, where there are several.
    """
    if not rows:
        return []
    newest = max(row["ts"] for row in rows)
    best = max(row["rank"] for row in rows) or 1.0
    # who is alone crowds out nobody
    shared = [name for name in ("recorder", "session_id") if len({row[name] for row in rows}) > 1]
    found = []
    for row in rows:
        similarity, recency = round(row["rank"] / best, 6), round(0.5 ** ((newest - row["ts"]) / HALF_LIFE), 6)
        score = SIMILARITY * similarity + RECENCY * recency + IMPORTANCE * float(row["importance"])
        found.append(
            chunk_candidate(
                row,
                tuple(f"{name} {row[name]}" for name in shared if row[name] is not None),
                (round(score, 6), similarity, recency),
            )
        )
    found.sort(key=lambda one: (-(one.score or 0), -one.ts.timestamp() if one.ts else 0, one.id))
    return found


def _shown(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["withheld"] is None]


def _withheld(rows: Iterable[Mapping[str, Any]], id_column: str) -> dict[str, list[uuid.UUID]]:
    found: dict[str, list[uuid.UUID]] = {}
    for row in rows:
        if row["withheld"] is not None:
            found.setdefault(row["withheld"], []).append(row[id_column])
    return found


#: Columns of the gate's rows that are not the memory's own.
_NOT_SHOWN = frozenset({"withheld", "kind", "actor_type", "actor_id", "is_whole", "rank", "content_hash", "details"})


def _item(row: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    item = {name: value for name, value in row.items() if name not in _NOT_SHOWN}
    if "importance" in item:
        item["importance"] = float(item["importance"])
    return {**item, **more}


def chunk_candidate(
    row: Mapping[str, Any],
    origins: tuple[str, ...] = (),
    scores: tuple[float, float, float] | tuple[None, None, None] = (None, None, None),
) -> Candidate:
    """A chunk of the gate's functions as a candidate; `scores` are score, similarity and recency."""
    return Candidate(
        kind="chunk",
        id=row["chunk_id"],
        text=row["text"],
        item=_item(row, kind=row["kind"], actor_type=row["actor_type"], actor_id=row["actor_id"]),
        ts=row["ts"],
        label=row["actor_id"] or row["recorder"],
        edits_applied=row["edits_applied"],
        content_hash=row["content_hash"],
        is_quarantined=row["is_quarantined"],
        memory=row["event_id"] if row["is_whole"] else None,
        origins=origins,
        score=scores[0],
        similarity=scores[1],
        recency=scores[2],
    )


def _decision(row: Mapping[str, Any]) -> Candidate:
    details = "".join(
        f"\n{name.capitalize()}: {'; '.join(row[name])}"
        for name in ("rationale", "constraints", "alternatives")
        if row[name]
    )
    return Candidate(
        kind="decision",
        id=row["decision_id"],
        text=f"{row['decision']}{details}",
        item=_item(row),
        ts=row["ts"],
        edits_applied=row["edits_applied"],
        content_hash=row["content_hash"],
        is_quarantined=row["is_quarantined"],
        memory=row["event_id"],
    )


def _task(row: Mapping[str, Any]) -> Candidate:
    fields = json.loads(row["details"]) if row["details"] else {}
    details = fields.get("details") or None
    return Candidate(
        kind="task",
        id=row["task_id"],
        text=f"{row['title']} ({row['status']})" + (f"\n{details}" if details else ""),
        item=_item(row, details=details),
        ts=row["ts"],
        edits_applied=row["edits_applied"],
        content_hash=row["content_hash"],
        is_quarantined=row["is_quarantined"],
        memory=row["event_id"],
    )


def register() -> None:
    """Called once, when the app is ready. Priority 60 and 6 % are left to the capsules, a section of their own app."""
    sections.register(
        Core("core", "Core memory", 10, 0),
        Decisions("rules", "Rules", 20, 9),
        Tasks("tasks", "Active tasks", 30, 5),
        Decisions("decisions", "Decisions", 40, 6),
        RecentWindow("recent_window", "Recent window, oldest first", 50, 12),
        Handoff("handoff", "Handoff from earlier sessions", 70, 9),
        Evidence("evidence", "Evidence", 80, 43),
    )
