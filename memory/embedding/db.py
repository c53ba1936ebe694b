"""The database functions of embeddings."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from governance.database.typed_calls import function
from memory.db import Drift


@dataclass(frozen=True, slots=True)
class ClaimedChunk:
    """A chunk to embed, with the turns that lend it their words; `models` have it already."""

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
    """How far the embeddings of a tenant are. `models`, `vectors` and `complete` belong together, in order of age."""

    waiting: int
    waiting_since: datetime | None
    isolated: int
    unwanted: int
    models: list[str]
    vectors: list[int]
    complete: list[bool]


@function
def begin_embeddings(*, tenant: UUID, model: str, dimensions: int, limit: int) -> bool:
    """Queue the next chunks that a model lacks; whether there may be more. For jobs."""


@function
def claim_embeddings(*, tenant: UUID, limit: int, lease: timedelta, again: bool, most: int) -> list[ClaimedChunk]:
    """Take chunks from the queue. For jobs."""


@function
def store_embeddings(*, tenant: UUID, rows: str) -> int:
    """Store vectors of chunks that still say the same; returns how many chunks."""


@function
def release_embeddings(*, tenant: UUID, chunks: list[UUID], error: str, delay: timedelta, most: int | None) -> None:
    """Put chunks that could not be embedded back into the queue. For jobs."""


@function
def finish_embeddings(*, tenant: UUID, model: str) -> bool:
    """Let the models before go, if this one has everything; whether it has. For jobs."""


@function
def retry_embeddings(*, tenant: UUID, chunks: list[UUID] | None) -> int:
    """Give isolated chunks new tries; returns how many."""


@function
def embedding_progress(*, tenant: UUID) -> Progress:
    """How far the embeddings of a tenant are."""


@function
def embedding_drift(*, tenant: UUID) -> list[Drift]:
    """The embeddings that describe something else than their chunk says. For the owner role."""


@function
def repair_embeddings(*, tenant: UUID) -> int:
    """Delete the embeddings that embedding_drift() reports and queue their chunks again; returns how many. For the
    owner role."""


@dataclass(frozen=True, slots=True)
class WaitingTenant:
    """A tenant in which the job has something to do now, and how much waits there in all."""

    tenant_id: UUID
    waiting: int
    isolated: int


@function
def tenants_to_embed(*, token: str, model: str | None) -> list[WaitingTenant]:
    """The tenants in which chunks wait or are isolated, or to which `model` is new. For the operator's token."""
