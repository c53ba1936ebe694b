"""Every way of tampering is found, and intact ledgers have no findings."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from suture_verify.entries import GOVERNANCE
from tests.proof.ledgers import ALICE, Ledger, digest, found, small_ledger, verify

pytestmark = pytest.mark.pure

STRANGER = Ed25519PrivateKey.generate()


def test_a_whole_ledger_has_nothing_to_find(ledger):
    report = verify(ledger, ledger.note())
    assert report.ok
    assert (report.first, report.more) == (None, 0)
    assert (report.entries, report.chains, report.leaves, report.seals) == (len(ledger.lines), 2, 4, 3)
    assert (report.signatures, report.tree_heads, report.unsealed, report.erased) == (len(ledger.lines), 1, 0, 0)
    assert report.signatures_per_second > 0


def test_chains_may_come_in_any_order(ledger):
    ledger.lines.sort(key=lambda line: line.chain, reverse=True)
    assert found(ledger, ledger.note()) == []
    ledger.lines.sort(key=lambda line: line.chain)
    assert found(ledger, ledger.note()) == []


def test_an_older_tree_head_fits_too(ledger):
    before = ledger.note()
    ledger.row()
    ledger.add("tenant.created")
    ledger.seal()
    assert found(ledger, before, ledger.note()) == []


def test_rows_that_wait_for_their_seal_are_counted_and_no_fault(ledger):
    ledger.row()
    report = verify(ledger)
    assert (report.ok, report.unsealed) == (True, 1)


WHOLE = small_ledger()
FIELDS = ["chain", "seq", "canonical", "hash", "signature"]


@settings(max_examples=300)
@given(data=st.data())
def test_one_bit_flipped_in_any_field_of_any_entry_is_found(data):
    ledger = WHOLE.copy()
    at = data.draw(st.integers(0, len(ledger.lines) - 1), label="entry")
    line = ledger.lines[at]
    field = data.draw(st.sampled_from(FIELDS), label="field")
    value = getattr(line, field)
    if field == "seq":
        flipped = value ^ 1 << data.draw(st.integers(0, 40))
    else:
        raw = bytearray(value.encode() if field == "chain" else value)
        raw[data.draw(st.integers(0, len(raw) - 1), label="byte")] ^= 1 << data.draw(st.integers(0, 7), label="bit")
        flipped = raw.decode("latin-1") if field == "chain" else bytes(raw)
    ledger.lines[at] = line._replace(**{field: flipped})
    report = verify(ledger)
    assert not report.ok
    if field in ("canonical", "hash", "signature"):
        first = report.first
        assert (first.chain, first.seq) == (line.chain, line.seq)
        assert first.kind in ({"signature", "key"} if field == "signature" else {"link"})


@pytest.mark.parametrize("field", ["type", "ts", "retention", "content_hash", "prev_hash", "metadata", "tenant"])
def test_a_changed_field_is_found_at_its_entry_though_the_hash_was_made_again(ledger, field):
    at = ledger.index(3)
    fields = json.loads(ledger.lines[at].canonical)
    other = {"content_hash": "0" * 64, "prev_hash": "0" * 64, "metadata": {}, "ts": "2026-05-01T00:00:03.500000+00:00"}
    fields[field] = other.get(field, "other")
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    ledger.lines[at] = ledger.lines[at]._replace(canonical=canonical, hash=digest(canonical.decode()))
    report = verify(ledger)
    assert (report.first.chain, report.first.seq) == (GOVERNANCE, 3)


# -- deleting, inserting, moving


def test_a_deleted_tip_is_found_by_a_tree_head_and_by_nothing_else(ledger):
    ledger.add("policy.changed")
    note = ledger.note()
    tip = ledger.lines.pop()
    assert found(ledger) == []
    assert found(ledger, note) == [("truncated", GOVERNANCE, tip.seq)]


def test_a_deleted_seal_at_the_tip_is_found_by_a_tree_head(ledger):
    note = ledger.note()
    tip = ledger.lines.pop()
    assert found(ledger, note) == [("truncated", GOVERNANCE, tip.seq)]


def test_deleted_entries_in_the_middle_are_a_gap(ledger):
    for seq in (2, 3):
        del ledger.lines[ledger.index(seq)]
    assert found(ledger)[0] == ("gap", GOVERNANCE, 2)


def test_a_deleted_beginning_is_a_gap(ledger):
    del ledger.lines[ledger.index(0)]
    assert found(ledger) == [("gap", GOVERNANCE, 0)]


def test_a_deleted_entry_whose_place_was_closed_is_found(ledger):
    at = ledger.index(2)
    del ledger.lines[at]
    for position, line in enumerate(ledger.lines):
        if line.chain == GOVERNANCE and line.seq > 2:
            ledger.lines[position] = line._replace(seq=line.seq - 1)
    kinds = found(ledger)
    assert kinds[0] == ("gap", GOVERNANCE, 2)
    assert ("link", GOVERNANCE, 2) in kinds


def test_two_entries_swapped_are_a_gap(ledger):
    first, second = ledger.index(2), ledger.index(3)
    ledger.lines[first], ledger.lines[second] = ledger.lines[second], ledger.lines[first]
    assert found(ledger)[0] == ("gap", GOVERNANCE, 2)


def test_two_entries_that_swapped_places_and_numbers_are_found(ledger):
    first, second = ledger.index(2), ledger.index(3)
    one, other = ledger.lines[first], ledger.lines[second]
    ledger.lines[first], ledger.lines[second] = other._replace(seq=2), one._replace(seq=3)
    kinds = found(ledger)
    assert kinds[0] == ("gap", GOVERNANCE, 2)
    assert ("link", GOVERNANCE, 2) in kinds
    assert ("time", GOVERNANCE, 3) in kinds


def test_a_copy_put_in_is_a_gap(ledger):
    at = ledger.index(3)
    ledger.lines.insert(at + 1, ledger.lines[at])
    assert found(ledger) == [("gap", GOVERNANCE, 3)]


def test_a_whole_chain_deleted_is_missing_from_the_seals(ledger):
    ledger.lines = [line for line in ledger.lines if line.chain == GOVERNANCE]
    assert ("truncated", ALICE, 0) in found(ledger)


def test_the_governance_chain_deleted_is_found(ledger):
    ledger.lines = [line for line in ledger.lines if line.chain == ALICE]
    assert ("gap", GOVERNANCE, 0) in found(ledger)


def test_an_empty_ledger_is_not_whole():
    assert found(Ledger()) == [("gap", GOVERNANCE, 0)]


def test_an_agents_chain_cut_behind_a_seal_is_truncated(ledger):
    tip = ledger.tip(ALICE)
    ledger.lines.remove(tip)
    assert found(ledger) == [("truncated", ALICE, tip.seq)]


# -- rewriting


def test_entries_signed_again_with_another_key_are_found(ledger):
    ledger.rewrite(7, STRANGER, type="edit.rejected")
    assert found(ledger) == [("key", GOVERNANCE, 7), ("key", GOVERNANCE, 8)]


def test_a_whole_chain_signed_again_with_another_key_is_found_by_a_tree_head():
    ledger = Ledger()
    ledger.add("policy.changed")
    ledger.add("policy.changed")
    note = ledger.note()
    public = STRANGER.public_key().public_bytes_raw().hex()
    ledger.rewrite(0, STRANGER, metadata={"public_key": public})
    assert found(ledger) == []
    assert found(ledger, note) == [("key", GOVERNANCE, 2)]


def test_an_agents_chain_rewritten_as_a_whole_is_found_by_the_seals(ledger):
    public = STRANGER.public_key().public_bytes_raw().hex()
    ledger.rewrite(0, STRANGER, chain=ALICE, metadata={"public_key": public})
    assert found(ledger)[0] == ("seal mismatch", ALICE, 1)


def test_a_chain_rewritten_with_its_own_key_is_found_by_an_older_tree_head(ledger):
    note = ledger.note()
    ledger.rewrite(7, ledger.keys[GOVERNANCE], type="edit.rejected")
    assert found(ledger) == []
    assert found(ledger, note) == [("split view", GOVERNANCE, note.tree_head.seq)]


def test_a_restored_old_backup_is_truncated():
    backup = small_ledger()
    ledger = backup.copy()
    ledger.row()
    ledger.add("policy.changed")
    ledger.seal()
    end = backup.tip().seq + 1
    assert found(backup, ledger.note())[0] == ("truncated", GOVERNANCE, ledger.tip().seq - 1) == (
        "truncated", GOVERNANCE, end,
    )  # fmt: skip


def test_a_restored_old_backup_that_grew_again_is_a_split_view():
    backup = small_ledger()
    ledger = backup.copy()
    for other in (ledger, backup):
        other.row()
        other.add("policy.changed")
        other.seal()
    assert found(backup) == []
    assert found(backup, ledger.note())[0][0] == "split view"


def test_two_tree_heads_of_one_size_with_different_roots_are_a_split_view(ledger):
    notes = [ledger.note(), ledger.note(root=digest("another tree"))]
    kinds = found(ledger, *notes)
    assert kinds == [("split view", GOVERNANCE, ledger.tip().seq)]
    assert "two tree heads" in verify(ledger, *notes).first.detail


def test_two_tree_heads_of_one_entry_with_different_hashes_are_a_split_view(ledger):
    notes = [ledger.note(), ledger.note(head=digest("another entry"))]
    assert "two tree heads" in verify(ledger, *notes).first.detail


def test_a_tree_head_of_more_leaves_than_there_are_is_truncated(ledger):
    note = ledger.note(size=9)
    assert found(ledger, note) == [("truncated", GOVERNANCE, ledger.tip().seq)]


def test_a_tree_head_of_another_root_is_a_split_view(ledger):
    assert found(ledger, ledger.note(size=2)) == [("split view", GOVERNANCE, ledger.tip().seq)]


def test_a_tree_head_of_any_size_is_compared(ledger):
    assert found(ledger, *(ledger.note(size=size, root=ledger.root(size)) for size in range(5))) == []


# -- other tenants and chains


def test_the_chains_of_two_tenants_exchanged_are_foreign(ledger):
    other = small_ledger()
    ledger.lines, other.lines = other.lines, ledger.lines
    for one in (ledger, other):
        kinds = found(one)
        assert ("foreign", GOVERNANCE, 0) in kinds
        assert {kind for kind, _, _ in kinds} == {"foreign"}


def test_an_entry_of_another_chain_is_foreign(ledger):
    at = ledger.index(1)
    ledger.lines[at] = ledger.tip(ALICE)._replace(chain=GOVERNANCE, seq=1)
    assert ("foreign", GOVERNANCE, 1) in found(ledger)


def test_the_tree_heads_of_another_tenant_alone_are_foreign(ledger):
    assert [kind for kind, _, _ in found(ledger, small_ledger().note())] == ["foreign"]


def test_the_tree_heads_of_another_tenant_beside_ones_own_are_left_out(ledger):
    report = verify(ledger, small_ledger().note(), ledger.note())
    assert (report.ok, report.tree_heads) == (True, 1)
