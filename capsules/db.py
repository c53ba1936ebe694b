"""The database functions for capsules."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from governance.database.typed_calls import function
from memory.db import Drift


@dataclass(frozen=True, slots=True)
class CapsuleRow:
    """A capsule for a reader; `risks` is JSON. `withheld` is the reason for withheld text. With a `refusal`, all other
    fields are None."""

    refusal: str | None
    capsule_id: UUID
    status: str
    created_at: datetime
    expires_at: datetime
    scope: str
    subject_type: str
    subject_id: str
    project_id: str | None
    author: str
    forwards_id: UUID | None
    may_forward: bool
    item_count: int
    audience_count: int
    importance: Decimal
    is_quarantined: bool
    edits_applied: int
    revoked_at: datetime | None
    warned_at: datetime | None
    withheld: str | None
    note: str | None
    risks: str | None
    content_hash: str | None


@dataclass(frozen=True, slots=True)
class ContextCapsule:
    """A capsule for a context bundle, as in CapsuleRow; `available` is the length of the whole list."""

    capsule_id: UUID
    status: str
    created_at: datetime
    expires_at: datetime
    scope: str
    subject_type: str
    subject_id: str
    project_id: str | None
    author: str
    forwards_id: UUID | None
    may_forward: bool
    item_count: int
    audience_count: int
    importance: Decimal
    is_quarantined: bool
    edits_applied: int
    revoked_at: datetime | None
    warned_at: datetime | None
    withheld: str | None
    note: str | None
    risks: str | None
    content_hash: str | None
    available: int


@dataclass(frozen=True, slots=True)
class CapsuleItemRow:
    """An item of a capsule, of any kind; `details` is JSON, and `withheld` is the reason for withheld text."""

    capsule_id: UUID
    kind: str
    item_id: UUID
    withheld: str | None
    text: str | None
    details: str | None
    importance: Decimal | None
    ts: datetime | None
    edits_applied: int
    is_quarantined: bool | None
    status: str | None
    media_type: str | None
    event_id: UUID | None
    session_id: str | None
    scope: str | None
    subject_type: str | None
    subject_id: str | None
    project_id: str | None
    channel: str | None
    content_hash: str | None


@dataclass(frozen=True, slots=True)
class CapsuleWords:
    """Note and risks of a capsule; `risks` is JSON."""

    id: UUID
    note: str | None
    risks: str | None
    content_hash: str | None


@dataclass(frozen=True, slots=True)
class Custody:
    """Who handed over a capsule, and to whom."""

    capsule_id: UUID
    author: str
    given_at: datetime
    audience: list[str]
    audience_count: int


@dataclass(frozen=True, slots=True)
class CreatedCapsule:
    """A new capsule, or only a `fault` with its `place`."""

    place: str | None
    fault: str | None
    created_at: datetime
    expires_at: datetime
    audience_count: int


@dataclass(frozen=True, slots=True)
class ForwardedCapsule:
    """A forwarded capsule, or a `refusal`, or a `fault` with its `place`; then all other fields are None."""

    refusal: str | None
    place: str | None
    fault: str | None
    created_at: datetime
    expires_at: datetime
    item_count: int
    audience_count: int


@dataclass(frozen=True, slots=True)
class RevokedCapsule:
    """A revoked capsule; `is_new` if this call revoked it. With a `refusal`, all other fields are None."""

    refusal: str | None
    capsule_id: UUID
    revoked_at: datetime
    is_new: bool


@dataclass(frozen=True, slots=True)
class CapsuleTime:
    capsule_id: UUID
    expires_at: datetime


@function
def record_capsule(
    *,
    tenant: UUID,
    capsule: str,
    items: str,
    audience: str,
    listening: list[str],
) -> list[CreatedCapsule]:
    """Record a capsule; returns one row, or one for each fault. Capsule, items and audience are JSON."""


@function
def forward_capsule(
    *,
    tenant: UUID,
    original: UUID,
    id: UUID,
    items: str | None,
    audience: str,
    ttl_days: int | None,
    may_forward: bool,
) -> list[ForwardedCapsule]:
    """Forward a capsule; returns one row, or one for each fault. Items and audience are JSON."""


@function
def revoke_capsule(*, tenant: UUID, capsule: UUID) -> list[RevokedCapsule]:
    """Revoke a capsule, which is the first row, and everything forwarded from it."""


@function
def expire_capsules(*, tenant: UUID, limit: int) -> list[CapsuleTime]:
    """Expire capsules."""


@function
def warn_capsules(*, tenant: UUID, within: timedelta, limit: int) -> list[CapsuleTime]:
    """Set `warned_at` of capsules that expire within that time."""


@function
def read_capsule(*, tenant: UUID, capsule: UUID, listening: list[str]) -> CapsuleRow:
    """A capsule for a reader, or the reason for its refusal."""


@function
def get_available_capsules(
    *,
    tenant: UUID,
    subject_type: str | None,
    subject_id: str | None,
    scope: str | None,
    project_id: str | None,
    author: str | None,
    listening: list[str],
    include_quarantined: bool,
    before_id: UUID | None,
    limit: int,
) -> list[CapsuleRow]:
    """The capsules that the acting agent received, newest first; for people with a role, all of the tenant's."""


@function
def get_authored_capsules(
    *,
    tenant: UUID,
    subject_type: str | None = None,
    subject_id: str | None = None,
    scope: str | None = None,
    project_id: str | None = None,
    within: timedelta | None = None,
    listening: list[str],
    before_id: UUID | None,
    limit: int,
) -> list[CapsuleRow]:
    """The capsules that the actor created, newest first; with `within`, those that expire within that time."""


@function
def get_context_capsules(
    *,
    tenant: UUID,
    subject_type: str | None,
    subject_id: str | None,
    listening: list[str],
    include_quarantined: bool,
    offset: int,
    limit: int,
    beyond: int,
) -> list[ContextCapsule]:
    """The capsules for the acting agent's context bundle, most important first."""


@function
def get_capsule_items(
    *, tenant: UUID, capsules: list[UUID], listening: list[str], include_quarantined: bool
) -> list[CapsuleItemRow]:
    """The items of capsules, in the order of each capsule."""


@function
def get_capsule_words(
    *,
    tenant: UUID,
    ids: list[UUID],
    listening: list[str],
    include_quarantined: bool,
) -> list[CapsuleWords]:
    """Note and risks of the capsules that the reader may see now."""


@function
def capsule_custody(*, tenant: UUID, capsule: UUID, names: int) -> list[Custody]:
    """Who handed a capsule to whom: the original first, this capsule last."""


@function
def capsules_to_check(*, tenant: UUID, records: list[UUID], contents: list[UUID]) -> list[UUID]:
    """Capsules that contain one of the records and have text outside the contents."""


@function
def state_of_capsule(*, tenant: UUID, capsule: UUID, lock: bool) -> str:
    """A digest of the state of a capsule; `lock` keeps it unchanged until the end of the transaction."""


@function
def capsules_drift(*, tenant: UUID) -> list[Drift]:
    """Every row of the projection that differs from the fold of the record. For the owner role."""


@function
def repair_capsules(*, tenant: UUID) -> int:
    """Rebuild every row that drifted; returns how many. For the owner role."""
