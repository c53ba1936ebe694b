"""The database functions for the usage of memory."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class RecordedOutcome:
    """When an outcome was recorded, now or before; the other fields are None if the actor may not read the chunk."""

    recorded_at: datetime | None
    is_repeated: bool
    confidence: Decimal | None


@dataclass(frozen=True, slots=True)
class SetConfidence:
    """When the confidence in a chunk was set, and its previous value; None if the actor may not read the chunk."""

    changed_at: datetime | None
    before: Decimal | None


@dataclass(frozen=True, slots=True)
class ChunkUse:
    """The usage of a chunk: its outcomes, its accesses by agents, and in how many sessions. `trust` is the lowest
    confidence in it and in its sources."""

    confidence: Decimal
    trust: Decimal
    successes: int
    failures: int
    access_count: int
    last_accessed: datetime | None
    sessions: int


@dataclass(frozen=True, slots=True)
class Decayed:
    """The number of changes that a batch of decay recorded, and the last chunk of the batch; None if it was empty."""

    last: UUID | None
    changes: int


@dataclass(frozen=True, slots=True)
class UnusualRecorder:
    """A recorder that leaves what is usual: in `what`, records or edits, by `number`."""

    recorder_id: UUID
    recorder: str
    what: str
    number: int
    usual: int


@dataclass(frozen=True, slots=True)
class Notice:
    """A verdict on an edit of the actor, or a correction of memory that it has received: in `kind`, which is None for
    the last row. `change` is the edit's status, or what happened to the chunk. `seq` is the number of the entry."""

    seq: int
    kind: str | None
    at: datetime | None
    edit_id: UUID | None
    change: str | None
    chunk_id: UUID | None
    memory_id: UUID | None
    decider: str | None
    reason: str | None


@function
def notices_since(*, tenant: UUID, after: int | None, limit: int) -> list[Notice]:
    """What concerns the actor in at most `limit` entries of the governance chain after `after`, and the last of
    them."""


@function
def unusual_recorders(*, tenant: UUID, first: UUID, usual: int) -> list[UnusualRecorder]:
    """The recorders whose recordings, from the chunk with the id `first` on, or edits leave what is
    usual; `usual` is how many chunks the whole tenant records in that time."""


@function
def record_deliveries(*, tenant: UUID, deliveries: str) -> int:
    """Record deliveries, a JSON list, each once; returns how many were new. For jobs."""


@function
def record_outcome(*, tenant: UUID, chunk: UUID, outcome: str, session_id: str, note: str) -> RecordedOutcome:
    """Record the outcome of using a chunk in a session, as reported by the actor; once of each kind."""


@function
def set_confidence(*, tenant: UUID, chunk: UUID, confidence: Decimal, reason: str) -> SetConfidence:
    """Set the confidence in a chunk; the ledger entry is owed. For reviewers and admins."""


@function
def get_chunk_use(*, tenant: UUID, chunk: UUID) -> list[ChunkUse]:
    """The usage of a chunk; empty if the actor may not read it."""


@function
def decay_confidence(*, tenant: UUID, now: datetime, after: UUID, limit: int) -> Decayed:
    """Decay the confidence in chunks without an outcome for 30 days, in the order of their ids. For jobs."""
