"""The database functions for captured memory."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from governance.database.typed_calls import function
from memory.services.db import QuarantinedChunk


@dataclass(frozen=True, slots=True)
class CapturedChunk:
    """A captured chunk as readers get it."""

    chunk_id: UUID
    event_id: UUID | None
    text: str
    source: str
    hook_type: str | None
    tool_name: str | None
    response_type: str | None
    response_id: UUID | None
    file_path: str | None
    chunk_index: int
    total_chunks: int
    word_offset: int
    file_hash: str | None
    file_deleted_at: datetime | None
    session_id: str
    ts: datetime
    importance: Decimal
    channel: str
    sensitivity: str
    retention: str
    tier: str
    tags: list[str]
    edits_applied: int
    is_superseded: bool
    recorder: str
    access_count: int
    last_accessed: datetime | None
    confidence: Decimal


@dataclass(frozen=True, slots=True)
class MatchedPart:
    """A chunk of a part of a file: the chunk whose identity it shares, and whether it was sent before."""

    chunk_index: int
    kept: UUID | None
    is_placed: bool


@dataclass(frozen=True, slots=True)
class FinishedVersion:
    """A version that became current: its number, and the numbers of added, kept and removed chunks."""

    number: int
    added: int
    kept: int
    superseded: int


@function
def record_captures(*, tenant: UUID, captures: str) -> None:
    """Record the sources of chunks that the actor has just recorded; a JSON list."""


@function
def get_captures(
    *, tenant: UUID, ids: list[UUID], listening: list[str], include_superseded: bool
) -> list[CapturedChunk]:
    """The captured chunks that a reader gets, in the order of `ids`."""


@function
def remove_captures(*, tenant: UUID, chunks: list[UUID]) -> int:
    """Delete captured chunks of the actor; returns how many were not deleted before."""


@function
def match_file_part(*, tenant: UUID, session: str, path: str, version: UUID, chunks: str) -> list[MatchedPart]:
    """Match a part of a file with known chunks, and lock the file; `chunks` is a JSON list."""


@function
def record_file_part(*, tenant: UUID, part: str, chunks: str) -> list[QuarantinedChunk]:
    """Record a part of a version of a file; returns the chunks that were quarantined."""


@function
def hide_staged(*, tenant: UUID, chunks: list[UUID]) -> None:
    """Hide recorded chunks of a file until their version is current."""


@function
def finish_file_version(*, tenant: UUID, version: str) -> FinishedVersion:
    """Make a version of a file current, a JSON object."""


@function
def change_file(*, tenant: UUID, change: str, session: str, path: str, new_path: str | None) -> int | None:
    """Record that a file was deleted, removed from memory or renamed; returns the number of its chunks, None if it was
    never captured."""
