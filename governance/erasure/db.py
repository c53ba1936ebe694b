"""The functions of the database about erasures."""

from dataclasses import dataclass
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class ErasableContent:
    """A record that an erasure names, with one of its content rows; without `sha256` its words are gone already."""

    kind: str
    record_id: UUID
    content_id: UUID
    sha256: bytes | None
    retention: str | None
    target_type: str | None
    target_id: UUID | None


@dataclass(frozen=True, slots=True)
class EndedEdit:
    """A pending edit that an erasure ended, and the verdict that says so."""

    edit_id: UUID
    verdict_id: UUID


@function
def erasure_scope(
    *, tenant: UUID, by: str, target: UUID | None, subject_type: str | None, subject_id: str | None
) -> list[ErasableContent]:
    """What an erasure would destroy now, in order of the records."""


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
    """End a pending erasure; an approval executes it, and answers the edits that it ended."""
