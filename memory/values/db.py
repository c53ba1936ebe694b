"""The database functions of values and their guards."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class SaidPlace:
    """A record that says a value, or (`is_near`) has all of its words apart, with the text around it."""

    kind: str
    record_id: UUID
    line: str | None
    recorder: str | None
    recorded_by: UUID | None
    ts: datetime
    is_near: bool
    edits_applied: int
    received_by: list[str]


@dataclass(frozen=True, slots=True)
class GuardRow:
    """A value that is forgotten or replaced now; `value` is None if its words were erased."""

    value_id: UUID
    edit_id: UUID
    op: str
    value: str | None
    instead: str | None
    reach: str
    proposer: str
    reason: str
    applied_at: datetime
    ends_at: datetime | None
    waiting: int


@function
def lock_guards(*, tenant: UUID, changes: bool) -> bool:
    """Keep the guards as they are until the end of the transaction; returns whether there are any."""


@function
def cut_texts(*, tenant: UUID, texts: str, places: str) -> str:
    """JSON values without the values that are forgotten, and where each will stand, as JSON lists."""


@function
def record_value(*, tenant: UUID, id: UUID, value: str, reach: str, reason: str) -> str:
    """Record a value as a target of edits; `reach` is a JSON object. Returns the reason without the value."""


@function
def count_chunks(*, tenant: UUID) -> int:
    """About how many chunks the tenant has."""


@function
def preview_value(
    *, tenant: UUID, value: str, reach: str, listening: list[str] | None, limit: int | None, shown: int
) -> list[SaidPlace]:
    """Where a value stands within a reach, for those channels; everywhere if it is None."""


@function
def fold_pending_rewordings(*, tenant: UUID, value: UUID, limit: int) -> int:
    """Fold chunks that are hidden since a value was forgotten, replaced or reverted; returns how many."""


@function
def get_guards(*, tenant: UUID) -> list[GuardRow]:
    """The values that are forgotten or replaced now, newest first."""


@function
def is_guarded(*, tenant: UUID) -> bool:
    """Whether any value is forgotten or replaced in the tenant."""


@function
def reword_to_read(*, tenant: UUID, json: str) -> str | None:
    """JSON as guards let it be read; None if they change nothing."""


@function
def state_of_value(*, tenant: UUID, value: UUID, lock: bool) -> str:
    """A hash of the state of a value."""


@dataclass(frozen=True, slots=True)
class LeftText:
    """A content row, with its hash, that is left of one that an erasure by value deleted."""

    erased_id: UUID
    content_id: UUID
    sha256: bytes


@function
def texts_left_by(*, tenant: UUID, erasure: UUID) -> list[LeftText]:
    """What an erasure by value left of the texts that it deleted."""


@function
def values_to_fold(*, tenant: UUID) -> list[UUID]:
    """The values that have hidden chunks."""
