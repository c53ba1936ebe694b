"""The database functions that return effective memory."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from governance.database.calls import function


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

    `words` and `meaning` are what its rank is made of: the score of its words, relative to the best (`scale`), and the
    cosine, None without one; `alpha` is the weight of meaning. `is_named`: the query names who said it. `is_question`:
    it ends as a question; `asking` is what all others get more for an open question. `lent` is JSON: the words that its
    neighbours lend it, if asked for; so is `unknown`: UnknownWords of the query."""

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
    """A word of a query that no memory of the tenant has, and words that it has and that begin alike."""

    word: str
    known: list[str]


@dataclass(frozen=True, slots=True)
class Origin:
    """What the spaces know of a chunk beside its words: who said it, what it refers to, and its number in its session,
    from 0."""

    chunk_id: UUID
    speaker: str | None
    refs: list[str]
    place: int | None


@dataclass(frozen=True, slots=True)
class NearChunk:
    """A chunk near another one in time; `center_ts` is the time of that one."""

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
    """The words of an event as a reader sees them, or why they are withheld; `fields` is JSON."""

    event_id: UUID
    withheld: str | None
    text: str | None
    fields: str | None
    is_amended: bool
    edits_applied: int


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


@function
def search_chunks(
    *,
    tenant: UUID,
    query: str,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    include_archived: bool,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    session_id: str | None,
    limit: int,
    highlight: bool,
    explain: bool,
    mode: str,
    alpha: float | None,
    vector: str | None,
    model: str | None,
    collapse: bool,
    after_rank: float | None,
    after_scale: float | None,
    after_importance: Decimal | None,
    after_ts: datetime | None,
    after_id: UUID | None,
) -> list[FoundChunk]:
    """The best chunks for a query, the best first, from after one of them on."""


@function
def get_origins(
    *, tenant: UUID, ids: list[UUID], listening: list[str], include_quarantined: bool, with_places: bool
) -> list[Origin]:
    """What is known beside their words of the given chunks that the reader may see, in any order."""


@function
def unknown_words(*, tenant: UUID, query: str) -> list[UnknownWord]:
    """The words of a query that no memory has, with those that it has and that begin alike."""


@function
def names_words(*, tenant: UUID, query: str) -> bool:
    """Whether a query has a word or a condition to search for, and not only stop words."""


@function
def get_chunks(*, tenant: UUID, ids: list[UUID], listening: list[str], include_quarantined: bool) -> list[ChunkRow]:
    """The given chunks that the reader may see, in any order."""


@function
def get_timeline(
    *,
    tenant: UUID,
    around: UUID,
    window_seconds: int,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    include_archived: bool,
    limit: int,
    after_ts: datetime | None,
    after_id: UUID | None,
) -> list[NearChunk]:
    """The chunks within a time of one, the nearest first, from after one of them on; empty if the reader may not see
    the one in the middle."""


@function
def list_chunks(
    *,
    tenant: UUID,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    include_archived: bool,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    session_id: str | None,
    tier: str | None,
    tag: str | None,
    since: datetime | None,
    until: datetime | None,
    before_ts: datetime | None,
    before_id: UUID | None,
    limit: int,
) -> list[ChunkRow]:
    """Chunks, the newest first, from before a time and id on."""


@function
def get_decisions(
    *, tenant: UUID, ids: list[UUID], listening: list[str], include_quarantined: bool
) -> list[DecisionRow]:
    """The given decisions that the reader may see, in any order."""


@function
def get_active_decisions(
    *,
    tenant: UUID,
    scope: str | None,
    project_id: str | None,
    subject_type: str | None,
    subject_id: str | None,
    session_id: str | None,
    listening: list[str],
    include_quarantined: bool,
    limit: int,
) -> list[ActiveDecision]:
    """The decisions in force, by precedence, then the newest first."""


@function
def get_events(*, tenant: UUID, ids: list[UUID], listening: list[str], include_quarantined: bool) -> list[EventWords]:
    """The words of events, or the reason why they are withheld."""


@function
def derived_from(*, tenant: UUID, events: list[UUID]) -> list[Derived]:
    """What was derived from events; the chunks of each in order."""


@function
def get_chunk_history(*, tenant: UUID, chunk: UUID) -> list[ChunkState]:
    """Every state of a chunk, including words that were removed; for people who may read those."""


@function
def list_decisions(
    *,
    tenant: UUID,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    status: str | None,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    session_id: str | None,
    since: datetime | None,
    until: datetime | None,
    before_ts: datetime | None,
    before_id: UUID | None,
    limit: int,
) -> list[DecisionRow]:
    """Decisions, the newest first, from before a time and id on."""


@function
def list_tasks(
    *,
    tenant: UUID,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    status: str | None,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    session_id: str | None,
    since: datetime | None,
    until: datetime | None,
    before_ts: datetime | None,
    before_id: UUID | None,
    limit: int,
) -> list[TaskRow]:
    """Tasks, the newest first, from before a time and id on."""


@function
def list_artifacts(
    *,
    tenant: UUID,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    media_type: str | None,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    session_id: str | None,
    since: datetime | None,
    until: datetime | None,
    before_ts: datetime | None,
    before_id: UUID | None,
    limit: int,
) -> list[ArtifactRow]:
    """Artifacts, the newest first, from before a time and id on."""
