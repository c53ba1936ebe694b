"""The approval policy: presets, a tenant's own rules on top, and how it is changed."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from governance.identity.principals import Principal
from governance.ledger import appending
from governance.models import Edit, PolicyChange, PolicyChangeState, PolicyRule, Tenant
from governance.redaction import redact
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint
from governance.text import REASON, REMARK

AUTO, ONE, TWO = 0, 1, 2

#: (operation, proposer kind) -> approvals, for any sensitivity of the target.
PRESETS: Final[dict[str, dict[tuple[str, str], int]]] = {
    # people with the reviewer role apply directly; agents apply what only refines
    "standard": {
        (op, kind): AUTO if kind == "human" or op in {"amend", "attenuate"} else ONE
        for op in Edit.Op.values
        for kind in ("human", "agent")
    },
    # every agent's edit waits for a person, every person's for a second one
    "strict": {(op, kind): ONE for op in Edit.Op.values for kind in ("human", "agent")},
    "open": {(op, kind): AUTO for op in Edit.Op.values for kind in ("human", "agent")},
}


class UnknownPolicy(Invalid):
    """The policy must be one of standard, strict, open."""


class NotAnAdmin(Forbidden):
    """Only an admin of the tenant may change its policy."""


class OwnPolicyChange(Forbidden):
    """Under the strict policy a second admin decides a change of the policy."""


class NoSuchPolicyChange(NotFound):
    """There is no such change of the policy."""


class PolicyChangeNotPending(Conflict):
    """This change of the policy was decided already."""


register_constraint("policy_change_decided_by_another", OwnPolicyChange)


def use_preset(tenant_id: uuid.UUID, preset: str, *, actor: Principal) -> None:
    """Replace the tenant's rules by a preset's, at once: for the operator. Raises UnknownPolicy."""
    if preset not in PRESETS:
        raise UnknownPolicy
    _write_rules(tenant_id, preset, ())
    appending.record("policy.changed", actor=actor, metadata={"policy": preset, "overrides": []})


@transaction.atomic
def propose_change(
    *, actor: Principal, preset: str, overrides: Iterable[Mapping[str, Any]] = (), reason: str
) -> PolicyChange:
    """Change the tenant's policy; under `strict` it waits for a second admin.

    `overrides` are {op, proposer_kind, sensitivity or None, approvals}. Edits already proposed keep the policy that
    they were proposed under. Raises NotAnAdmin.
    """
    _require_admin(actor)
    reason = redact(REASON.require(reason, "/reason"))[0]
    tenant = Tenant.objects.get(id=actor.tenant_id)
    change = PolicyChange.objects.create(
        tenant_id=actor.tenant_id,
        preset=preset,
        overrides=[dict(rule) for rule in overrides],
        reason=reason,
        proposed_by=actor.id,
        proposer=actor.name,
        needs_second=tenant.policy == "strict",
    )
    PolicyChangeState.objects.create(
        tenant_id=actor.tenant_id,
        change=change,
        status=PolicyChangeState.Status.PENDING,
        proposed_by=actor.id,
        needs_second=change.needs_second,
    )
    appending.record(
        "policy.proposed",
        actor=actor,
        metadata={"change": str(change.id), "policy": preset, "overrides": change.overrides, "reason": reason},
    )
    if not change.needs_second:
        _decide(change, actor, PolicyChangeState.Status.APPLIED, "")
    return change


@transaction.atomic
def decide_change(change_id: uuid.UUID, *, actor: Principal, apply: bool, reason: str = "") -> PolicyChange:
    """Apply or reject a pending change. Raises NotAnAdmin, NoSuchPolicyChange, OwnPolicyChange,
    PolicyChangeNotPending."""
    _require_admin(actor)
    change = PolicyChange.objects.filter(tenant_id=actor.tenant_id, id=change_id).first()
    if change is None:
        raise NoSuchPolicyChange
    if apply and change.needs_second and change.proposed_by == actor.id:
        raise OwnPolicyChange
    reason = redact(REMARK.require(reason, "/reason"))[0]
    status = PolicyChangeState.Status.APPLIED if apply else PolicyChangeState.Status.REJECTED
    _decide(change, actor, status, reason)
    return change


def _decide(change: PolicyChange, actor: Principal, status: str, reason: str) -> None:
    # The row count is the claim: of two admins at once, one changes the row.
    claimed = PolicyChangeState.objects.filter(
        tenant_id=actor.tenant_id, change_id=change.id, status=PolicyChangeState.Status.PENDING
    ).update(status=status, decided_by=actor.id, decider=actor.name, decided_at=timezone.now())
    if not claimed:
        raise PolicyChangeNotPending
    if status == PolicyChangeState.Status.APPLIED:
        _write_rules(actor.tenant_id, change.preset, change.overrides)
    appending.record(
        "policy.changed" if status == PolicyChangeState.Status.APPLIED else "policy.rejected",
        actor=actor,
        metadata={
            "change": str(change.id),
            "policy": change.preset,
            "overrides": change.overrides,
            "reason": reason,
        },
    )


def _write_rules(tenant_id: uuid.UUID, preset: str, overrides: Iterable[Mapping[str, Any]]) -> None:
    PolicyRule.objects.filter(tenant_id=tenant_id).delete()
    rules: dict[tuple[str, str, str | None], int] = {
        (op, kind, None): approvals for (op, kind), approvals in PRESETS[preset].items()
    }
    for rule in overrides:
        rules[rule["op"], rule["proposer_kind"], rule.get("sensitivity")] = rule["approvals"]
    PolicyRule.objects.bulk_create(
        PolicyRule(tenant_id=tenant_id, op=op, proposer_kind=kind, sensitivity=sensitivity, approvals=approvals)
        for (op, kind, sensitivity), approvals in rules.items()
    )
    Tenant.objects.filter(id=tenant_id).update(policy=preset)


def approvals_for(proposer: Principal, op: str, sensitivity: str) -> int:
    """How many approvals an edit by `proposer` would need now. `record_edit()` in the database has the last word."""
    rules = PolicyRule.objects.filter(tenant_id=proposer.tenant_id, op=op, proposer_kind=proposer.kind)
    rule = (
        rules.filter(Q(sensitivity=sensitivity) | Q(sensitivity__isnull=True))
        .order_by(F("sensitivity").asc(nulls_last=True))
        .first()
    )
    return TWO if rule is None else rule.approvals


def rules_of(tenant_id: uuid.UUID) -> list[PolicyRule]:
    """The rules in force, in a stable order."""
    rules = PolicyRule.objects.filter(tenant_id=tenant_id)
    return list(rules.order_by("op", "proposer_kind", F("sensitivity").asc(nulls_first=True)))


def _require_admin(actor: Principal) -> None:
    if not (actor.kind == "human" and "admin" in actor.roles):
        raise NotAnAdmin
