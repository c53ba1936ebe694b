"""The tree of rows, references of entries, and erased words."""

import json
import uuid

import pytest

from suture_verify.entries import GOVERNANCE
from suture_verify.verifier import Verifier
from tests.proof.ledgers import ALICE, Ledger, digest, found, small_ledger, verify

pytestmark = pytest.mark.pure

# -- the tree


def test_a_changed_leaf_does_not_give_the_seals_root(ledger):
    ledger.leaves[0] = ledger.leaves[0]._replace(hash=digest("changed"))
    seals = [line.seq for line in ledger.lines if b'"type":"seal"' in line.canonical]
    assert found(ledger) == [("seal mismatch", GOVERNANCE, seq) for seq in seals]


def test_a_changed_leaf_is_found_by_a_tree_head_though_the_seals_were_made_again():
    ledger = small_ledger()
    note = ledger.note()
    ledger.leaves[3] = ledger.leaves[3]._replace(hash=digest("changed"))
    tip = json.loads(ledger.tip().canonical)["metadata"]
    ledger.rewrite(ledger.tip().seq, ledger.keys[GOVERNANCE], metadata=tip | {"root": ledger.root().hex()})
    assert found(ledger) == []
    assert found(ledger, note)[0][0] == "split view"


def test_a_leaf_taken_out_or_moved_is_a_gap(ledger):
    taken = ledger.copy()
    del taken.leaves[1]
    assert ("gap", "leaves", 1) in found(taken)
    ledger.leaves[1], ledger.leaves[2] = ledger.leaves[2], ledger.leaves[1]
    assert ("gap", "leaves", 1) in found(ledger)


def test_leaves_cut_off_are_truncated(ledger):
    ledger.leaves.pop()
    assert found(ledger) == [("truncated", GOVERNANCE, ledger.tip().seq)]


@pytest.mark.parametrize(
    "changes",
    [
        {"root": digest("another").hex()},
        {"root": None},
        {"previous_size": 3},
        {"previous_size": 99},
        {"size": "many"},
        {"chains": {ALICE: [1, "00"]}},
        {"chains": {ALICE: [-1, "00" * 32]}},
        {"chains": [ALICE]},
    ],
)
def test_a_seal_that_says_something_else_is_found(ledger, changes):
    entry = ledger.seal(**changes)
    assert ("seal mismatch", GOVERNANCE, entry.seq) in found(ledger)


def test_a_seal_that_names_another_head_of_a_chain_is_found(ledger):
    tip = ledger.tip(ALICE)
    ledger.seal(chains={ALICE: [tip.seq, digest("another").hex()]})
    for is_reverse in (False, True):
        ledger.lines.sort(key=lambda line: line.chain, reverse=is_reverse)
        assert found(ledger) == [("seal mismatch", ALICE, tip.seq)]


def test_seals_of_nothing_are_whole():
    ledger = Ledger()
    ledger.seal()
    ledger.seal()
    assert found(ledger, ledger.note()) == []
    bad = ledger.seal(root=digest("another").hex())
    assert found(ledger) == [("seal mismatch", GOVERNANCE, bad.seq)]
    ledger.row()
    ledger.seal()
    assert found(ledger) == [("seal mismatch", GOVERNANCE, bad.seq)]


def test_many_leaves_are_sealed_block_by_block():
    ledger = Ledger()
    for count in (1, 4095, 1, 5000):
        for _ in range(count):
            ledger.row()
        ledger.seal()
    sizes = [0, 1, 4096, 4097, 6000, 9097]
    report = verify(ledger, *(ledger.note(size=size, root=ledger.root(size)) for size in sizes))
    assert (report.ok, report.leaves, report.tree_heads) == (True, 9097, 6)


# -- what leaves say that they are


@pytest.fixture
def labelled():
    """Two seals, the first of which has three events and two chunks, and the second an event and a chunk."""
    ledger = Ledger()
    ledger.add()
    for kinds in (("event", "event", "event", "chunk", "chunk"), ("event", "chunk")):
        for kind in kinds:
            ledger.row(kind)
        ledger.seal()
    assert found(ledger) == []
    return ledger


def relabel(ledger, **labels):
    """`relabel(ledger, at_3="event")` changes what leaf 3 says that it is, `at_3=(1, +5)` its id to 5 more than leaf
    1's; the leaf hash stays."""
    ids = [leaf.id.int for leaf in ledger.leaves]
    for place, label in labels.items():
        position = int(place.removeprefix("at_"))
        changed = {"kind": label} if isinstance(label, str) else {"id": uuid.UUID(int=ids[label[0]] + label[1])}
        ledger.leaves[position] = ledger.leaves[position]._replace(**changed)


@pytest.mark.parametrize(
    "labels",
    [
        {"at_0": "edit"},
        {"at_2": "chunk"},
        {"at_3": "event"},
        {"at_4": "verdict"},
        # the counts stay
        {"at_0": "chunk", "at_3": "event"},
        {"at_2": "chunk", "at_4": "event"},
    ],
)
def test_a_leaf_that_says_another_kind_is_found(labelled, labels):
    relabel(labelled, **labels)
    findings = verify(labelled).findings
    assert {finding.kind.value for finding in findings} == {"seal mismatch"}
    # of the first seal alone
    seals = [line.seq for line in labelled.lines if b'"type":"seal"' in line.canonical]
    assert {finding.seq for finding in findings if finding.chain == GOVERNANCE} <= {seals[0]}


@pytest.mark.parametrize(
    "labels",
    [
        {"at_0": (1, +1)},
        {"at_1": (0, -1)},
        {"at_2": (1, 0)},
        {"at_4": (0, 0)},
        {"at_0": (1, 0), "at_1": (0, 0)},
        {"at_3": (4, 0), "at_4": (3, 0)},
    ],
)
def test_a_leaf_that_says_another_id_out_of_order_is_found(labelled, labels):
    relabel(labelled, **labels)
    assert {(kind, place) for kind, place, _ in found(labelled)} == {("seal mismatch", "leaves")}


def test_relabels_that_keep_the_order_are_only_found_with_the_database(labelled):
    """The limit that docs/ledger.md states: kinds exchanged as a whole, and an id between its neighbours'."""
    relabel(labelled, at_0="chunk", at_1="chunk", at_3="event", at_4="event")
    relabel(labelled, at_5="chunk", at_6="event")
    relabel(labelled, at_1=(0, +1), at_6=(6, +1))
    assert found(labelled) == []


def test_leaves_after_the_last_seal_are_not_checked():
    ledger = small_ledger()
    ledger.row("chunk", uuid.UUID(int=9))
    ledger.row("event", uuid.UUID(int=1))
    ledger.row("chunk", uuid.UUID(int=8))
    assert found(ledger) == []


@pytest.mark.parametrize("counts", [None, [1], {"event": 0}, {"event": "1"}, {"event": True}])
def test_a_seal_whose_counts_cannot_be_read_is_found(ledger, counts):
    entry = ledger.seal(counts=counts)
    assert ("seal mismatch", GOVERNANCE, entry.seq) in found(ledger)


# -- references and contents


@pytest.mark.parametrize("kind", ["edit", "verdict"])
def test_a_reference_to_a_row_that_two_seals_passed_over_dangles(ledger, kind):
    entry = ledger.add("edit.approved", **{kind: str(uuid.uuid4())})
    ledger.seal()
    assert found(ledger) == []  # it may be sealed yet
    ledger.seal()
    assert found(ledger) == [("dangling reference", GOVERNANCE, entry.seq)]


@pytest.mark.parametrize("hours", [-1, 1])
def test_no_clock_decides_whether_a_reference_dangles(ledger, hours):
    ledger.add(chain=ALICE)
    ledger.seal()
    ledger.seal()
    ledger.clock += 3600 * hours
    entry = ledger.add("edit.proposed", chain="agent:bob", edit=str(uuid.uuid4()))
    ledger.clock -= 3600 * hours
    assert found(ledger) == []  # no seal has named this entry yet
    ledger.seal()
    assert found(ledger) == []
    ledger.seal()
    assert found(ledger) == [("dangling reference", "agent:bob", entry.seq)]


def test_an_edit_that_a_batch_names_is_a_reference_too(ledger):
    known = uuid.uuid4()
    ledger.row("edit", known)
    ledger.add("edits.proposed", edits=[str(known)])
    entry = ledger.add("edits.proposed", edits=[str(known), str(uuid.uuid4()), 7])
    ledger.seal()
    ledger.seal()
    assert found(ledger) == [("dangling reference", GOVERNANCE, entry.seq)]


@pytest.mark.parametrize("edits", [None, "an edit", 7, {"an": "edit"}])
def test_a_batch_that_names_no_list_of_edits_refers_to_none(ledger, edits):
    ledger.add("edits.proposed", edits=edits)
    ledger.seal()
    ledger.seal()
    assert found(ledger) == []


def test_a_reference_that_is_sealed_late_does_not_dangle(ledger):
    edit = uuid.uuid4()
    ledger.add("edit.proposed", edit=str(edit))
    ledger.seal()
    ledger.row("edit", edit)
    ledger.seal()
    assert found(ledger) == []


def test_a_reference_needs_a_row_of_the_right_kind(ledger):
    edit = uuid.uuid4()
    ledger.row("event", edit)
    entry = ledger.add("edit.proposed", edit=str(edit))
    ledger.seal()
    ledger.seal()
    assert found(ledger) == [("dangling reference", GOVERNANCE, entry.seq)]


def test_a_missing_content_is_a_fault_unless_a_redaction_names_it(ledger):
    erased, lost = uuid.uuid4(), uuid.uuid4()
    ledger.add("redaction", erasure=str(uuid.uuid4()), contents=[[str(erased), digest("erased").hex()]])
    verifier = ledger.verifier()
    verifier.content(erased, "missing")
    assert (report := verifier.finish()).ok
    assert report.erased == 1
    verifier = ledger.verifier()
    verifier.content(lost, "missing")
    (finding,) = verifier.finish().findings
    assert (finding.kind, finding.chain) == ("content missing without redaction", "content")
    assert str(lost) in finding.detail


def test_a_redaction_does_not_account_for_a_hash_that_its_erasure_left(ledger):
    """Without it, the leaf cannot be recomputed, and the row may have any content."""
    erased = uuid.uuid4()
    ledger.add("redaction", erasure=str(uuid.uuid4()), contents=[[str(erased), digest("erased").hex()]])
    verifier = ledger.verifier()
    verifier.content(erased, "lost")
    (finding,) = verifier.finish().findings
    assert (finding.kind, finding.detail) == (
        "content missing without redaction",
        f"the words of {erased} were erased, and their hash, which the erasure left, is missing",
    )


def test_a_redaction_that_was_changed_accounts_for_nothing(ledger):
    erased = uuid.uuid4()
    entry = ledger.add("redaction", ALICE, erasure="one", contents=[[str(uuid.uuid4()), digest("erased").hex()]])
    fields = json.loads(entry.canonical)
    fields["metadata"]["contents"][0][0] = str(erased)
    ledger.lines[-1] = entry._replace(canonical=json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())
    verifier = ledger.verifier()
    verifier.content(erased, "missing")
    kinds = [finding.kind for finding in verifier.finish().findings]
    assert kinds == ["link", "content missing without redaction"]


def test_a_redaction_that_cannot_be_read_is_malformed(ledger):
    entry = ledger.add("redaction", contents=["what"])
    assert found(ledger) == [("malformed", GOVERNANCE, entry.seq)]


def test_altered_words_are_a_mismatch_even_where_a_redaction_names_them(ledger):
    id_ = uuid.uuid4()
    ledger.add("redaction", contents=[[str(id_), digest("erased").hex()]])
    verifier = ledger.verifier()
    verifier.content(id_, "altered")
    assert [finding.kind for finding in verifier.finish().findings] == ["content mismatch"]


def test_rows_are_compared_with_their_leaves(ledger):
    verifier = ledger.verifier()
    verifier.row(0, ledger.leaves[0].hash)
    verifier.row(1, digest("changed"))
    verifier.row(2, None)
    findings = verifier.finish().findings
    assert [(one.kind, one.chain, one.seq) for one in findings] == [
        ("content mismatch", "leaves", 1),
        ("content missing without redaction", "leaves", 2),
    ]


def test_rows_are_compared_in_any_order_among_leaves():
    ledger = Ledger()
    for _ in range(9000):
        ledger.row()
    ledger.seal()
    with Verifier(ledger.tenant) as verifier:
        for line in ledger.lines:
            verifier.entry(*line)
        for leaf in ledger.leaves:
            verifier.leaf(*leaf)
            verifier.row(leaf.position // 2, ledger.leaves[leaf.position // 2].hash)
        assert verifier.finish().ok
