"""The database functions about erasures."""

from dataclasses import dataclass
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class ErasableContent:
    """A record in the scope of an erasure, with one of its content rows; without `sha256` its text is deleted."""

    kind: str
    record_id: UUID
    content_id: UUID
    sha256: bytes | None
    retention: str | None
    target_type: str | None
    target_id: UUID | None


@dataclass(frozen=True, slots=True)
class EndedEdit:
    """A pending edit that an erasure expired, with the id of the verdict."""

    edit_id: UUID
    verdict_id: UUID


@function
def erasure_scope(
    *, tenant: UUID, by: str, target: UUID | None, subject_type: str | None, subject_id: str | None
) -> list[ErasableContent]:
    """The records that an erasure would delete text from now, in order."""


@function
def propose_erasure(
    *,
    tenant: UUID,
    id: UUID,
    by: str,
    target: UUID | None,
    subject_type: str | None,
    subject_id: str | None,
    reason: str,
) -> None:
    """Record a proposed erasure."""


@function
def decide_erasure(*, tenant: UUID, erasure: UUID, decision: str, reason: str) -> list[EndedEdit]:
    """Decide a pending erasure; an approval executes it. Returns the edits that it expired."""
