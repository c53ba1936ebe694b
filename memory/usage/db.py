"""The database functions about the use of memory."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class RecordedOutcome:
    """When an outcome was recorded, now or before; the rest is None where the actor does not get the chunk."""

    recorded_at: datetime | None
    is_repeated: bool
    confidence: Decimal | None


@dataclass(frozen=True, slots=True)
class SetConfidence:
    """When the confidence in a chunk was set, and what it was before; None where the actor does not get the chunk."""

    changed_at: datetime | None
    before: Decimal | None


@dataclass(frozen=True, slots=True)
class ChunkUse:
    """What use a chunk was of: its outcomes, and its accesses by agents, in how many sessions. `trust` is the least
    confidence in it and in what it was derived from."""

    confidence: Decimal
    trust: Decimal
    successes: int
    failures: int
    access_count: int
    last_accessed: datetime | None
    sessions: int


@dataclass(frozen=True, slots=True)
class Decayed:
    """How many changes a batch of decay recorded, and the last chunk that it looked at; None if there was none."""

    last: UUID | None
    changes: int


@function
def record_deliveries(*, tenant: UUID, deliveries: str) -> int:
    """Record deliveries, a JSON list, each once; returns how many were new. For jobs."""


@function
def record_outcome(*, tenant: UUID, chunk: UUID, outcome: str, session_id: str, note: str) -> RecordedOutcome:
    """Record what came of using a chunk in a session, as the actor reports it; once of each kind."""


@function
def set_confidence(*, tenant: UUID, chunk: UUID, confidence: Decimal, reason: str) -> SetConfidence:
    """Set the confidence in a chunk; its entry is owed. For reviewers and admins."""


@function
def get_chunk_use(*, tenant: UUID, chunk: UUID) -> list[ChunkUse]:
    """What use a chunk was of; nothing for a chunk that the actor does not get."""


@function
def decay_confidence(*, tenant: UUID, now: datetime, after: UUID, limit: int) -> Decayed:
    """Let the confidence in chunks without an outcome for 30 days decay, in the order of their ids. For jobs."""
