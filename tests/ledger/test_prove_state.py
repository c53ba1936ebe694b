"""The rules by which the state of an edit follows from its entries: what breaks them proves no effect."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from governance.edits.statements import EditStatements, moment, statements_of
from governance.edits.states_from_proof import EditRow, State, VerdictRow, state_of
from governance.ledger.comparisons import ProvenEntry
from suture_verify.entries import Entry

pytestmark = pytest.mark.pure

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
EDIT, TARGET, ALICE, BOB, ANN = (uuid.UUID(int=number) for number in range(1, 6))
PATCH = bytes(32)


class Ledger:
    """The entries and verdicts of one edit that alice proposed."""

    def __init__(self, approvals_required=1):
        self.account = EditStatements()
        self.verdicts = []
        self.edit = EditRow(EDIT, NOON, "retract", "chunk", TARGET, PATCH, approvals_required, "standard", ALICE, None)
        self.say(
            "edit.proposed", ALICE, kind="agent", op="retract", target_type="chunk", target_id=str(TARGET),
            patch_sha256=PATCH.hex(), approvals_required=approvals_required, policy="standard",
        )  # fmt: skip

    def say(self, type, by, *, kind="human", **metadata):
        """One more entry."""
        seq = len(self.account.decisions) + (self.account.proposal is not None)
        actor = {"kind": kind, "id": str(by), "name": f"person {by.int}"}
        said = {"edit": str(EDIT), "actor": actor, **metadata}
        entry = Entry("", "governance", seq, NOON + timedelta(minutes=seq), type, "", None, PATCH, said)
        for edit, statement in statements_of(ProvenEntry("governance", seq, entry)):
            assert edit == str(EDIT)
            self.account.add(statement)

    def decide(self, decision, by, *, kind="human", **metadata):
        """A verdict with its entry."""
        verdict = VerdictRow(uuid.uuid4(), EDIT, decision, kind, None if decision == "expired" else by, "", NOON, PATCH)
        self.verdicts.append(verdict)
        self.say(f"edit.{decision}", by, kind=kind, verdict=str(verdict.id), reason="", **metadata)

    def approve(self, by, *, in_effect=True, **metadata):
        self.decide("approved", by, patch_sha256=PATCH.hex(), in_effect=in_effect, **metadata)

    def proven(self):
        state, problems = state_of(self.edit, self.account, self.verdicts, lambda edit: False)
        return state, [one.detail for one in problems]


def test_it_works():
    ledger = Ledger()
    at = NOON + timedelta(microseconds=7)
    ledger.approve(BOB, applied_at=moment(at))

    assert ledger.proven() == (State("approved", 1, "person 4", at, at), [])


def test_without_a_decision_it_is_pending():
    assert Ledger().proven() == (State("pending", 0, None, None, None), [])


@pytest.mark.parametrize(("decision", "by"), [("rejected", BOB), ("withdrawn", ALICE), ("expired", BOB)])
def test_other_ends(decision, by):
    ledger = Ledger()
    ledger.decide(decision, by, **({"patch_sha256": PATCH.hex(), "in_effect": False} if decision == "rejected" else {}))

    assert ledger.proven() == (State(decision, 0, None, None, None), [])


def test_an_approval_by_its_proposer_counts_for_nothing():
    ledger = Ledger()
    ledger.approve(ALICE)

    state, problems = ledger.proven()

    assert state.status == "pending"
    assert problems == ["entry 1 approves it for its proposer"]


def test_an_approval_by_an_agent_counts_for_nothing():
    ledger = Ledger()
    ledger.decide("approved", BOB, kind="agent", patch_sha256=PATCH.hex(), in_effect=True)

    state, problems = ledger.proven()

    assert state.status == "pending"
    assert problems == ["entry 1 approves it for person 4, who is not a person"]


def test_two_approvals_by_one_person_count_as_one():
    ledger = Ledger(approvals_required=2)
    ledger.approve(BOB, in_effect=False)
    ledger.approve(BOB)

    state, problems = ledger.proven()

    assert (state.status, state.approvals) == ("pending", 1)
    assert problems == ["entry 2 approves it for the same person again"]


def test_two_people_approve():
    ledger = Ledger(approvals_required=2)
    ledger.approve(BOB, in_effect=False)
    ledger.approve(ANN)

    state, problems = ledger.proven()

    assert (state.status, state.approvals, state.approved_by, problems) == ("approved", 2, "person 5", [])
    # the entry does not name the moment: it is that of the verdict or later, and before the entry
    assert (state.applied_from, state.applied_until) == (NOON, NOON + timedelta(minutes=2))


def test_one_approval_where_two_are_needed_applies_nothing():
    ledger = Ledger(approvals_required=2)
    ledger.approve(BOB)

    state, problems = ledger.proven()

    assert state.status == "pending"
    assert problems == ["entry 1 applies it with 1 of 2 approvals"]


def test_a_rule_applies_nothing_that_needs_approval():
    ledger = Ledger()
    ledger.verdicts.append(VerdictRow(uuid.uuid4(), EDIT, "approved", "policy", None, "policy:standard", NOON, PATCH))
    ledger.say("edit.approved", ALICE, kind="agent", decided_by="policy:standard", in_effect=True)

    state, problems = ledger.proven()

    assert state.status == "pending"
    assert problems == ["entry 1 applies it with 0 of 1 approvals"]


def test_a_decision_after_the_end_changes_nothing():
    ledger = Ledger()
    ledger.decide("rejected", BOB, patch_sha256=PATCH.hex(), in_effect=False)
    ledger.approve(ANN)

    state, problems = ledger.proven()

    assert state.status == "rejected"
    assert problems == ["entry 2 decides it, but it was already rejected"]


def test_a_withdrawal_by_somebody_else_changes_nothing():
    ledger = Ledger()
    ledger.decide("withdrawn", BOB)

    state, problems = ledger.proven()

    assert state.status == "pending"
    assert problems == ["entry 1 withdraws it for someone who did not propose it"]


def test_a_verdict_without_its_entry_and_an_entry_without_its_verdict():
    ledger = Ledger()
    ledger.approve(BOB)
    (verdict,) = ledger.verdicts
    other = verdict._replace(id=uuid.uuid4())
    ledger.verdicts = [other]

    state, problems = ledger.proven()

    assert state.status == "approved"
    assert problems == [
        f"entry 1 names this verdict on edit {EDIT}, which has no such verdict",
        f"no entry of the ledger names this verdict (approved) on edit {EDIT}",
    ]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("op", "amend"),
        ("target_type", "decision"),
        ("target_id", BOB),
        ("patch_sha256", bytes(31) + b"1"),
        ("approvals_required", 0),
        ("policy", "open"),
        ("proposed_by", BOB),
    ],
)
def test_a_row_that_differs_from_its_proposal(column, value):
    ledger = Ledger()
    ledger.edit = ledger.edit._replace(**{column: value})

    _, (problem,) = ledger.proven()

    assert problem.startswith(f"{column} is ")
    assert "but entry 0 of the ledger says" in problem


@pytest.mark.parametrize(("column", "value"), [("decision", "rejected"), ("decided_by", ANN), ("patch_sha256", b"1")])
def test_a_verdict_that_differs_from_its_entry(column, value):
    ledger = Ledger()
    ledger.approve(BOB)
    ledger.verdicts = [ledger.verdicts[0]._replace(**{column: value})]

    state, (problem,) = ledger.proven()

    assert state.approved_by == "person 4"
    assert problem.startswith(f"{column} is ")


def test_a_second_proposal_is_named():
    ledger = Ledger()
    ledger.say(
        "edit.proposed", BOB, op="amend", target_type="chunk", target_id=str(TARGET), patch_sha256="",
        approvals_required=0, policy="open",
    )  # fmt: skip

    assert ledger.proven()[1] == ["entry 1 proposes it again"]


@pytest.mark.parametrize(
    "metadata",
    [{}, {"edit": 5}, {"edit": "no id", "verdict": "x"}, {"edit": str(EDIT), "verdict": 5, "actor": None},
     {"edit": str(EDIT), "verdict": str(BOB), "in_effect": True, "applied_at": "2026-11-22"}],
)  # fmt: skip
def test_an_entry_of_another_form_says_nothing(metadata):
    actor = {"kind": "human", "id": str(BOB), "name": "bob"}
    entry = Entry("", "governance", 5, NOON, "edit.approved", "", None, PATCH, {"actor": actor, **metadata})

    assert list(statements_of(ProvenEntry("governance", 5, entry))) == []
