"""The database functions of embeddings."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from governance.database.typed_calls import function
from memory.db import Drift


@dataclass(frozen=True, slots=True)
class ClaimedChunk:
    """A chunk to embed, with the turns that lend it their words; `models` have already embedded it."""

    chunk_id: UUID
    content_id: UUID
    span_start: int | None
    span_end: int | None
    speaker: str
    text: str
    speaker_before: str | None
    text_before: str | None
    speaker_after: str | None
    text_after: str | None
    context: UUID | None
    models: list[str]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a tenant's embeddings. `models`, `vectors` and `complete` belong together, in order of age."""

    waiting: int
    waiting_since: datetime | None
    isolated: int
    unwanted: int
    models: list[str]
    vectors: list[int]
    complete: list[bool]


@function
def begin_embeddings(*, tenant: UUID, model: str, dimensions: int, limit: int) -> bool:
    """Queue the next chunks that a model lacks; returns whether there may be more. For jobs."""


@function
def claim_embeddings(*, tenant: UUID, limit: int, lease: timedelta, again: bool, most: int) -> list[ClaimedChunk]:
    """Claim chunks from the queue. For jobs."""


@function
def store_embeddings(*, tenant: UUID, rows: str) -> int:
    """Store vectors of chunks whose text is unchanged; returns how many chunks."""


@dataclass(frozen=True, slots=True)
class PackedSet:
    """The packed values of a chunk in all spaces, and the model of E1."""

    model: str
    packed: bytes


@function
def store_embedding_sets(*, tenant: UUID, rows: str) -> None:
    """Store the values in all spaces of chunks that the actor has just recorded; a JSON list."""


@function
def get_embedding_set(*, tenant: UUID, chunk: UUID, listening: list[str]) -> list[PackedSet]:
    """The stored values of a chunk that the reader gets; an empty list if there are none."""


@function
def release_embeddings(*, tenant: UUID, chunks: list[UUID], error: str, delay: timedelta, most: int | None) -> None:
    """Return chunks that could not be embedded to the queue. For jobs."""


@function
def finish_embeddings(*, tenant: UUID, model: str) -> bool:
    """Delete the previous models if this one is complete; returns whether it is. For jobs."""


@function
def retry_embeddings(*, tenant: UUID, chunks: list[UUID] | None) -> int:
    """Retry isolated chunks; returns how many."""


@function
def embedding_progress(*, tenant: UUID) -> Progress:
    """The progress of a tenant's embeddings."""


@function
def embedding_drift(*, tenant: UUID) -> list[Drift]:
    """The embeddings that do not match their chunk's text. For the owner role."""


@function
def repair_embeddings(*, tenant: UUID) -> int:
    """Delete the embeddings that embedding_drift() reports and queue their chunks again; returns how many. For the
    owner role."""


@dataclass(frozen=True, slots=True)
class WaitingTenant:
    """A tenant with work for the job, and its total backlog."""

    tenant_id: UUID
    waiting: int
    isolated: int


@function
def tenants_to_embed(*, token: str, model: str | None) -> list[WaitingTenant]:
    """The tenants in which chunks wait or are isolated, or to which `model` is new. For the operator's token."""
