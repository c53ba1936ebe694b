"""The approval policy of a tenant: the required approvals, and pending changes of them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from governance.identity.proving.differences import compare_fields, moment, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Edit, PolicyChange, PolicyChangeState, PolicyRule, Tenant
from governance.models.policies import DECIDE, OWN, PROTECTED, RULED
from suture_verify.findings import Kind

AGENT, HUMAN = "agent", "human"
#: The operations of agents that need no approval under `standard`: they only refine memory.
REFINING = (Edit.Op.AMEND, Edit.Op.ATTENUATE)

Rule = tuple[str, str, str | None]  # operation, kind of the proposer, sensitivity or any


def preset_rules(preset: str) -> dict[Rule, int]:
    """The approvals that a preset requires. The database's preset_rules() is deliberately not used."""

    def approvals(op: str, kind: str) -> int:
        if preset == "strict":
            return 1
        return int(preset == "standard" and kind == AGENT and op not in REFINING)

    rules: dict[Rule, int] = {(op, kind, None): approvals(op, kind) for op in RULED for kind in (HUMAN, AGENT)}
    is_strict = int(preset == "strict")
    own: dict[Rule, int] = {
        (DECIDE, AGENT, None): is_strict,
        (OWN, AGENT, None): is_strict,
        (PROTECTED, AGENT, None): int(preset != "open"),
    }
    return {**rules, **own}


def rules_of(preset: str, overrides: list[dict[str, Any]]) -> dict[Rule, int]:
    """The rules of a preset with overrides; the last override of a rule wins."""
    own = {(one["op"], one["proposer_kind"], one.get("sensitivity")): int(one["approvals"]) for one in overrides}
    return {**preset_rules(preset), **own}


@dataclass(slots=True)
class _Change:
    """A proposed change of the policy."""

    preset: str
    overrides: list[dict[str, Any]]
    promotion: dict[str, Any] | None
    reason: str
    proposed_by: str
    #: When it takes effect automatically; None if it needs a second admin.
    takes_effect_at: datetime | None
    asks_for_less: bool
    status: str = PolicyChangeState.Status.PENDING.value


@dataclass(slots=True)
class Policy:
    """The policy as the entries leave it, and its proposed changes by id."""

    TYPES: ClassVar[tuple[str, ...]] = ("policy.proposed", "policy.changed", "policy.rejected")

    preset: str | None = None
    rules: dict[Rule, int] = field(default_factory=dict)
    promotion: dict[str, Any] = field(default_factory=dict)
    changes: dict[str, _Change] = field(default_factory=dict)
    #: Entries of changes that needed a second admin but were applied without one.
    unseconded: list[tuple[ProvenEntry, str]] = field(default_factory=list)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        match proven.entry.type:
            case "policy.proposed":
                self.changes[said["change"]] = _Change(
                    preset=said["policy"],
                    overrides=said["overrides"],
                    promotion=said.get("promotion"),
                    reason=said["reason"],
                    proposed_by=said["actor"]["id"],
                    takes_effect_at=moment(said.get("takes_effect_at")),
                    asks_for_less="takes_effect_at" in said,
                )
            case "policy.rejected":
                self._decide(said["change"], PolicyChangeState.Status.REJECTED.value)
            case "policy.changed":
                if "change" in said:
                    self._require_second(proven, self.changes[said["change"]])
                    self._decide(said["change"], PolicyChangeState.Status.APPLIED.value)
                self.preset, self.rules = said["policy"], rules_of(said["policy"], said["overrides"])
                self.promotion |= said.get("promotion", {})
                # pending changes were proposed under the old rules: a second admin must decide them
                for change in self.changes.values():
                    change.takes_effect_at = None

    def _require_second(self, proven: ProvenEntry, change: _Change) -> None:
        """Check that a change that weakens the policy, and any change under `strict`, was applied by a second admin, or
        by the job at the time in its proposal."""
        actor, of = proven.entry.metadata["actor"], f"The change of the policy to {change.preset}"
        needs_second = change.asks_for_less or self.preset == "strict"
        if actor["kind"] != "system":
            if needs_second and actor["id"] == change.proposed_by:
                self.unseconded.append((proven, f"{of} is applied by {actor['name']}, who proposed it"))
        elif change.takes_effect_at is None or proven.entry.ts < change.takes_effect_at:
            self.unseconded.append((proven, f"{of} took effect before its time"))

    def _decide(self, change_id: str, status: str) -> None:
        change = self.changes[change_id]
        change.status, change.takes_effect_at = status, None

    def compare(self, comparison: Comparison) -> None:
        """Report each rule, threshold and proposed change that differs from the entries."""
        row = Tenant.objects.using(comparison.using).filter(id=comparison.tenant_id).first()
        if row is not None and self.preset is not None:
            found = {"policy": row.policy, "promotion_rules": row.promotion_rules}
            expected = {"policy": self.preset, "promotion_rules": self.promotion}
            compare_fields(comparison, Tenant, row.id, f"the tenant {row.slug}", found, expected)
        self._compare_rules(comparison)
        self._compare_changes(comparison)
        for proven, detail in self.unseconded:
            comparison.findings.add(Kind.UNPROVEN_AUTHORITY, proven.chain, proven.seq, detail)

    def _compare_rules(self, comparison: Comparison) -> None:
        rows = PolicyRule.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        missing = dict(self.rules)
        for row in rows.order_by("id"):
            rule: Rule = (row.op, row.proposer_kind, row.sensitivity)
            expected = missing.pop(rule, None)
            if expected is None:
                detail = f"The policy has a rule for {_named(rule)}, but no entry made it"
                report(comparison, PolicyRule, row.id, detail, field="approvals", found=row.approvals)
            elif expected != row.approvals:
                wanted = f"requires {_approvals(row.approvals)}, but the entries require {_approvals(expected)}"
                report(
                    comparison,
                    PolicyRule,
                    row.id,
                    f"The policy for {_named(rule)} {wanted}",
                    field="approvals",
                    found=row.approvals,
                    expected=expected,
                )
        for rule, expected in missing.items():
            detail = f"The policy has no rule for {_named(rule)}, but the entries made one"
            report(comparison, PolicyRule, _named(rule), detail, field="approvals", expected=expected)

    def _compare_changes(self, comparison: Comparison) -> None:
        rows = PolicyChange.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        missing = dict(self.changes)
        for row in rows.select_related("state").order_by("id"):
            expected = missing.pop(str(row.id), None)
            if expected is None:
                detail = f"A change of the policy to {row.preset} is in the database, but no entry proposed it"
                report(comparison, PolicyChange, row.id, detail, found=row.preset)
                continue
            of = f"the proposed change of the policy to {expected.preset}"
            names = ("preset", "overrides", "promotion", "reason")
            wanted = {**{name: getattr(expected, name) for name in names}, "proposed_by": expected.proposed_by}
            found = {**{name: getattr(row, name) for name in names}, "proposed_by": str(row.proposed_by)}
            is_pending = expected.status == PolicyChangeState.Status.PENDING
            if is_pending:  # a change that needs no second admin is never pending
                found["needs_second"], wanted["needs_second"] = row.needs_second, True
            compare_fields(comparison, PolicyChange, row.id, of, found, wanted)
            self._compare_state(comparison, row, expected, of)
        for change, expected in missing.items():
            detail = f"A change of the policy to {expected.preset} was proposed, but is not in the database"
            report(comparison, PolicyChange, change, detail, expected=expected.preset)

    def _compare_state(self, comparison: Comparison, row: PolicyChange, expected: _Change, of: str) -> None:
        state = getattr(row, "state", None)
        if state is None:
            report(comparison, PolicyChangeState, row.id, f"The state of {of} is not in the database")
            return
        found: dict[str, Any] = {"status": state.status, "takes_effect_at": state.takes_effect_at}
        wanted: dict[str, Any] = {"status": expected.status, "takes_effect_at": expected.takes_effect_at}
        if expected.status == PolicyChangeState.Status.PENDING:
            found |= {"proposed_by": str(state.proposed_by), "needs_second": state.needs_second}
            wanted |= {"proposed_by": expected.proposed_by, "needs_second": True}
        compare_fields(comparison, PolicyChangeState, row.id, of, found, wanted)


def _named(rule: Rule) -> str:
    op, kind, sensitivity = rule
    return f"{op} by {kind}" + (f" of sensitivity {sensitivity}" if sensitivity else "")


def _approvals(count: int) -> str:
    return "no approval" if count == 0 else f"{count} approval{'s' * (count != 1)}"
