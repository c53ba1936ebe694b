"""The database functions for tiers."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class Evaluated:
    """An evaluated chunk. If it moved, `moved_to` and `evidence`, a JSON object, are set; otherwise `failed`, the
    criterion that was not met."""

    chunk_id: UUID
    tier: str
    moved_to: str | None
    failed: str | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class Promoted:
    """A promotion by hand; with a `refusal`, nothing moved."""

    promotion_id: UUID | None
    from_tier: str | None
    evidence: str | None
    at: datetime | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """The evaluation of a chunk: it would move to `wanted_tier`, or does not meet the criterion `failed`. `is_listed`:
    it passes the caller's filters and the caller may see it; only then the other fields are set."""

    chunk_id: UUID
    is_listed: bool
    tier: str | None
    wanted_tier: str | None
    failed: str | None
    due_at: datetime | None
    at: datetime | None
    evidence: str | None


@function
def promote_chunk(*, tenant: UUID, chunk: UUID, tier: str, reason: str) -> Promoted:
    """Move a chunk by hand, as the acting person or agent; the ledger entry is owed."""


@function
def list_promotion_candidates(
    *, tenant: UUID, chunk: UUID | None, tier: str | None, would_move: bool | None, before: UUID | None, limit: int
) -> list[Candidate]:
    """One window of evaluated chunks, in descending order of their ids."""


@function
def tenants_to_promote(*, token: str, now: datetime) -> list[UUID]:
    """The tenants with chunks to evaluate. Needs no tenant."""


@function
def evaluate_promotions(*, tenant: UUID, now: datetime, limit: int) -> list[Evaluated]:
    """Evaluate up to `limit` due chunks, and move those that meet the criteria; the ledger entries are owed. For
    jobs."""


@function
def requeue_promotions(*, tenant: UUID, limit: int) -> int:
    """After a change of the thresholds, make the next `limit` chunks due; returns how many. For jobs."""
