"""The database functions about tiers."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A chunk that the job evaluated. If it moved, `moved_to` and `evidence`, a JSON object, are set; else `failed`,
    the criterion that it did not meet."""

    chunk_id: UUID
    tier: str
    moved_to: str | None
    failed: str | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class Promoted:
    """A promotion by hand; with a `refusal` nothing moved."""

    promotion_id: UUID | None
    from_tier: str | None
    evidence: str | None
    at: datetime | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the rules say of a chunk: it would move to `wanted_tier`, or it fails the criterion `failed`. `is_listed`:
    the caller asks for it and may see it; only then the rest is set."""

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
    """Move a chunk by hand, as the acting person or agent; the entry is owed."""


@function
def list_promotion_candidates(
    *, tenant: UUID, chunk: UUID | None, tier: str | None, would_move: bool | None, before: UUID | None, limit: int
) -> list[Candidate]:
    """One window of what the rules of promotion say of chunks, in descending order of their ids."""


@function
def tenants_to_promote(*, token: str, now: datetime) -> list[UUID]:
    """The tenants in which chunks are due to be evaluated. Needs no tenant."""


@function
def evaluate_promotions(*, tenant: UUID, now: datetime, limit: int) -> list[Evaluated]:
    """Evaluate up to `limit` chunks that are due, and move those that meet the criteria; the entries are owed. For
    jobs."""


@function
def requeue_promotions(*, tenant: UUID, limit: int) -> int:
    """After a change of the thresholds, make the next `limit` chunks due; returns how many. For jobs."""
