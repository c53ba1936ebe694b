"""Presets of the approval policy, written out as the tenant's rules."""

import uuid
from typing import Final

from governance.models import Edit, PolicyRule, Tenant
from governance.principals import Principal
from governance.refusals import Invalid
from governance.services import ledger

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


def use_preset(tenant_id: uuid.UUID, preset: str, *, actor: Principal) -> None:
    """Replace the tenant's rules by a preset's. Edits already proposed keep the policy that they were proposed under.

    Raises UnknownPolicy.
    """
    if preset not in PRESETS:
        raise UnknownPolicy
    PolicyRule.objects.filter(tenant_id=tenant_id).delete()
    PolicyRule.objects.bulk_create(
        PolicyRule(tenant_id=tenant_id, op=op, proposer_kind=kind, approvals=approvals)
        for (op, kind), approvals in PRESETS[preset].items()
    )
    Tenant.objects.filter(id=tenant_id).update(policy=preset)
    ledger.record("policy.changed", actor=actor, metadata={"policy": preset})
