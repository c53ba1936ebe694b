"""Find edits whose rows differ from the state that the ledger proves.

The state of every edit is derived from the signed entries, the edit's row and its verdicts (states_from_proof.py), and
compared with the row that the fold reads. Plain SELECTs read the rows in the order of the edits' ids, part by part. The
entries of at most SPAN edits are kept in memory; for more edits, the entries are read again.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from governance.edits import states_from_proof
from governance.edits.statements import TYPES, EditStatements, Proposal, moment, statements_of
from governance.edits.states_from_proof import EditRow, Problem, State, VerdictRow
from governance.ledger.comparisons import Comparison
from governance.models import Edit, EditState, Verdict
from suture_verify.findings import ROWS, Kind, Row

STATES: Final = "governance_editstate"

#: Edits whose entries are kept in memory at a time: about 65 MB.
SPAN = 50_000
#: Rows read at a time.
PAGE = 2_000


class StateRow(NamedTuple):
    """The columns of an edit's state that are derived from the ledger."""

    edit_id: uuid.UUID
    status: str
    approvals: int
    approved_by: str | None
    applied_at: datetime | None


@dataclass(frozen=True, slots=True)
class Unproven:
    """An edit with rows that do not match the ledger. `state` is the state that the ledger proves, None if the state's
    row is right or the edit is missing; `found` is that row, None if it is missing."""

    edit_id: uuid.UUID
    problems: list[Problem]
    created_at: datetime | None = None
    found: StateRow | None = None
    state: State | None = None


def compare(comparison: Comparison) -> None:
    """Add a finding for every row of an edit, a verdict or a state that does not match the ledger."""
    for unproven in find(comparison):
        for one in unproven.problems:
            comparison.findings.add(
                Kind.UNPROVEN_STATE,
                ROWS,
                None,
                one.sentence,
                row=Row(one.table, one.id, one.field),
                found=one.found,
                expected=one.expected,
            )


def find(comparison: Comparison) -> Iterator[Unproven]:
    """The edits of the tenant whose rows do not match the ledger, by id."""
    after: uuid.UUID | None = None
    while True:
        edits = _within(Edit.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id), "id", after, None)
        until = edits.order_by("id").values_list("id", flat=True)[SPAN - 1 : SPAN].first()
        yield from _Part(comparison, after, until).find()
        if until is None:
            return
        after = until


class _Part:
    """The edits with ids after `after`, up to `until`."""

    def __init__(self, comparison: Comparison, after: uuid.UUID | None, until: uuid.UUID | None) -> None:
        self.comparison, self.after, self.until = comparison, after, until
        self.accounts: dict[str, EditStatements] = {}
        #: The edits made by the database, of all parts: an edit of this part may cancel one of another part.
        self.made: set[str] = set()

    def find(self) -> Iterator[Unproven]:
        self._read_entries()
        after = self.after
        while True:
            page = [EditRow(*row) for row in self._rows(Edit, "id", after, self.until, EditRow._fields)[:PAGE]]
            until = page[-1].id if len(page) == PAGE else self.until
            yield from self._compare(page, after, until)
            if len(page) < PAGE:
                break
            after = until
        for edit_id, account in self.accounts.items():  # those without rows
            seq = account.proposal.seq if account.proposal else account.decisions[0].seq
            detail = f"entry {seq} of the ledger names this edit, which is missing"
            yield Unproven(uuid.UUID(edit_id), [Problem(states_from_proof.EDITS, edit_id, None, detail)])

    def _read_entries(self) -> None:
        after = "" if self.after is None else str(self.after)
        until = None if self.until is None else str(self.until)
        for proven in self.comparison.entries(TYPES):
            for edit_id, said in statements_of(proven):
                if isinstance(said, Proposal) and said.proposed_by is None:
                    self.made.add(edit_id)
                if edit_id > after and (until is None or edit_id <= until):
                    self.accounts.setdefault(edit_id, EditStatements()).add(said)

    def _compare(self, page: list[EditRow], after: uuid.UUID | None, until: uuid.UUID | None) -> Iterator[Unproven]:
        states = {row[0]: StateRow(*row) for row in self._rows(EditState, "edit_id", after, until, StateRow._fields)}
        verdicts: dict[uuid.UUID, list[VerdictRow]] = {}
        for row in self._rows(Verdict, "edit_id", after, until, VerdictRow._fields):
            verdict = VerdictRow(*row)
            verdicts.setdefault(verdict.edit_id, []).append(verdict)
        for edit in page:
            account = self.accounts.pop(str(edit.id), None) or EditStatements()
            found = states.pop(edit.id, None)
            state, problems = states_from_proof.state_of(
                edit, account, verdicts.pop(edit.id, []), self.made.__contains__
            )
            differing = differences(edit.id, found, state, is_proposed=account.proposal is not None)
            if problems or differing:
                yield Unproven(edit.id, [*differing, *problems], edit.created_at, found, state if differing else None)
        for edit_id in states.keys() | verdicts.keys():
            rows = [(STATES, edit_id)] if edit_id in states else []
            rows += [(states_from_proof.VERDICTS, verdict.id) for verdict in verdicts.get(edit_id, ())]
            detail = f"there is no edit {edit_id}"
            yield Unproven(edit_id, [Problem(table, str(id_), None, detail) for table, id_ in rows])

    def _rows(
        self, model: Any, key: str, after: uuid.UUID | None, until: uuid.UUID | None, columns: tuple[str, ...]
    ) -> Any:
        rows = model.objects.using(self.comparison.using).filter(tenant_id=self.comparison.tenant_id)
        return _within(rows, key, after, until).order_by(key).values_list(*columns)


def _within(rows: Any, key: str, after: uuid.UUID | None, until: uuid.UUID | None) -> Any:
    if after is not None:
        rows = rows.filter(**{f"{key}__gt": after})
    if until is not None:
        rows = rows.filter(**{f"{key}__lte": until})
    return rows


def differences(edit_id: uuid.UUID, found: StateRow | None, state: State, *, is_proposed: bool) -> list[Problem]:
    """Where the row of an edit's state differs from the state that the ledger proves."""
    if not is_proposed:
        if found is None or found.status not in (states_from_proof.PENDING, states_from_proof.APPROVED):
            return []
        detail = f"status is {found.status}, but no entry of the ledger proposes the edit"
        return [Problem(STATES, str(edit_id), "status", detail, found.status, state.status)]
    if found is None:
        detail = f"it is missing, but the ledger proves that the edit is {state.status}"
        return [Problem(STATES, str(edit_id), None, detail, None, state.status)]
    compared = {
        "status": (found.status, state.status),
        "approvals": (str(found.approvals), str(state.approvals)),
        "approved_by": (found.approved_by, state.approved_by),
        "applied_at": (moment(found.applied_at) if found.applied_at else None, _application_of(state)),
    }
    return [
        Problem(
            STATES,
            str(edit_id),
            name,
            f"{name} is {has or 'not set'}, but the ledger proves {proven or 'none'}",
            has,
            proven,
        )
        for name, (has, proven) in compared.items()
        if has != proven and not (name == "applied_at" and is_in_time(found.applied_at, state))
    ]


def is_in_time(applied_at: datetime | None, state: State) -> bool:
    """Whether an edit can have been applied at this time."""
    if applied_at is None or state.applied_from is None or state.applied_until is None:
        return applied_at is state.applied_from is None
    return state.applied_from <= applied_at <= state.applied_until


def _application_of(state: State) -> str | None:
    if state.applied_from is None or state.applied_until is None:
        return None
    if state.applied_from == state.applied_until:
        return moment(state.applied_from)
    return f"a time from {moment(state.applied_from)} to {moment(state.applied_until)}"
