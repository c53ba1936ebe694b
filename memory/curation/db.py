"""The database functions for agents' own memories."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from governance.database.typed_calls import function
from memory.services.db import QuarantinedChunk


@dataclass(frozen=True, slots=True)
class RecordedMemory:
    """A recorded memory: its number on its agent's chain, and the database's decisions about it."""

    seq: int
    content_hash: bytes
    ts: datetime
    sensitivity: str
    tier: str
    expires_at: datetime | None
    version: int | None
    previous_block_seq: int | None
    quarantine_id: UUID | None
    retracted_by: UUID | None
    patch_sha256: bytes | None
    is_held: bool

    def as_quarantined(self, chunk_id: UUID) -> QuarantinedChunk:
        """Its quarantine, which must exist."""
        if self.quarantine_id is None or self.retracted_by is None or self.patch_sha256 is None:
            raise ValueError("the memory was not quarantined")
        return QuarantinedChunk(self.quarantine_id, chunk_id, self.retracted_by, self.patch_sha256)


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """A memory of an agent's chain as readers see it. `superseded_by`, `supersedes` and `previous_block_seq` are
    numbers of the chain."""

    seq: int
    chunk_id: UUID
    type: str
    content: str
    content_hash: str
    importance: Decimal
    retention: str
    tier: str
    ts: datetime
    channel: str
    sensitivity: str
    scope: str
    subject_type: str | None
    subject_id: str | None
    project_id: str | None
    session_id: str | None
    tags: list[str]
    is_superseded: bool
    superseded_by: int | None
    supersedes: list[int]
    reason: str | None
    block_label: str | None
    version: int | None
    previous_block_seq: int | None
    is_core: bool
    expires_at: datetime | None
    edits_applied: int
    is_quarantined: bool
    access_count: int
    last_accessed: datetime | None


@dataclass(frozen=True, slots=True)
class Amendment:
    """An amend in effect of the text of an agent's own memory. One by another agent `is_confirmed` once the agent or a
    person has approved it, or edited the memory after it."""

    chunk_id: UUID
    edit_id: UUID
    amender_kind: str
    amender: str
    amended_at: datetime
    is_confirmed: bool


@dataclass(frozen=True, slots=True)
class RecalledChunk:
    """A candidate of recall. `seq`, `superseded_by` and `supersedes` are numbers of its author's chain, if it is an
    agent's own memory."""

    chunk_id: UUID
    text: str
    importance: Decimal
    ts: datetime
    edits_applied: int
    channel: str
    sensitivity: str
    tier: str
    source: str
    recorder: str
    recorded_by: UUID
    session_id: str | None
    event_id: UUID | None
    retention: str
    seq: int | None
    is_superseded: bool
    superseded_by: int | None
    supersedes: list[int]
    block_label: str | None
    version: int | None
    is_core: bool
    expires_at: datetime | None
    access_count: int
    last_accessed: datetime | None
    confidence: Decimal


@dataclass(frozen=True, slots=True)
class SupersededMatch:
    """A superseded memory with a word of a query; `score` is relative to the best."""

    chunk_id: UUID
    score: float


@function
def amendments_of(*, tenant: UUID, chunks: list[UUID]) -> list[Amendment]:
    """The amends in effect of the text of an agent's own memories, oldest first; none to another agent."""


@function
def record_agent_memory(*, tenant: UUID, memory: str) -> RecordedMemory:
    """Record a memory of the acting agent, a JSON object; its ledger entry is owed. Locks the chain."""


@function
def list_agent_memories(
    *,
    tenant: UUID,
    agent: UUID,
    listening: list[str],
    include_quarantined: bool,
    include_superseded: bool,
    type: str | None,
    block_label: str | None,
    before: int | None,
    limit: int,
) -> list[OwnMemory]:
    """Memories of an agent's chain, newest first."""


@function
def get_agent_memories(
    *, tenant: UUID, agent: UUID, seqs: list[int], listening: list[str], include_quarantined: bool
) -> list[OwnMemory]:
    """Memories by their numbers, superseded or not, in order; omits those that the reader does not get."""


@function
def get_core_memories(*, tenant: UUID, agent: UUID, listening: list[str]) -> list[OwnMemory]:
    """The core memories of an agent, in order of their labels."""


@function
def find_superseded(
    *, tenant: UUID, agent: UUID, query: str, listening: list[str], limit: int
) -> list[SupersededMatch]:
    """The agent's superseded memories with a word of a query, best first."""


@function
def get_recalled(
    *, tenant: UUID, ids: list[UUID], listening: list[str], include_superseded: bool
) -> list[RecalledChunk]:
    """Chunks by id with the data that recall needs, in no particular order; omits those that the reader does not
    get."""


@function
def recent_memories(
    *,
    tenant: UUID,
    agent: UUID,
    listening: list[str],
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    limit: int,
) -> list[UUID]:
    """The newest of an agent's own memories and of the tenant's chunks about this subject, up to `limit` of each."""


@function
def tenants_to_expire(*, token: str) -> list[UUID]:
    """The tenants with expired memory. Needs no tenant."""


@function
def expire_memories(*, tenant: UUID, limit: int) -> list[UUID]:
    """Remove data derived from up to `limit` expired memories; returns their ids. For jobs."""
