"""The functions of the database about edits and verdicts."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """The result of a proposal. `applied_at` is None while it waits for approval; `has_holds` says whether the
    transaction must still append ledger entries of holds."""

    status: str
    applied_at: datetime | None
    approvals_required: int
    policy: str
    decided_by: str
    has_holds: bool


@dataclass(frozen=True, slots=True)
class BatchEdit:
    """The result of one proposal of a batch. With a `refusal` the other fields are empty."""

    id: UUID
    status: str
    applied_at: datetime | None
    approvals_required: int
    policy: str
    decided_by: str
    refusal: str | None
    refusal_state: str | None
    refusal_name: str | None


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """A verdict and the resulting status of its edit; `target_state` is the state of the target at the decision."""

    verdict_id: UUID
    status: str
    applied_at: datetime | None
    approvals: int
    target_state: str
    has_holds: bool


@dataclass(frozen=True, slots=True)
class OwedEdit:
    """An edit that the database made, whose ledger entry is still missing."""

    edit_id: UUID
    op: str
    target_type: str
    target_id: UUID
    patch_sha256: bytes
    reason: str
    policy: str
    approvals_required: int
    is_in_effect: bool


@dataclass(frozen=True, slots=True)
class EditText:
    edit_id: UUID
    body: str


@dataclass(frozen=True, slots=True)
class TargetPreview:
    """A target as the fold computes it; `words` is JSON."""

    sensitivity: str
    words: str
    importance: Decimal
    is_retracted: bool
    is_quarantined: bool
    blocked_channels: list[str]
    is_superseded: bool
    edits_applied: int
    found_by: list[str]
    audience: list[int] | None


@dataclass(frozen=True, slots=True)
class AudienceChange:
    """The usersets that only one of two audiences has, and the principals that hear only one: at most 100, and how
    many."""

    added: list[str]
    removed: list[str]
    gaining: list[str]
    gain: int
    losing: list[str]
    lose: int


@dataclass(frozen=True, slots=True)
class ProposedPolicy:
    change_id: UUID
    needs_second: bool


@function
def record_edit(
    *,
    tenant: UUID,
    id: UUID,
    target_type: str,
    target_id: UUID,
    sensitivity: str,
    op: str,
    reason: str,
    text: str | None,
    salt: bytes | None,
    importance: Decimal | None,
    importance_delta: Decimal | None,
    channel: str | None,
    reverts: UUID | None,
    patch_sha256: bytes,
    audience: list[str] | None = None,
    batch: UUID | None = None,
) -> RecordedEdit:
    """Record a proposal, and apply it if the tenant's policy requires no approval."""


@function
def owed_edits(*, tenant: UUID) -> list[OwedEdit]:
    """The edits that the open transaction made without their entries: holds."""


@function
def record_edits(*, tenant: UUID, batch: UUID, edits: str, each: bool) -> list[BatchEdit]:
    """Record the proposals of a batch (JSON) in order: all or none, or with `each` those that are not refused."""


@function
def record_verdict(
    *,
    tenant: UUID,
    edit: UUID,
    decision: str,
    reason: str,
    patch_sha256: bytes,
    target_state: str | None,
) -> RecordedVerdict:
    """Record a person's verdict; the last required approval applies the edit."""


@function
def withdraw_edit(*, tenant: UUID, edit: UUID, reason: str) -> UUID:
    """Withdraw a pending edit of the actor's; returns the id of the verdict."""


@function
def expire_edit(*, tenant: UUID, edit: UUID, reason: str) -> UUID:
    """Expire a pending edit; returns the id of the verdict."""


@function
def claim_overdue_edits(*, tenant: UUID, before: datetime, limit: int) -> list[UUID]:
    """Lock pending edits proposed before that time, except those that another transaction has locked."""


@function
def get_edit_texts(*, tenant: UUID, edits: list[UUID]) -> list[EditText]:
    """The proposed texts, except those that were erased."""


@function
def preview_edit(*, tenant: UUID, target_type: str, target: UUID, edit: str) -> list[TargetPreview]:
    """A target now, and with the edit (JSON) applied last; no rows if there is no such target."""


@function
def require_revertible(*, tenant: UUID, target: UUID, edit: UUID) -> None:
    """Refuse to revert an edit that is not in effect on the target."""


@function
def preview_approvals(*, tenant: UUID, target_type: str, target: UUID, sensitivity: str, edit: str) -> int:
    """The approvals that the edit (JSON) by the actor would need now."""


@function
def intern_audiences(*, tenant: UUID, audiences: str) -> None:
    """Give audiences (JSON lists of usersets) their numbers, before targets are locked."""


@function
def compare_audiences(
    *, tenant: UUID, before: list[int], after: list[int], usersets: list[str] | None
) -> AudienceChange:
    """What changes for readers with another audience; `usersets` are those of the number -1 in a preview."""


@function
def overrides_of(*, tenant: UUID) -> str:
    """The rules in force that differ from the tenant's preset, a JSON list."""


@function
def replace_policy_rules(*, tenant: UUID, preset: str) -> None:
    """Replace the tenant's rules with a preset's, at once: for the operator and the superuser who creates the
    tenant."""


@function
def propose_policy_change(
    *, tenant: UUID, preset: str | None, overrides: str, reason: str, promotion: str | None = None
) -> ProposedPolicy:
    """Propose a policy; it applies at once unless it needs a second admin. `overrides` and `promotion` are JSON.
    Without a preset, the current one stays with its overrides."""


@function
def promotion_rules(*, tenant: UUID) -> str:
    """The thresholds of promotion in force, a JSON object."""


@function
def apply_due_policy_changes(*, tenant: UUID) -> list[UUID]:
    """Apply the policy change that is due, if any; returns its id."""


@function
def decide_policy_change(*, tenant: UUID, change: UUID, apply: bool) -> str | None:
    """Apply or reject a pending change; returns the refusal."""
