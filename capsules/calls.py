"""The functions of the database about capsules."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from governance.database.calls import function
from memory.calls import Drift


@dataclass(frozen=True, slots=True)
class CapsuleRow:
    """A capsule for a reader; `risks` is JSON. `withheld` names why there are no words. With a `refusal` nothing else
    is said."""

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
    """A capsule to give an agent unasked, as CapsuleRow has it; `available` is how many the whole list has."""

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
    """An item of a capsule, of any kind; `details` is JSON, and `withheld` names why there are no words."""

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
    """Note and risks of a capsule, those in JSON."""

    id: UUID
    note: str | None
    risks: str | None
    content_hash: str | None


@dataclass(frozen=True, slots=True)
class Custody:
    """Who gave a capsule, and to whom."""

    capsule_id: UUID
    author: str
    given_at: datetime
    audience: list[str]
    audience_count: int


@dataclass(frozen=True, slots=True)
class CreatedCapsule:
    """A new capsule; with a `fault` what is wrong with it, at which `place`, and nothing else."""

    place: str | None
    fault: str | None
    created_at: datetime
    expires_at: datetime
    audience_count: int


@dataclass(frozen=True, slots=True)
class ForwardedCapsule:
    """A capsule that was passed on; with a `refusal`, or a `fault` at its `place`, nothing else is said."""

    refusal: str | None
    place: str | None
    fault: str | None
    created_at: datetime
    expires_at: datetime
    item_count: int
    audience_count: int


@dataclass(frozen=True, slots=True)
class RevokedCapsule:
    """A capsule that is revoked, `is_new` by this call. With a `refusal` nothing else is said."""

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
    """Record a capsule: one row, or one for each fault. What it takes is JSON."""


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
    """Pass a capsule on: one row, or one for each fault. Items and audience are JSON."""


@function
def revoke_capsule(*, tenant: UUID, capsule: UUID) -> list[RevokedCapsule]:
    """Revoke a capsule, the first row, and whatever was forwarded of it."""


@function
def expire_capsules(*, tenant: UUID, limit: int) -> list[CapsuleTime]:
    """Mark capsules whose time is over as expired."""


@function
def warn_capsules(*, tenant: UUID, within: timedelta, limit: int) -> list[CapsuleTime]:
    """Mark capsules that expire within that time as warned of."""


@function
def read_capsule(*, tenant: UUID, capsule: UUID, listening: list[str]) -> CapsuleRow:
    """A capsule for a reader, or why it is refused."""


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
    """The capsules that the acting agent was given, the newest first; for people with a role all of the tenant's."""


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
    """The capsules that the actor made, the newest first; with `within` those that expire within that time."""


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
    """The capsules to give the acting agent unasked, the most important first."""


@function
def get_capsule_items(
    *, tenant: UUID, capsules: list[UUID], listening: list[str], include_quarantined: bool
) -> list[CapsuleItemRow]:
    """The items of capsules, those of each in its order."""


@function
def get_capsule_words(
    *,
    tenant: UUID,
    ids: list[UUID],
    listening: list[str],
    include_quarantined: bool,
) -> list[CapsuleWords]:
    """Note and risks of capsules, of those that the reader may see now."""


@function
def capsule_custody(*, tenant: UUID, capsule: UUID, names: int) -> list[Custody]:
    """Who gave a capsule to whom: the one that was forwarded first, this one last."""


@function
def capsules_to_check(*, tenant: UUID, records: list[UUID], contents: list[UUID]) -> list[UUID]:
    """Capsules that hold one of the records, and keep words beside the contents."""


@function
def state_of_capsule(*, tenant: UUID, capsule: UUID, lock: bool) -> str:
    """A digest of the state that a capsule is in; with `lock` it stays so to the end of the transaction."""


@function
def capsules_drift(*, tenant: UUID) -> list[Drift]:
    """Every row of the projection that differs from what the record makes of it. For the owner."""


@function
def repair_capsules(*, tenant: UUID) -> int:
    """Rebuild every row that drifted; answers how many. For the owner."""
