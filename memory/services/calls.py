"""The functions of the database that record memory, and find what an edit by filter touches."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.calls import function


@dataclass(frozen=True, slots=True)
class QuarantinedChunk:
    """A chunk that was quarantined on arrival: it says again what an approved retract removed."""

    edit_id: UUID
    chunk_id: UUID
    retracted_by: UUID
    patch_sha256: bytes


@function
def record_events(
    *,
    tenant: UUID,
    contents: str | None,
    events: str | None,
    chunks: str | None,
    decisions: str | None,
    tasks: str | None,
    artifacts: str | None,
) -> list[QuarantinedChunk]:
    """Record events with what they became, each a list in JSON; answers what was quarantined on arrival."""


@function
def record_summary(*, tenant: UUID, contents: str | None, chunks: str | None) -> list[QuarantinedChunk]:
    """Record a chunk without an event; answers what was quarantined on arrival."""


@function
def match_chunks(
    *,
    tenant: UUID,
    recorder: str | None,
    scope: str | None,
    subject_type: str | None,
    subject_id: str | None,
    project_id: str | None,
    session_id: str | None,
    channel: str | None,
    since: datetime | None,
    until: datetime | None,
    phrase: str | None,
    until_id: UUID,
    listening: list[str] | None,
    limit: int,
) -> list[UUID]:
    """The chunks that a filter matches; without `listening`, whoever may hear them."""
