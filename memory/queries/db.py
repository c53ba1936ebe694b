"""The database functions that return effective memory."""

from datetime import datetime
from uuid import UUID

from pgvector import HalfVector

from governance.database.typed_calls import function
from memory.queries.rows import (
    ActiveDecision,
    ArtifactRow,
    ChunkRow,
    ChunkState,
    DecisionRow,
    Derived,
    EventWords,
    FoundChunk,
    MemoryRow,
    NearChunk,
    PastMatch,
    Project,
    Speaker,
    Subject,
    TaskRow,
    UnknownWord,
)


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
    vector: HalfVector | None,
    model: str | None,
    collapse: bool,
    scale: float | None,
    shown: list[str] | None,
    without_recorders: list[str] | None,
    tag: str | None,
    recorder: str | None,
    actor: str | None,
    kind: str | None,
    since: datetime | None,
    until: datetime | None,
    subject_ids: list[str] | None,
    metadata: str | None,
    metadata_equals: str | None,
    subject_prefix: str | None,
) -> list[FoundChunk]:
    """The best chunks for a query, best first, without those that were `shown`."""


@function
def get_memories(
    *, tenant: UUID, ids: list[UUID], at: datetime | None, listening: list[str], include_quarantined: bool
) -> list[MemoryRow]:
    """The memories that the ids name, of events or chunks, in any order: now, or as of a time."""


@function
def list_memories(
    *,
    tenant: UUID,
    at: datetime | None,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    subject_prefix: str | None,
    project_id: str | None,
    session_id: str | None,
    key: str | None,
    key_prefix: str | None,
    tag: str | None,
    kind: str | None,
    recorder: str | None,
    since: datetime | None,
    until: datetime | None,
    metadata: str | None,
    metadata_equals: str | None,
    before_ts: datetime | None,
    before_id: UUID | None,
    limit: int,
) -> list[MemoryRow]:
    """The newest memories under the filters, from a row on: now, or as of a time."""


@function
def search_memories_at(
    *,
    tenant: UUID,
    at: datetime,
    query: str,
    listening: list[str],
    channels: list[str],
    include_quarantined: bool,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    subject_ids: list[str] | None,
    subject_prefix: str | None,
    project_id: str | None,
    session_id: str | None,
    tag: str | None,
    kind: str | None,
    actor: str | None,
    recorder: str | None,
    since: datetime | None,
    until: datetime | None,
    metadata: str | None,
    limit: int,
) -> list[PastMatch]:
    """A chunk of each memory that contained a word of the query at a time, best first."""


@function
def list_subjects(
    *,
    tenant: UUID,
    listening: list[str],
    subject_type: str | None,
    prefix: str | None,
    after_type: str | None,
    after_id: str | None,
    limit: int,
) -> list[Subject]:
    """The subjects of which the reader gets memory, in order."""


@function
def list_projects(
    *, tenant: UUID, listening: list[str], prefix: str | None, after: str | None, limit: int
) -> list[Project]:
    """The projects of which the reader gets memory, in order."""


@function
def versions_of_memory(*, tenant: UUID, id: UUID) -> list[UUID]:
    """The chunks of all versions of a memory, newest first."""


@function
def usersets_of_memory(*, tenant: UUID, chunk: UUID) -> str:
    """The usersets of each audience of a chunk that the actor hears, as JSON."""


@function
def get_speakers(*, tenant: UUID, ids: list[UUID], listening: list[str], include_quarantined: bool) -> list[Speaker]:
    """The speakers of the given chunks that the reader may see, in any order."""


@function
def unknown_words(*, tenant: UUID, query: str) -> list[UnknownWord]:
    """The words of a query that no memory contains, with similar words that it contains."""


@function
def names_words(*, tenant: UUID, query: str) -> bool:
    """Whether a query has a word or a condition to search for, besides stop words."""


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
    """The chunks within a time of one, nearest first, starting after one of them; empty if the reader may not see the
    central one."""


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
    """Chunks, newest first, before a time and id."""


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
    """The decisions in force, by precedence, then newest first."""


@function
def get_events(*, tenant: UUID, ids: list[UUID], listening: list[str], include_quarantined: bool) -> list[EventWords]:
    """The words of events, or the reason why they are withheld."""


@function
def derived_from(*, tenant: UUID, events: list[UUID]) -> list[Derived]:
    """The records derived from events; the chunks of each in order."""


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
    """Decisions, newest first, before a time and id."""


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
    """Tasks, newest first, before a time and id."""


@function
def has_other_recorders(*, tenant: UUID, recorders: list[str]) -> bool:
    """Whether the tenant has memory of any recorder but these."""


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
    """Artifacts, newest first, before a time and id."""
