"""The database functions for memory's edit targets and projections."""

from dataclasses import dataclass
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class Drift:
    """A row of a projection that differs from the fold of the record."""

    kind: str
    id: UUID
    problem: str


@dataclass(frozen=True, slots=True)
class ToComplete:
    """A tenant in which chunks wait for complete_context(), and how many."""

    tenant_id: UUID
    waiting: int


@dataclass(frozen=True, slots=True)
class DuplicateCandidate:
    """Two chunks about the same subject that may say the same, with their text and its positions."""

    chunk_id: UUID
    text: str
    content_id: UUID
    span_start: int | None
    span_end: int | None
    other_id: UUID
    other_text: str
    other_content_id: UUID
    other_span_start: int | None
    other_span_end: int | None


@function
def state_of_chunk(*, tenant: UUID, chunk: UUID, lock: bool) -> str:
    """A digest of the state of a chunk; `lock` keeps it unchanged until the end of the transaction."""


@function
def state_of_decision(*, tenant: UUID, decision: UUID, lock: bool) -> str:
    """A digest of the state of a decision; `lock` keeps it unchanged until the end of the transaction."""


@function
def effective_drift(*, tenant: UUID) -> list[Drift]:
    """Every row of the projections that differs from the fold of the record. For the owner role."""


@function
def complete_context(*, tenant: UUID, limit: int) -> int:
    """Lend the words of recorded chunks to their neighbours; returns how many chunks were processed, at most `limit`.
    For jobs."""


@function
def tenants_to_complete(*, token: str) -> list[ToComplete]:
    """The tenants in which chunks wait for complete_context(), with how many. Needs no tenant."""


@function
def repair_effective(*, tenant: UUID) -> int:
    """Rebuild every row that drifted; returns how many. For the owner role."""


@function
def count_terms(*, tenant: UUID) -> int:
    """Count the frequency of words in the tenant's memory, if that is due; returns how many words were counted."""


@function
def duplicate_candidates(*, tenant: UUID, chunks: list[UUID]) -> list[DuplicateCandidate]:
    """The chunks that may say the same as some chunks. For jobs."""


@function
def link_duplicates(*, tenant: UUID, rows: str) -> int:
    """Link chunks that say the same; returns how many links are new. For jobs."""
