"""The database functions that gather a context bundle. A row with `withheld` has no text; `available` is the length of
the whole list, counted up to a limit beyond the page."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from pgvector import HalfVector

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class ContextChunk:
    """A chunk of a list. `is_whole`: its event belongs to a decision or a task, and has no other chunk."""

    chunk_id: UUID
    withheld: str | None
    text: str | None
    importance: Decimal
    ts: datetime
    edits_applied: int
    is_quarantined: bool
    event_id: UUID | None
    session_id: str | None
    scope: str
    subject_type: str | None
    subject_id: str | None
    project_id: str | None
    channel: str
    tier: str
    source: str
    recorder: str
    recorder_kind: str | None
    recorded_at: datetime | None
    kind: str | None
    actor_type: str | None
    actor_id: str | None
    is_whole: bool
    rank: float | None
    content_hash: str | None
    available: int


@dataclass(frozen=True, slots=True)
class ContextDecision:
    """A decision in force; `details` is JSON."""

    decision_id: UUID
    withheld: str | None
    decision: str | None
    details: str | None
    importance: Decimal
    ts: datetime
    precedence: int
    is_quarantined: bool
    edits_applied: int
    event_id: UUID
    scope: str
    subject_type: str | None
    subject_id: str | None
    project_id: str | None
    session_id: str | None
    channel: str
    actor_type: str | None
    actor_id: str | None
    recorder_kind: str | None
    recorder: str | None
    recorded_at: datetime | None
    content_hash: str | None
    available: int


@dataclass(frozen=True, slots=True)
class ContextTask:
    """A task that is not done; `details` is JSON."""

    task_id: UUID
    withheld: str | None
    title: str | None
    details: str | None
    status: str
    ts: datetime
    is_quarantined: bool
    edits_applied: int
    event_id: UUID
    scope: str
    subject_type: str | None
    subject_id: str | None
    project_id: str | None
    session_id: str | None
    channel: str
    actor_type: str | None
    actor_id: str | None
    recorder_kind: str | None
    recorder: str | None
    recorded_at: datetime | None
    content_hash: str | None
    available: int


@dataclass(frozen=True, slots=True)
class WordsNow:
    """An injected memory as a reader may see it now."""

    kind: str
    id: UUID
    text: str | None
    content_hash: str | None


@function
def get_session_window(
    *,
    tenant: UUID,
    session_id: str,
    listening: list[str],
    include_quarantined: bool,
    offset: int,
    limit: int,
    beyond: int,
) -> list[ContextChunk]:
    """The newest chunks of a session."""


@function
def get_handoff(
    *,
    tenant: UUID,
    session_id: str,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    listening: list[str],
    include_quarantined: bool,
    offset: int,
    limit: int,
    beyond: int,
) -> list[ContextChunk]:
    """Summaries of other sessions about the subject or the project, newest first."""


@function
def get_evidence(
    *,
    tenant: UUID,
    session_id: str,
    query: str | None,
    vector: HalfVector | None,
    model: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    listening: list[str],
    include_quarantined: bool,
    collapse: bool,
    best_from: int,
    best: int,
    newest_from: int,
    newest: int,
    reach: int,
) -> list[ContextChunk]:
    """The best matches of a query, and the newest chunks about the subject and the project."""


@function
def get_context_decisions(
    *,
    tenant: UUID,
    session_id: str,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    listening: list[str],
    include_quarantined: bool,
    offset: int,
    limit: int,
    beyond: int,
) -> list[ContextDecision]:
    """Decisions in force, by precedence."""


@function
def get_active_tasks(
    *,
    tenant: UUID,
    session_id: str,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    listening: list[str],
    include_quarantined: bool,
    offset: int,
    limit: int,
    beyond: int,
) -> list[ContextTask]:
    """Tasks that are not done: those of the request first, then the status `doing`."""


@function
def get_context_words(
    *, tenant: UUID, ids: list[UUID], listening: list[str], include_quarantined: bool
) -> list[WordsNow]:
    """The current text of the given memories that the reader may see."""


@function
def most_sensitive_of(*, tenant: UUID, memories: list[UUID]) -> str:
    """The highest sensitivity of these memories."""


@function
def record_context_bundle(
    *,
    tenant: UUID,
    id: UUID,
    built_at: datetime,
    request: str,
    query_hash: bytes | None,
    items: str,
    omissions: str,
    total_tokens: int,
    edits_applied: int,
    sensitivity: str,
) -> None:
    """Record a bundle for the actor, and the memories in it; the texts are JSON."""
