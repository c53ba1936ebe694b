"""The database functions that record memory, and that find the chunks of an edit by filter."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class QuarantinedChunk:
    """A chunk that was quarantined on recording, because it repeats text that an approved retract removed; without an
    edit, one that is held, because it quotes memory that is hidden or for fewer readers."""

    edit_id: UUID | None
    chunk_id: UUID
    retracted_by: UUID | None
    patch_sha256: bytes | None


@dataclass(frozen=True, slots=True)
class MatchedChunk:
    """A chunk that matches a filter, and its event."""

    chunk_id: UUID
    event_id: UUID | None


@dataclass(frozen=True, slots=True)
class NamedEvent:
    """An event that was recorded before with an id chosen by its recorder. `is_same`: it is the same event."""

    event_id: UUID
    is_same: bool
    ts: datetime
    chunk_ids: list[UUID]
    decision_id: UUID | None
    task_id: UUID | None
    artifact_id: UUID | None


@function
def claim_named_events(*, tenant: UUID, events: str) -> list[NamedEvent]:
    """The actor's named events, from a JSON list, that are already recorded; no other transaction records any of them
    before this one ends."""


@function
def record_events(
    *,
    tenant: UUID,
    contents: str | None,
    events: str | None,
    chunks: str | None,
    decisions: str | None,
    tasks: str | None,
    artifacts: str | None,
) -> list[QuarantinedChunk]:
    """Record events and records derived from them, each a JSON list; returns the quarantined chunks."""


@dataclass(frozen=True, slots=True)
class Updated:
    """A chunk that a later one has superseded."""

    later_id: UUID
    earlier_id: UUID


@function
def record_updates(*, tenant: UUID, updates: str) -> list[Updated]:
    """Record which memories new chunks of the actor update, a JSON list; returns the superseded chunks."""


@function
def may_replace(*, tenant: UUID, chunk: UUID) -> bool:
    """Whether the actor may replace a chunk by a record that updates it."""


@function
def record_summary(*, tenant: UUID, contents: str | None, chunks: str | None) -> list[QuarantinedChunk]:
    """Record a chunk without an event; returns the quarantined chunks."""


@function
def match_chunks(
    *,
    tenant: UUID,
    recorder: str | None,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    session_id: str | None,
    channel: str | None,
    since: datetime | None,
    until: datetime | None,
    phrase: str | None,
    after_id: UUID | None,
    until_id: UUID,
    listening: list[str] | None,
    limit: int,
) -> list[MatchedChunk]:
    """The chunks that match a filter: those that the channels `listening` may see, or all if it is None."""
