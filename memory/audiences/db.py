"""The database functions that say who reads what."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class ReaderRow:
    """A principal that has a userset of an audience. Without a `place` the chunk has no audience; without a
    `principal`, nobody has the userset."""

    place: int | None
    userset: str | None
    principal: str | None
    relation: str | None
    valid_until: datetime | None


@dataclass(frozen=True, slots=True)
class ReadableRow:
    """A chunk about a subject: why the principal does not read it, or by which usersets it does."""

    chunk_id: UUID
    ts: datetime
    text: str | None
    channel: str
    sensitivity: str
    source: str
    recorder: str
    why: str | None
    because: list[str]


@function
def readers_of_chunk(*, tenant: UUID, chunk: UUID, limit: int) -> list[ReaderRow]:
    """Who can read a chunk now, and why."""


@function
def readable_about(
    *,
    tenant: UUID,
    principal: str,
    subject_type: str,
    subject_id: str,
    before_ts: datetime | None,
    before_id: UUID | None,
    limit: int,
) -> list[ReadableRow]:
    """What a principal reads about a subject, and what it does not."""
