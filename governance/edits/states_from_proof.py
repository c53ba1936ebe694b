"""Derive the state of an edit from its signed entries, its row and its verdicts.

This module runs no queries, so that a manipulated database function cannot affect it.
"""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from governance.edits.statements import RULE, Decision, EditStatements

PENDING: Final = "pending"
APPROVED: Final = "approved"
REJECTED: Final = "rejected"
WITHDRAWN: Final = "withdrawn"
EXPIRED: Final = "expired"

EDITS: Final = "governance_edit"
VERDICTS: Final = "governance_verdict"


class EditRow(NamedTuple):
    """The columns of an edit that decide its state."""

    id: uuid.UUID
    created_at: datetime
    op: str
    target_type: str
    target_id: uuid.UUID
    patch_sha256: bytes
    approvals_required: int
    policy: str
    proposed_by: uuid.UUID
    reverts_id: uuid.UUID | None


class VerdictRow(NamedTuple):
    """The columns of a verdict that decide the state of its edit."""

    id: uuid.UUID
    edit_id: uuid.UUID
    decision: str
    decider_kind: str
    decided_by: uuid.UUID | None
    decider: str
    decided_at: datetime
    patch_sha256: bytes


class State(NamedTuple):
    """The state of an edit that the ledger proves. It was applied between two times, which are equal if an entry names
    the time."""

    status: str
    approvals: int
    approved_by: str | None
    applied_from: datetime | None
    applied_until: datetime | None


class Problem(NamedTuple):
    """A row that does not match the ledger, and its column, if it is a single one. `found` is the value of the row, and
    `expected` the value of the ledger."""

    table: str
    id: str
    field: str | None
    detail: str
    found: str | None = None
    expected: str | None = None

    @property
    def sentence(self) -> str:
        """The problem with its row."""
        return f"{self.table} {self.id}: {self.detail}"


def state_of(
    edit: EditRow, account: EditStatements, verdicts: Sequence[VerdictRow], made: Callable[[str], bool]
) -> tuple[State, list[Problem]]:
    """The state of an edit that its entries prove, and the rows that do not match them. `made` says whether the
    database has made an edit.

    An edit that no entry proposes has no effect and cannot be decided: it counts as expired.
    """
    derivation = _Derivation(edit, account, verdicts)
    derivation.check_proposal(made)
    if account.proposal is None:
        derivation.state = State(EXPIRED, 0, None, None, None)
    for decision in account.decisions:
        derivation.take(decision)
    derivation.check_rest()
    return derivation.state, derivation.problems


class _Derivation:
    """The state of one edit while its decisions are applied in order."""

    def __init__(self, edit: EditRow, account: EditStatements, verdicts: Sequence[VerdictRow]) -> None:
        self.edit, self.account = edit, account
        self.verdicts = {str(verdict.id): verdict for verdict in verdicts}
        self.problems: list[Problem] = []
        self.state = State(PENDING, 0, None, None, None)
        self.approvers: set[str] = set()
        self.proposers = {str(edit.proposed_by)}
        said = account.proposal.approvals_required if account.proposal else None
        self.required = edit.approvals_required if said is None else said

    def check_proposal(self, made: Callable[[str], bool]) -> None:
        """Compare the row with the entry that proposes it."""
        edit, proposal = self.edit, self.account.proposal
        if proposal is None:
            self._find_edit(None, "no entry of the ledger proposes it")
            return
        for seq in self.account.repeated:
            self._find_edit(None, f"entry {seq} proposes it again")
        said: dict[str, tuple[object, object]] = {
            "op": (edit.op, proposal.op),
            "target_type": (edit.target_type, proposal.target_type),
            "target_id": (str(edit.target_id), proposal.target_id),
            "patch_sha256": (bytes(edit.patch_sha256).hex(), proposal.patch_sha256),
            "approvals_required": (edit.approvals_required, proposal.approvals_required),
            "policy": (edit.policy, proposal.policy),
            "proposed_by": (str(edit.proposed_by), proposal.proposed_by),
        }
        # the pending revert that would show derived memory has an entry by the person who hides its source
        if edit.op == "revert" and edit.reverts_id is not None and made(str(edit.reverts_id)):
            del said["proposed_by"]
        elif proposal.proposed_by is not None:
            self.proposers.add(proposal.proposed_by)
        for name, (found, expected) in said.items():
            if expected is not None and found != expected:
                detail = f"{name} is {found}, but entry {proposal.seq} of the ledger says {expected}"
                self._find_edit(name, detail, str(found), str(expected))

    def take(self, one: Decision) -> None:
        """Apply the next decision, unless the rules of approval forbid it."""
        verdict = self._verdict_of(one)
        if self.state.status != PENDING:
            self._find_edit(None, f"entry {one.seq} decides it, but it was already {self.state.status}")
        elif one.decision == APPROVED:
            self._approve(one, verdict)
        elif one.decision == WITHDRAWN and one.actor_id not in self.proposers:
            self._find_verdict(one, "decided_by", f"entry {one.seq} withdraws it for someone who did not propose it")
        elif one.decision == REJECTED and one.actor_id in self.proposers:
            self._find_verdict(one, "decided_by", f"entry {one.seq} rejects it for its proposer")
        else:
            self.state = self.state._replace(status=one.decision)

    def check_rest(self) -> None:
        """Report the verdicts without an entry."""
        for verdict in self.verdicts.values():
            detail = f"no entry of the ledger names this verdict ({verdict.decision}) on edit {self.edit.id}"
            self.problems.append(Problem(VERDICTS, str(verdict.id), None, detail))

    def _approve(self, one: Decision, verdict: VerdictRow | None) -> None:
        if one.verdict is not None:
            if one.actor_kind != "human":
                self._find_verdict(
                    one, "decider_kind", f"entry {one.seq} approves it for {one.actor}, who is not a person"
                )
                return
            if one.actor_id in self.proposers:
                self._find_verdict(one, "decided_by", f"entry {one.seq} approves it for its proposer")
                return
            if one.actor_id in self.approvers:
                self._find_verdict(one, "decided_by", f"entry {one.seq} approves it for the same person again")
                return
            self.approvers.add(one.actor_id)
            self.state = self.state._replace(approvals=len(self.approvers))
        if not one.is_in_effect:
            return
        if len(self.approvers) < self.required:
            detail = f"entry {one.seq} applies it with {len(self.approvers)} of {self.required} approvals"
            self._find_edit("approvals_required", detail)
            return
        earliest = verdict.decided_at if verdict else self.edit.created_at
        self.state = self.state._replace(
            status=APPROVED,
            approved_by=one.actor if one.verdict else f"{RULE}{self.edit.policy}",
            applied_from=one.applied_at or min(earliest, one.ts),
            applied_until=one.applied_at or one.ts,
        )

    def _verdict_of(self, one: Decision) -> VerdictRow | None:
        """The row of the verdict that an entry names, compared with the entry."""
        if one.verdict is None:
            rules = [row for row in self.verdicts.values() if row.decider_kind == "policy" and row.decision == APPROVED]
            if not rules:
                self._find_edit(None, f"entry {one.seq} names a verdict of the policy on it, which is missing")
                return None
            return self.verdicts.pop(str(rules[0].id))
        row = self.verdicts.pop(one.verdict, None)
        if row is None:
            detail = f"entry {one.seq} names this verdict on edit {self.edit.id}, which has no such verdict"
            self.problems.append(Problem(VERDICTS, one.verdict, None, detail))
            return None
        is_by_somebody = one.decision != EXPIRED
        said: dict[str, tuple[object, object]] = {
            "decision": (row.decision, one.decision),
            "decided_by": (row.decided_by and str(row.decided_by), one.actor_id if is_by_somebody else None),
            "patch_sha256": (bytes(row.patch_sha256).hex(), one.patch_sha256 or bytes(row.patch_sha256).hex()),
        }
        for name, (found, expected) in said.items():
            if found != expected:
                detail = f"{name} is {found}, but entry {one.seq} of the ledger says {expected}"
                self._find_verdict(one, name, detail, str(found), str(expected))
        return row

    def _find_edit(self, field: str | None, detail: str, found: str | None = None, expected: str | None = None) -> None:
        self.problems.append(Problem(EDITS, str(self.edit.id), field, detail, found, expected))

    def _find_verdict(
        self, one: Decision, field: str, detail: str, found: str | None = None, expected: str | None = None
    ) -> None:
        self.problems.append(Problem(VERDICTS, str(one.verdict), field, detail, found, expected))
