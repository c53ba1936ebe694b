"""The database functions about running sessions and checkpoints."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """The turn that a session has reached at a depth, with its row locked. The turn's columns are None before the first
    turn."""

    running_id: UUID
    turn: int | None
    is_reported: bool | None
    state_sha256: bytes | None
    checkpoint_id: UUID | None
    checkpointed_turn: int | None
    checkpoint_every: int | None
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class RecordedCheckpoints:
    """When checkpoints were recorded, or the name of the refusal."""

    created_at: datetime
    refusal: str | None


@dataclass(frozen=True, slots=True)
class Described:
    """A checkpoint without its state. Sizes are in bytes: of the JSON, and of the file."""

    id: UUID
    session_id: str
    turn: int
    depth: int
    format_version: str
    kind: str
    label: str | None
    size: int
    stored_size: int
    sha256: bytes
    path: str
    is_pinned: bool
    agent: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RemovedFile:
    """The file of a removed checkpoint."""

    id: UUID
    path: str


@function
def begin_turn(*, tenant: UUID, owner: UUID, session: str, depth: int) -> BegunTurn:
    """Lock a session of the owner; creates the actor's own if there is none."""


@function
def report_turn(
    *, tenant: UUID, running: UUID, depth: int, turn: int, state_sha256: bytes | None, checkpoint: UUID | None
) -> None:
    """Record that a session is at a turn."""


@function
def record_checkpoints(*, tenant: UUID, running: UUID, checkpoints: str, quota: int) -> RecordedCheckpoints:
    """Record checkpoints whose files are stored, a JSON list."""


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A running session, also a deleted one."""

    id: UUID
    session_id: str
    owner_id: UUID
    owner: str
    status: str
    resumed_from: UUID | None
    resumed_at: datetime | None
    keep: int | None
    checkpoint_every: int | None
    created_at: datetime


@function
def find_session(*, tenant: UUID, session: str, owner: str | None) -> list[FoundSession]:
    """The actor's own session with this id, or of another agent that offers it; for admins, of any agent."""


@function
def list_checkpoints(
    *,
    tenant: UUID,
    running: UUID,
    depth: int | None,
    kind: str | None,
    label_prefix: str | None,
    by_label: bool,
    before_label: str | None,
    before: UUID | None,
    limit: int,
) -> list[Described]:
    """The checkpoints of a session that follow another one, in one of two orders."""


@function
def resume_session(*, tenant: UUID, checkpoint: UUID) -> bool:
    """Continue a session from a checkpoint; False for an agent that may only read it."""


@function
def delete_checkpoints(*, tenant: UUID, running: UUID, checkpoints: list[UUID] | None) -> list[UUID]:
    """Delete some or all checkpoints of a session; returns the ids of those that existed."""


@function
def pin_checkpoint(*, tenant: UUID, checkpoint: UUID, is_pinned: bool) -> bool:
    """Exempt a checkpoint from pruning, or undo this; returns whether that changed anything."""


@function
def change_session(*, tenant: UUID, running: UUID, keep: int | None, checkpoint_every: int | None) -> None:
    """Set how many checkpoints a session keeps, and how often one is made."""


@function
def share_session(*, tenant: UUID, running: UUID, agents: list[UUID], may_continue: bool) -> bool:
    """Share a session with exactly these agents; returns whether that changed anything."""


@function
def take_session(*, tenant: UUID, running: UUID) -> bool:
    """Record that the actor uses a session that is offered to it; returns whether this is the first time."""


@function
def delete_session(*, tenant: UUID, running: UUID) -> list[UUID]:
    """Permanently delete a session; returns the ids of its checkpoints."""


@function
def finish_operation(*, tenant: UUID, checkpoint: UUID, operation: str, note: str) -> datetime:
    """Record that a pending operation is done; returns when it was first recorded."""


@function
def prune_checkpoints(*, tenant: UUID, keep: int, limit: int) -> int:
    """Remove the checkpoints that sessions do not keep; returns how many."""


@function
def claim_removed_checkpoints(*, tenant: UUID, limit: int) -> list[RemovedFile]:
    """Lock removed checkpoints whose files still exist."""


@function
def note_deleted_files(*, tenant: UUID, ids: list[UUID]) -> None:
    """Note that the files of removed checkpoints are deleted."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A memory of a checkpoint that has changed since then: its number of edits then and now, and what changed."""

    chunk_id: UUID
    version_then: int
    version_now: int
    change: str


@function
def checkpoint_corrections(*, tenant: UUID, checkpoint: UUID) -> list[Correction]:
    """The memories of a checkpoint that have changed since then."""


@dataclass(frozen=True, slots=True)
class CheckpointAbout:
    """A checkpoint that may repeat some records, and whether an erasure of them removes it."""

    id: UUID
    is_certain: bool


@function
def checkpoints_about(*, tenant: UUID, records: list[UUID]) -> list[CheckpointAbout]:
    """The checkpoints that may repeat the text of some records."""
