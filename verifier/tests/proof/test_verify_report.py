"""The report, and the verifier's interface."""

import pytest

from suture_verify import merkle, stored_leaves
from suture_verify.entries import GOVERNANCE
from suture_verify.findings import LEAVES, MAX_LISTED, ROWS, Findings, Kind, Row
from suture_verify.messages import finding_as_json, lines_of
from suture_verify.signatures import SignatureChecks
from suture_verify.verifier import verify_export
from tests.proof.ledgers import Ledger, digest, found, small_ledger, verify

pytestmark = pytest.mark.pure

# -- the report and the verifier


def test_the_first_finding_is_named_whatever_was_found_before_it():
    ledger = Ledger()
    for _ in range(4 * MAX_LISTED):
        ledger.add("policy.changed")
    ledger.lines[2] = ledger.lines[2]._replace(signature=bytes(64))
    del ledger.lines[4::2]
    report = verify(ledger)
    assert (report.first.kind, report.first.seq) == ("signature", 2)
    assert len(report.findings) == MAX_LISTED
    assert report.more == report.finding_count - 1 > MAX_LISTED - 2
    assert [finding.seq for finding in report.findings] == sorted(finding.seq for finding in report.findings)


def test_two_runs_find_the_same(ledger):
    ledger.lines[ledger.index(2)] = ledger.lines[ledger.index(2)]._replace(signature=bytes(64))
    del ledger.lines[ledger.index(4)]
    ledger.leaves.pop()
    assert verify(ledger).findings == verify(ledger).findings


def test_an_entry_behind_a_leaf_is_a_mistake_of_the_caller(ledger):
    with ledger.verifier() as verifier, pytest.raises(ValueError, match="before leaves"):
        verifier.entry(*ledger.lines[0])


def test_a_verifier_that_is_given_up_ends_its_threads(ledger, monkeypatch):
    closed = []
    monkeypatch.setattr(SignatureChecks, "close", lambda checks: closed.append(checks._pool.shutdown()))
    with pytest.raises(RuntimeError, match="given up"), ledger.verifier():
        raise RuntimeError("given up")
    assert closed == [None]


def test_verify_export(ledger):
    report, tenant = verify_export(ledger.file(), [ledger.note()])
    assert report.ok
    assert tenant == ledger.tenant
    assert report.entries == len(ledger.lines)


def test_an_export_that_ends_before_a_tree_head_is_older_than_it():
    """It is not reported as cut off, because an export that was made before the tree head also ends there."""
    older = small_ledger()
    ledger = older.copy()
    ledger.row()
    ledger.add("policy.changed")
    ledger.seal()
    report, _ = verify_export(older.file(), [ledger.note(), older.note()])
    (finding,) = report.findings
    assert (finding.kind, finding.chain, finding.seq) == ("older than the tree head", GOVERNANCE, older.tip().seq + 1)
    assert f"the tree head names entry {ledger.tip().seq}" in finding.detail
    assert "made 2026-05-01 00:00:00+0000" in finding.detail
    assert "Export the ledger again" in finding.kind.advice


def test_an_export_whose_leaves_were_cut_off_is_not_only_older(ledger):
    note = ledger.note()
    ledger.leaves.pop()
    report, _ = verify_export(ledger.file(), [note])
    assert {finding.kind for finding in report.findings} == {"truncated"}


def test_leaves_far_behind_the_end_cost_nothing(ledger):
    ledger.leaves.append(ledger.leaves[-1]._replace(position=2**60))
    assert ("gap", "leaves", 4) in found(ledger)


def test_a_leaf_of_the_tree_is_proved_against_a_tree_head(ledger):
    """A holder of one row and one tree head can check it without anything else."""
    note = ledger.note()
    hashes = [leaf.hash for leaf in ledger.leaves]
    path = merkle.inclusion_path(2, 4, lambda start, end: merkle.root_of(hashes[start:end]))
    assert merkle.verify_inclusion(hashes[2], 2, note.tree_head.size, path, note.tree_head.root)


def test_columns_that_differ_from_the_signed_text_are_a_mismatch(ledger):
    verifier = ledger.verifier()
    verifier.columns(GOVERNANCE, 3)
    findings = verifier.finish().findings
    assert [(one.kind, one.chain, one.seq) for one in findings] == [("content mismatch", GOVERNANCE, 3)]


@pytest.mark.parametrize(
    ("seq", "hash", "expected"),
    [
        (8, "tip", []),
        (8, "other", [("link", 8)]),
        (9, "tip", [("truncated", 9)]),
        (7, "tip", [("gap", 8)]),
        (-1, "tip", [("gap", 0)]),
    ],
)
def test_the_head_that_a_database_names_is_the_last_entry(ledger, seq, hash, expected):
    verifier = ledger.verifier()
    verifier.head(GOVERNANCE, seq, ledger.tip().hash if hash == "tip" else digest(hash))
    assert [(one.kind, one.seq) for one in verifier.finish().findings] == expected


def test_a_head_of_a_chain_without_entries_is_truncated(ledger):
    verifier = ledger.verifier()
    verifier.head("agent:nobody", -1, bytes(32))
    verifier.head("agent:bob", 0, digest("gone"))
    findings = verifier.finish().findings
    assert [(one.kind, one.chain, one.seq) for one in findings] == [("truncated", "agent:bob", 0)]


@pytest.mark.parametrize(("position", "seal"), [(0, 3), (1, 3), (2, 5), (3, 8), (4, None)])
def test_a_row_that_differs_is_named_with_the_first_seal_over_it(ledger, position, seal):
    ledger.row("chunk")
    leaf = ledger.leaves[position]
    verifier = ledger.verifier()
    verifier.row(position, digest("changed"))
    verifier.row(position, None)
    changed, gone = verifier.finish().findings
    for finding in (changed, gone):
        assert (finding.chain, finding.seq, finding.since) == (LEAVES, position, seal)
        assert finding.row == Row(leaf.kind, str(leaf.id))
        assert f"the {leaf.kind} {leaf.id}" in finding.detail
    assert (changed.kind, gone.kind) == ("content mismatch", "content missing without redaction")
    assert (changed.found, changed.expected) == (
        f"leaf hash {digest('changed').hex()}", f"leaf hash {leaf.hash.hex()}"
    )  # fmt: skip


def test_rows_are_named_though_their_leaves_are_on_disk(ledger, monkeypatch):
    monkeypatch.setattr(stored_leaves, "_BATCH", 2)
    monkeypatch.setattr(stored_leaves, "_IN_MEMORY", 100)
    for number in range(9):
        ledger.row("event" if number % 3 else "chunk")
    ledger.leaves.sort(key=lambda leaf: leaf.position)
    verifier = ledger.verifier()
    for leaf in ledger.leaves:
        verifier.row(leaf.position, bytes(32))
    verifier.row(len(ledger.leaves), bytes(32))
    findings = verifier.finish([ledger.note()]).findings
    assert [finding.row for finding in findings] == [Row(leaf.kind, str(leaf.id)) for leaf in ledger.leaves]


def test_every_kind_has_a_meaning_and_advice():
    for kind in Kind:
        assert kind.meaning.endswith(".")
        assert kind.advice.endswith(".")


def test_a_finding_is_worded_once():
    """All facts are in the lines and in the JSON."""
    findings = Findings()
    row = Row("governance_membership", "01a20484", "roles")
    findings.add(
        Kind.UNPROVEN_AUTHORITY, ROWS, None, "bob has a role", row=row, found="admin", expected="none", since=4
    )
    findings.add(Kind.UNPROVEN_AUTHORITY, ROWS, None, "eve has a role", row=Row("governance_membership", "01a20485"))
    (head, below), (other, less) = lines_of(findings.sorted())
    assert head == "authority without proof: rows: bob has a role"
    assert below == [
        "row       governance_membership 01a20484, roles",
        "found     admin",
        "expected  none",
        "since     the seal in governance entry 4",
        f"means     {Kind.UNPROVEN_AUTHORITY.meaning}",
        f"do        {Kind.UNPROVEN_AUTHORITY.advice}",
    ]
    assert (other, less) == (
        "authority without proof: rows: eve has a role", ["row       governance_membership 01a20485"]
    )  # fmt: skip
    first, second = (finding_as_json(finding) for finding in findings.sorted())
    assert first == {
        "kind": "authority without proof", "chain": "rows", "seq": None, "detail": "bob has a role",
        "table": "governance_membership", "id": "01a20484", "field": "roles", "found": "admin", "expected": "none",
        "since": 4, "meaning": Kind.UNPROVEN_AUTHORITY.meaning, "advice": Kind.UNPROVEN_AUTHORITY.advice,
    }  # fmt: skip
    assert (second["field"], second["found"], second["since"]) == (None, None, None)
