"""The approval policy: presets, a tenant's overrides, and changes of both."""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import transaction
from django.db.models import F

from governance.acting import gate
from governance.acting.changes import change as change_by_gate
from governance.acting.credentials import system
from governance.acting.principals import Principal
from governance.edits import db, promotion_rules
from governance.every_tenant import claim_in_every_tenant
from governance.ledger import appending
from governance.models import PolicyChange, PolicyChangeState, PolicyRule
from governance.models.policies import PRESETS as PRESET_NAMES
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint
from governance.text import REASON, REMARK
from suture_client.text.masking import mask

#: The presets are defined in sql/functions/preset_rules.sql.
PRESETS: Final = tuple(PRESET_NAMES)


class UnknownPolicy(Invalid):
    """The policy must be one of standard, strict, open."""


class NothingToPropose(Invalid):
    """Name a preset or promotion thresholds. Overrides need a preset."""


class NotAnAdmin(Forbidden):
    """Only an admin of the tenant can change its policy."""


class OwnPolicyChange(Forbidden):
    """You proposed this policy change, so another admin must decide it. If it has a time, it takes effect then, unless
    an admin rejects it."""


class NoSuchPolicyChange(NotFound):
    """There is no such policy change."""


class PolicyChangeNotPending(Conflict):
    """This policy change is already decided."""


register_constraint("policy_change_decided_by_another", OwnPolicyChange)
register_constraint("own_policy_change", OwnPolicyChange)
register_constraint("no_such_policy_change", NoSuchPolicyChange)
register_constraint("policy_change_not_pending", PolicyChangeNotPending)


@transaction.atomic
def use_preset(tenant_id: uuid.UUID, preset: str, *, actor: Principal) -> None:
    """Replace the tenant's rules with a preset's, at once: for the operator and the superuser who creates the tenant.
    Raises UnknownPolicy."""
    if preset not in PRESETS:
        raise UnknownPolicy
    change_by_gate(db.replace_policy_rules, actor=actor, preset=preset)
    appending.record("policy.changed", actor=actor, metadata={"policy": preset, "overrides": []})


@transaction.atomic
def propose_change(
    *,
    actor: Principal,
    preset: str | None = None,
    overrides: Iterable[Mapping[str, Any]] = (),
    promotion: Mapping[str, Any] | None = None,
    reason: str,
) -> PolicyChange:
    """Change the tenant's policy. A change that weakens it waits for a second admin, or takes effect after an hour
    unless an admin rejects it (`state.takes_effect_at`); under `strict` every change waits for a second admin.

    `overrides` are {op, proposer_kind, sensitivity or None, approvals}. Edits that are already proposed keep their
    policy. `promotion` are thresholds by name (promotion_rules); the others stay unchanged. Without a preset, the
    current one stays with its overrides. Raises NotAnAdmin, NothingToPropose and promotion_rules.UnknownPromotionRule.
    """
    _require_admin(actor)
    reason = mask(REASON.require(reason, "/reason"))[0]
    rules = [dict(rule) for rule in overrides]
    if preset is None and (rules or not promotion):
        raise NothingToPropose(pointer="/preset")
    gate.act_as(actor)
    thresholds = json.dumps(promotion_rules.check(promotion, actor.tenant_id)) if promotion else None
    proposed = change_by_gate(
        db.propose_policy_change,
        actor=actor,
        preset=preset,
        overrides=json.dumps(rules),
        reason=reason,
        promotion=thresholds,
    )
    change = PolicyChange.objects.get(tenant_id=actor.tenant_id, id=proposed.change_id)
    appending.record("policy.proposed", actor=actor, metadata=_metadata(change, reason))
    if not change.needs_second:
        appending.record("policy.changed", actor=actor, metadata=_metadata(change, ""))
    return change


@transaction.atomic
def decide_change(change_id: uuid.UUID, *, actor: Principal, apply: bool, reason: str = "") -> PolicyChange:
    """Apply or reject a pending change. Raises NotAnAdmin, NoSuchPolicyChange, OwnPolicyChange, NeedsSecondPerson,
    PolicyChangeNotPending."""
    _require_admin(actor)
    reason = mask(REMARK.require(reason, "/reason"))[0]
    change_by_gate(db.decide_policy_change, actor=actor, change=change_id, apply=apply)
    change = PolicyChange.objects.get(tenant_id=actor.tenant_id, id=change_id)
    appending.record("policy.changed" if apply else "policy.rejected", actor=actor, metadata=_metadata(change, reason))
    return change


def apply_due_changes() -> int:
    """Apply, tenant by tenant, the policy changes that are due; returns how many. Safe to run twice at once. A failure
    in one tenant does not stop the others; the first one is raised after all were tried."""
    return claim_in_every_tenant(
        lambda tenant_id: db.apply_due_policy_changes(tenant=tenant_id),
        _record_applied,
        complaint="a policy change of %s was due but did not take effect",
    )


def _record_applied(tenant_id: uuid.UUID, applied: list[uuid.UUID]) -> None:
    for change in PolicyChange.objects.filter(tenant_id=tenant_id, id__in=applied):
        reason = "No admin rejected it in time."
        appending.record("policy.changed", actor=system(tenant_id, "policy"), metadata=_metadata(change, reason))


def pending_changes(tenant_id: uuid.UUID) -> list[PolicyChange]:
    """The undecided changes, oldest first."""
    waiting = PolicyChange.objects.filter(tenant_id=tenant_id, state__status=PolicyChangeState.Status.PENDING)
    return list(waiting.select_related("state").order_by("created_at"))


def _metadata(change: PolicyChange, reason: str) -> dict[str, Any]:
    due = change.state.takes_effect_at
    return {
        "change": str(change.id),
        "policy": change.preset,
        "overrides": change.overrides,
        "reason": reason,
        **({"promotion": change.promotion} if change.promotion else {}),
        **({"takes_effect_at": due.isoformat()} if due else {}),
    }


def approvals_for(
    proposer: Principal, edit: Mapping[str, Any], target_type: str, target_id: uuid.UUID, sensitivity: str
) -> int:
    """How many approvals an edit of this target by `proposer` would need now. `edit` has fields of the SQL type
    applied_edit. Called within the tenant."""
    gate.act_as(proposer)
    return db.preview_approvals(
        tenant=proposer.tenant_id,
        target_type=target_type,
        target=target_id,
        sensitivity=sensitivity,
        edit=json.dumps(edit, default=str),
    )


def overrides_of(principal: Principal) -> list[dict[str, Any]]:
    """The rules in force that differ from the tenant's preset, as `propose_change` takes them. Called within the
    tenant."""
    rules: list[dict[str, Any]] = json.loads(db.overrides_of(tenant=principal.tenant_id))
    return rules


def rules_of(tenant_id: uuid.UUID) -> list[PolicyRule]:
    """The rules in force, in a stable order."""
    rules = PolicyRule.objects.filter(tenant_id=tenant_id)
    return list(rules.order_by("op", "proposer_kind", F("sensitivity").asc(nulls_first=True)))


def _require_admin(actor: Principal) -> None:
    if not (actor.kind == "human" and "admin" in actor.roles):
        raise NotAnAdmin
