"""Restore the states of edits from the ledger, as the owner role.

Only a verified ledger proves a state. If an entry does not verify, the edits that it may concern keep their state.
"""

import uuid
from dataclasses import dataclass, field
from typing import Any, Final

from governance.edits import state_checks
from governance.edits.state_checks import Unproven
from governance.edits.statements import statements_of
from governance.edits.states_from_proof import EDITS, VERDICTS, State
from governance.ledger import comparisons, verification
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import EditState, Entry
from suture_verify.entries import GOVERNANCE, MalformedEntry, parse_entry
from suture_verify.findings import LEAVES, Findings, Kind, Report

#: Findings about the governance chain after which unknown entries may be missing.
_STRUCTURAL: Final = {Kind.GAP, Kind.MALFORMED, Kind.FOREIGN, Kind.TRUNCATED, Kind.SPLIT_VIEW, Kind.SEAL_MISMATCH}
#: Findings in any chain after which no edit is proven: the end of the ledger may be missing, or the rows that were read
#: may not be those in the tables.
_EVERYWHERE: Final = {Kind.NO_TREE_HEADS, Kind.SCHEMA}


class NotProven(Exception):  # noqa: N818 (the ledger is at fault, not the program)
    """The ledger does not prove some rows that memory is derived from, so they cannot be restored."""

    def __init__(self, kind: str, refused: dict[uuid.UUID, str]) -> None:
        """`refused` maps each row to the reason why it was not restored; `kind` names the rows."""
        super().__init__(f"the ledger does not prove {len(refused)} {kind}{'s' * (len(refused) != 1)}")
        self.kind, self.refused = kind, refused


@dataclass(slots=True)
class _Damage:
    """The unproven edits: those that damaged entries and rows name, with the reason. `all` is the reason if no edit is
    proven."""

    all: str | None = None
    edits: dict[str, str] = field(default_factory=dict)
    #: The reason if an entry is damaged: it may have named another edit.
    some_entry: str | None = None

    def reason_for(self, one: Unproven) -> str | None:
        """Why the state of an edit is not proven; None if it is."""
        if self.all:
            return self.all
        if reason := self.edits.get(str(one.edit_id)):
            return reason
        if self.some_entry and any(problem.table in {EDITS, VERDICTS} for problem in one.problems):
            return f"rows of the edit have no entry, and {self.some_entry}"
        return None


def restore(tenant_id: uuid.UUID) -> int:
    """Restore the state that the ledger proves to every edit of the tenant whose state differs; returns how many.

    It verifies the ledger first, and the ledger records this. An approved or pending edit that no entry proposes
    expires. Raises NotProven after restoring the others; TreeHeadsUnreadable; and OperationalError if one of these
    edits is decided at the same time: then nothing is restored.
    """
    with comparisons.snapshot(tenant_id, Findings()) as comparison:
        if not any(one.state for one in state_checks.find(comparison)):
            return 0
    report = verification.verify(tenant_id)
    restored, refused = 0, {}
    with comparisons.snapshot(tenant_id, Findings()) as comparison:
        damage = _damage(report, comparison)
        for one in list(state_checks.find(comparison)):
            if one.state is None:
                continue
            if reason := damage.reason_for(one):
                refused[one.edit_id] = reason
            else:
                _write(one, one.state, comparison)
                restored += 1
    if refused:
        raise NotProven("edit", refused)
    return restored


def _write(one: Unproven, state: State, comparison: Comparison) -> None:
    columns: dict[str, Any] = {
        "status": state.status,
        "approvals": state.approvals,
        "approved_by": state.approved_by,
        "applied_at": state.applied_from,
    }
    if one.found is not None and state_checks.is_in_time(one.found.applied_at, state):
        columns["applied_at"] = one.found.applied_at
    rows = EditState.objects.using(comparison.using)
    of_edit = {"tenant_id": comparison.tenant_id, "edit_id": one.edit_id}
    if one.found is not None:
        rows.filter(**of_edit).update(**columns)
    elif one.created_at is not None:
        rows.create(**of_edit, created_at=one.created_at, **columns)


def _damage(report: Report, comparison: Comparison) -> _Damage:
    damage = _Damage()
    if report.finding_count > len(report.findings):
        damage.all = f"the ledger has {report.finding_count} findings, too many to tell which edits they concern"
    lost = None
    for finding in report.findings:
        reason = f"the ledger does not verify: {finding.kind}: {finding.chain}: {finding.detail}"
        if finding.kind in _EVERYWHERE or (finding.chain == GOVERNANCE and finding.kind in _STRUCTURAL):
            damage.all = damage.all or reason
        elif finding.kind is Kind.NO_RECEIPT:
            continue  # the entries are proven, only the row is not
        elif finding.chain == GOVERNANCE:
            damage.some_entry = damage.some_entry or reason
            for edit_id in _edits_at(finding.seq, comparison):
                damage.edits.setdefault(edit_id, reason)
        elif finding.chain == LEAVES and finding.row is not None:
            if finding.row.table == "edit":
                damage.edits.setdefault(finding.row.id, reason)
            elif finding.row.table == "verdict":
                lost = reason
    if damage.some_entry and lost:  # the damaged entry may have named this verdict
        damage.all = damage.all or f"{damage.some_entry}; {lost}"
    return damage


def _edits_at(seq: int | None, comparison: Comparison) -> set[str]:
    """The edits that an entry of the governance chain names, as far as its bytes can be read."""
    rows = Entry.objects.using(comparison.using).filter(
        tenant_id=comparison.tenant_id, chain__name=GOVERNANCE, seq=-1 if seq is None else seq
    )
    for canonical in rows.values_list("canonical", flat=True):
        try:
            entry = parse_entry(bytes(canonical))
        except MalformedEntry:
            continue
        return {edit_id for edit_id, _ in statements_of(ProvenEntry(GOVERNANCE, entry.seq, entry))}
    return set()
