"""Keys, signatures, times and the form of entries."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify.entries import GOVERNANCE
from tests.proof.ledgers import ALICE, Ledger, found, signed, small_ledger

pytestmark = pytest.mark.pure

STRANGER = Ed25519PrivateKey.generate()


# -- keys


def test_an_entry_behind_a_rotation_signed_by_the_old_key_is_refused():
    ledger = Ledger()
    ledger.add("policy.changed")
    old = ledger.rotate()
    ledger.add("policy.changed")
    ledger.rewrite(3, old)
    ledger.add("policy.changed")
    assert found(ledger) == [("key", GOVERNANCE, 3)]


def test_a_tree_head_is_signed_with_the_key_of_its_time(ledger):
    before = small_ledger()
    old = before.rotate()
    assert found(before, before.note()) == []  # of the rotation itself: either key
    assert found(before, before.note(key=old)) == []
    before.add("policy.changed")
    assert found(before, before.note()) == []
    assert found(before, before.note(key=old)) == [("key", GOVERNANCE, before.tip().seq)]
    assert found(ledger, ledger.note(key=STRANGER)) == [("key", GOVERNANCE, ledger.tip().seq)]


def test_a_rotation_that_the_key_in_force_did_not_sign_is_found(ledger):
    seq = ledger.tip().seq + 1
    ledger.rotate()
    ledger.rewrite(seq, STRANGER)
    ledger.add("policy.changed")
    ledger.rewrite(seq + 1, ledger.keys[GOVERNANCE])
    assert found(ledger) == [("key", GOVERNANCE, seq)]


@pytest.mark.parametrize("metadata", [{}, {"public_key": "xyz"}, {"public_key": "00" * 32, "previous_key": "00" * 32}])
def test_a_rotation_that_names_no_keys_is_found(ledger, metadata):
    entry = ledger.add("key.rotated", **metadata)
    assert found(ledger) == [("key", GOVERNANCE, entry.seq)]


@pytest.mark.parametrize("changes", [{"type": "policy.changed"}, {"metadata": {}}, {"metadata": {"public_key": 5}}])
def test_a_first_entry_that_pins_no_key_is_found(changes):
    ledger = Ledger()
    ledger.add("policy.changed")
    ledger.rewrite(0, ledger.keys[GOVERNANCE], **changes)
    assert found(ledger) == [("key", GOVERNANCE, 0)]


def test_an_agents_chain_begins_with_its_identity():
    ledger = Ledger()
    ledger.add("policy.changed")
    ledger.add("memory", ALICE)
    ledger.rewrite(0, ledger.keys[ALICE], chain=ALICE, type="genesis")
    assert found(ledger) == [("key", ALICE, 0)]


def test_one_damaged_signature_at_the_tip_is_a_signature(ledger):
    ledger.lines[-1] = ledger.lines[-1]._replace(signature=bytes(64))
    assert found(ledger) == [("signature", GOVERNANCE, ledger.tip().seq)]


def test_damaged_signatures_that_later_entries_vouch_for_are_signatures(ledger):
    for seq in (2, 3):
        at = ledger.index(seq)
        ledger.lines[at] = ledger.lines[at]._replace(signature=bytes(64))
    assert found(ledger) == [("signature", GOVERNANCE, 2), ("signature", GOVERNANCE, 3)]


@pytest.mark.parametrize("size", [0, 63, 65])
def test_a_signature_of_a_wrong_length_is_found(ledger, size):
    ledger.lines[-1] = ledger.lines[-1]._replace(signature=bytes(size))
    assert found(ledger) == [("signature", GOVERNANCE, ledger.tip().seq)]


# -- time and form


def test_a_time_that_does_not_increase_is_found(ledger):
    same = json.loads(ledger.tip().canonical)["ts"]
    seq = ledger.add("policy.changed").seq
    ledger.rewrite(seq, ledger.keys[GOVERNANCE], ts=same)
    assert found(ledger) == [("time", GOVERNANCE, seq)]


def test_an_invalid_signed_entry_is_malformed(ledger):
    tip = ledger.add("policy.changed")
    ledger.lines[-1] = signed(GOVERNANCE, tip.seq, b'{"a": 1}', ledger.keys[GOVERNANCE])
    assert found(ledger) == [("malformed", GOVERNANCE, tip.seq)]


def test_an_entry_signed_under_another_number_is_found(ledger):
    tip = ledger.add("policy.changed")
    ledger.rewrite(tip.seq, ledger.keys[GOVERNANCE], seq=tip.seq + 1)
    assert found(ledger) == [("gap", GOVERNANCE, tip.seq)]
