"""Decide edits: approve, reject, withdraw, expire. Each is an explicit verdict."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.acting import gate
from governance.acting.credentials import system
from governance.acting.principals import Principal
from governance.edits import db, targets
from governance.edits.holds import drafts_of_holds
from governance.edits.statements import moment
from governance.every_tenant import claim_in_every_tenant
from governance.ledger import appending
from governance.models import Edit, EditState, Tenant
from governance.refusals import Conflict, Fault, Forbidden, Invalid, NotFound, register_constraint
from governance.text import REMARK
from suture_client.text.masking import mask


class NotAReviewer(Forbidden):
    """Only a reviewer or admin of the tenant can decide an edit. An agent's key cannot."""


class OwnEdit(Forbidden):
    """You cannot decide an edit that you proposed. Ask another reviewer."""


class NotYourEdit(Forbidden):
    """Only the proposer of an edit can withdraw it."""


class NoSuchEdit(NotFound):
    """There is no such edit."""


class EditNotPending(Conflict):
    """This edit is already decided."""


class EditIsStale(Conflict):
    """This edit has a different patch from the one that you reviewed. Load the edit again."""


class ReviewedUnknown(Invalid):
    """Under the strict policy, a verdict over the API must name the reviewed patch and state: send patch_sha256 and
    target_state from GET /edits/{id}."""


class ProposerDeactivated(Conflict):
    """The agent that proposed this edit is deactivated, so its edits cannot be approved. Reject this edit, or
    propose it yourself."""


class TargetHasChanged(Conflict):
    """The target has changed since you reviewed it. Review it again."""


register_constraint("verdict_decider_is_not_proposer", OwnEdit)
register_constraint("verdict_once_per_person", EditNotPending)
register_constraint("proposer_deactivated", ProposerDeactivated)
register_constraint("edit_target_is_stale", TargetHasChanged)

#: Overdue edits that one transaction of the job expires.
EXPIRY_BATCH = 200


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a proposal or a verdict."""

    edit_id: uuid.UUID
    status: str
    applied_at: datetime | None
    approvals: int = 0
    approvals_required: int = 0
    #: Why a pending edit of an agent waits, other than the rule for its operation; empty otherwise.
    waits_because: str = ""
    #: The reviewed patch's hash and the target's state before the edit, for a verdict.
    patch_sha256: str | None = None
    target_state: str | None = None


@transaction.atomic(savepoint=False)
def decide_edit(
    edit_id: uuid.UUID,
    *,
    actor: Principal,
    decision: str,
    reason: str = "",
    patch_sha256: bytes | None = None,
    target_state: str | None = None,
    names_reviewed: bool = False,
) -> Outcome:
    """Record a verdict, `approved` or `rejected` (with a reason). The last required approval applies the edit.

    `patch_sha256` and `target_state` identify the patch and state that the reviewer saw; None means the current values,
    unless `names_reviewed` requires them under the strict policy. Raises NotAReviewer, NoSuchEdit, OwnEdit,
    ReviewedUnknown, EditNotPending, EditIsStale, TargetHasChanged.
    """
    if not actor.may_decide:
        raise NotAReviewer
    edit = _edit(edit_id, actor)
    if edit.proposed_by == actor.id:
        raise OwnEdit
    if names_reviewed:
        _require_reviewed(edit, {"patch_sha256": patch_sha256, "target_state": target_state})
    reason = mask(REMARK.require(reason, "/reason"))[0]
    digest = bytes(edit.patch_sha256)
    if patch_sha256 is not None and patch_sha256 != digest:
        raise EditIsStale
    gate.act_as(actor)
    # before the edit and its target are locked, and so that what it says is applied either before or after a value is
    # forgotten
    reason = targets.cut([(edit.target_type, reason)], actor)[0]
    verdict = db.record_verdict(
        tenant=actor.tenant_id,
        edit=edit_id,
        decision=decision,
        reason=reason,
        patch_sha256=digest,
        target_state=target_state,
    )
    facts = {
        "edit": str(edit_id),
        "verdict": str(verdict.verdict_id),
        "patch_sha256": digest.hex(),
        "reason": reason,
        "in_effect": verdict.status == "approved",
    }
    if verdict.applied_at is not None:
        facts["applied_at"] = moment(verdict.applied_at)
    drafts = [appending.Draft(f"edit.{decision}", facts)]
    if verdict.has_holds:
        drafts += drafts_of_holds(actor)[0]
    appending.record_all(drafts, actor=actor)
    return Outcome(
        edit_id,
        verdict.status,
        verdict.applied_at,
        verdict.approvals,
        edit.approvals_required,
        patch_sha256=digest.hex(),
        target_state=verdict.target_state,
    )


def _require_reviewed(edit: Edit, reviewed: Mapping[str, Any]) -> None:
    """Raises ReviewedUnknown if a pending edit was proposed under the strict policy, or this policy is in force now,
    and the verdict does not name the reviewed patch and state."""
    missing = [name for name, value in reviewed.items() if value is None]
    if not missing or edit.state.status != EditState.Status.PENDING:
        return
    if "strict" in (edit.policy, Tenant.objects.get(id=edit.tenant_id).policy):
        detail = "The strict policy requires this field. Send its value from GET /edits/{id}."
        raise ReviewedUnknown(errors=[Fault(pointer=f"/{name}", detail=detail) for name in missing])


def approve_edit(edit_id: uuid.UUID, *, actor: Principal, reason: str = "", **seen: Any) -> Outcome:
    """Approve an edit; `seen` are arguments of decide_edit."""
    return decide_edit(edit_id, actor=actor, decision="approved", reason=reason, **seen)


def reject_edit(edit_id: uuid.UUID, *, actor: Principal, reason: str, **seen: Any) -> Outcome:
    """Reject an edit, with a reason; `seen` are arguments of decide_edit."""
    return decide_edit(edit_id, actor=actor, decision="rejected", reason=reason, **seen)


@transaction.atomic
def withdraw_edit(edit_id: uuid.UUID, *, actor: Principal, reason: str = "") -> Outcome:
    """Withdraw a pending edit, as its proposer. Raises NoSuchEdit, NotYourEdit, EditNotPending."""
    edit = _edit(edit_id, actor)
    if edit.proposed_by != actor.id:
        # An agent only sees the edits that it proposed.
        raise NotYourEdit if actor.reads_all_edits else NoSuchEdit
    reason = mask(REMARK.require(reason, "/reason"))[0]
    gate.act_as(actor)
    verdict = db.withdraw_edit(tenant=actor.tenant_id, edit=edit_id, reason=reason)
    appending.record(
        "edit.withdrawn",
        actor=actor,
        metadata={"edit": str(edit_id), "verdict": str(verdict), "reason": reason},
    )
    return Outcome(edit_id, EditState.Status.WITHDRAWN, None, approvals_required=edit.approvals_required)


def expire_edits(*, at: datetime | None = None) -> int:
    """Expire, tenant by tenant, pending edits older than the tenant's `pending_edit_days`; returns how many.

    Safe to run twice at once and to kill at any point: each batch claims its rows and is one transaction. A failure in
    one tenant does not stop the others; the first one is raised after all were tried.
    """
    moment = at or timezone.now()

    def claim(tenant_id: uuid.UUID) -> list[uuid.UUID]:
        before = moment - timedelta(days=_pending_days(tenant_id))
        return db.claim_overdue_edits(tenant=tenant_id, before=before, limit=EXPIRY_BATCH)

    return claim_in_every_tenant(claim, _expire, complaint="not all overdue edits of %s expired")


def _expire(tenant_id: uuid.UUID, overdue: list[uuid.UUID]) -> None:
    reason = f"No decision within {_pending_days(tenant_id)} days."
    drafts = []
    for edit_id in overdue:
        verdict = db.expire_edit(tenant=tenant_id, edit=edit_id, reason=reason)
        facts = {"edit": str(edit_id), "verdict": str(verdict), "reason": reason}
        drafts.append(appending.Draft("edit.expired", facts))
    appending.record_all(drafts, actor=system(tenant_id, "expiry"))


def _pending_days(tenant_id: uuid.UUID) -> int:
    return Tenant.objects.get(id=tenant_id).pending_edit_days


def pending(tenant_id: uuid.UUID) -> Any:
    """The queue as a QuerySet: edits that wait for a person, oldest first."""
    return Edit.objects.filter(tenant_id=tenant_id, state__status=EditState.Status.PENDING).order_by(
        "state__created_at"
    )


def _edit(edit_id: uuid.UUID, actor: Principal) -> Edit:
    edit = Edit.objects.filter(tenant_id=actor.tenant_id, id=edit_id).first()
    if edit is None:
        raise NoSuchEdit
    return edit
