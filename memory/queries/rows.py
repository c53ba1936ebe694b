"""The rows of effective memory, as returned by the database functions."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as a reader sees it."""

    chunk_id: UUID
    text: str
    importance: Decimal
    ts: datetime
    edits_applied: int
    is_retracted: bool
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
    tags: list[str]


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that a search found; `total_count` and `ranking` are of the whole search, `following` counts the ranked
    matches from the first row of the page on.

    `words` and `meaning` are the parts of its rank: the score of its words, relative to the best (`scale`), and the
    cosine, None without one; `alpha` is the weight of meaning. `is_named`: the query names the speaker. `is_question`:
    it ends as a question; `asking` is the advantage of all others for an open question. `lent` is JSON: the words
    borrowed from its neighbours, if requested; so is `unknown`: UnknownWords of the query."""

    chunk_id: UUID
    text: str
    snippet: str | None
    importance: Decimal
    ts: datetime
    rank: float
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
    total_count: int
    ranking: str
    following: int
    tags: list[str]
    scale: float
    words: float
    meaning: float | None
    is_named: bool
    is_question: bool
    alpha: float
    asking: float
    duplicates: list[UUID]
    lent: str | None
    unknown: str | None


@dataclass(frozen=True, slots=True)
class UnknownWord:
    """A word of a query that no memory of the tenant contains, and words with the same beginning that it contains."""

    word: str
    known: list[str]


@dataclass(frozen=True, slots=True)
class Speaker:
    """The speaker of a chunk."""

    chunk_id: UUID
    speaker: str


@dataclass(frozen=True, slots=True)
class NearChunk:
    """A chunk near another one in time; `center_ts` is the time of the other."""

    chunk_id: UUID
    text: str
    importance: Decimal
    ts: datetime
    distance_seconds: int
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
    center_ts: datetime
    tags: list[str]


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision as a reader sees it; `details` is JSON."""

    decision_id: UUID
    decision: str
    details: str | None
    importance: Decimal
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


@dataclass(frozen=True, slots=True)
class ActiveDecision:
    """A decision in force; `details` is JSON."""

    decision_id: UUID
    decision: str
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


@dataclass(frozen=True, slots=True)
class Derived:
    """A record that was derived from an event: the id of a chunk, with the number of its edits, or of a decision, a
    task or an artifact."""

    event_id: UUID
    kind: str
    record_id: UUID
    edits_applied: int | None


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as a reader sees it; `details` is the JSON of its event's fields."""

    task_id: UUID
    title: str
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


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """An artifact as a reader sees it, without its text or bytes. An amend withholds its name."""

    artifact_id: UUID
    name: str | None
    media_type: str
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


@dataclass(frozen=True, slots=True)
class EventWords:
    """The text of an event as a reader sees it, or why it is withheld; `fields` is JSON."""

    event_id: UUID
    withheld: str | None
    text: str | None
    fields: str | None
    is_amended: bool
    edits_applied: int
    tags: list[str]
    refs: list[str]


@dataclass(frozen=True, slots=True)
class ChunkState:
    """A chunk after an edit; without an `edit_id`, as it was recorded."""

    edit_id: UUID | None
    at: datetime
    text: str | None
    importance: Decimal
    is_retracted: bool
    is_quarantined: bool
    blocked_channels: list[str]
    edits_applied: int
    usersets: str  # JSON: those of each of its audiences


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject, with the time of its newest memory that the reader gets."""

    subject_type: str
    subject_id: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Project:
    """A project, with the time of its newest memory that the reader gets."""

    project_id: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as a reader sees it: an event with all its chunks, or a chunk without an event. `chunk_id` is the first
    chunk, `edits` the number of edits of each chunk; `fields` and `metadata` are JSON."""

    chunk_id: UUID
    event_id: UUID | None
    chunk_ids: list[UUID]
    edits: list[int]
    text: str
    fields: str | None
    metadata: str | None
    key: str | None
    kind: str | None
    source: str
    scope: str
    subject_type: str | None
    subject_id: str | None
    project_id: str | None
    session_id: str | None
    channel: str
    tags: list[str]
    importance: Decimal
    recorder: str
    ts: datetime
    created_at: datetime
    edited_at: datetime | None
    expires_at: datetime | None
    is_quarantined: bool

    @property
    def id(self) -> UUID:
        """The id of the memory: the event's, or the chunk's without an event."""
        return self.event_id or self.chunk_id


@dataclass(frozen=True, slots=True)
class PastMatch:
    """A chunk that a search of an earlier time found, and its score relative to the best, up to 1."""

    chunk_id: UUID
    score: float
