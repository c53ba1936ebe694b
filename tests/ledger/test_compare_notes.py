"""Every tree head that was ever published is compared with the ledger and with the others, not the last alone."""

import dataclasses
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from governance.database.clock import database_now
from governance.ledger import kept_notes, keyring, published_tree_heads, sealing, verification
from suture_verify.findings import Kind
from suture_verify.notes import parse_notes, sign_note
from tests.ledger.tampering import append, assert_found, assert_intact, entries, lived_in, seal, verify_chain

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


@pytest.fixture
def history(world):
    """A ledger with four published tree heads."""
    lived_in(world)
    for number in range(3):
        world.event(f"Message {number}")
        seal(world)
    assert len(heads(world)) == 4
    return world


def heads(world):
    return [note.tree_head for note in parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())]


def write(world, tree_heads, key=None):
    text = "".join(sign_note(head, key or keyring.current().private) for head in tree_heads)
    published_tree_heads.path_of(world.tenant_id).write_text(text)


def forged(tree_head, **changes):
    return dataclasses.replace(tree_head, **changes)


def test_it_works(history):
    code, told = verify_chain(history)
    assert (code, "4 tree heads compared: intact" in told) == (0, True)


def test_an_earlier_tree_head_of_another_history_is_found(history):
    first, *others = heads(history)
    write(history, [forged(first, root=bytes(32)), *others])
    assert_found(history, f"split view: governance at {first.seq}")
    write(history, [forged(first, head=bytes(32)), *others])
    assert_found(history, f"split view: governance at {first.seq}")


def test_an_earlier_tree_head_with_another_key_is_found(history):
    first, *others = heads(history)
    write(history, [first], Ed25519PrivateKey.generate())
    text = published_tree_heads.path_of(history.tenant_id).read_text()
    write(history, others)
    published_tree_heads.path_of(history.tenant_id).write_text(
        text + published_tree_heads.path_of(history.tenant_id).read_text()
    )
    assert_found(history, f"key: governance at {first.seq}")


def test_earlier_tree_heads_that_contradict_each_other_are_found(history):
    """Also beyond the end of the ledger, where nothing but the others shows it."""
    *others, last = heads(history)
    beyond = [forged(last, size=last.size + 9, seq=last.seq + 9, root=bytes([number] * 32)) for number in (1, 2)]
    write(history, [*others, *beyond, last])
    kinds = {finding.kind for finding in verification.verify(history.tenant_id).findings}
    assert {Kind.SPLIT_VIEW, Kind.TRUNCATED} <= kinds


def test_more_tree_heads_than_are_compared_at_a_time(history):
    first, *others = heads(history)
    write(history, [first] * 2_500 + others)
    code, told = verify_chain(history)
    assert (code, "2,503 tree heads compared: intact" in told) == (0, True)
    write(history, [first] * 1_500 + [forged(others[0], root=bytes(32))] + [first] * 1_000 + others)
    assert_found(history, f"split view: governance at {others[0].seq}")


def test_a_note_that_cannot_be_read_is_found_and_the_others_are_compared(history):
    file = published_tree_heads.path_of(history.tenant_id)
    first, *others = heads(history)
    write(history, [first] * 30 + others)
    lines = file.read_text().split("\n")
    file.write_text("\n".join([*lines[:8], "many", *lines[9:]]))
    code, told = verify_chain(history)
    assert (code, "32 tree heads compared" in told) == (1, True)
    assert "malformed: rows: line 9 of the published tree heads" in told


def test_a_note_that_a_crash_cut_short_is_no_finding(history):
    file = published_tree_heads.path_of(history.tenant_id)
    text = file.read_text()
    file.write_text(text + text[:50])
    assert_intact(history)


@pytest.mark.parametrize("cut", [1, 2, 30])
def test_a_cosignature_that_a_crash_cut_short_is_replaced_by_the_next_note(history, restarted, cut):
    file = published_tree_heads.path_of(history.tenant_id)
    whole = file.read_text().removesuffix("\n")
    file.write_text((whole + "— witness.example.com aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=\n\n")[:-cut])
    restarted()
    append(history)
    seal(history)
    assert len(heads(history)) == 5
    assert_intact(history)


# -- Seals without any tree head.


def later(monkeypatch, seconds):
    """Let the database's clock be ahead, for verification alone."""
    monkeypatch.setattr(kept_notes, "database_now", lambda: database_now() + timedelta(seconds=seconds))


def test_a_sealed_ledger_without_tree_heads_is_found(history, monkeypatch, settings):
    file = published_tree_heads.path_of(history.tenant_id)
    kept = file.read_text()
    later(monkeypatch, settings.SEAL_LAG_SECONDS + 5)
    assert_intact(history)
    for lose in (file.unlink, lambda: file.write_text("")):
        lose()
        assert_found(history, "no tree heads: rows: the ledger was first sealed at")
        file.write_text(kept)
    assert_intact(history)


def test_kept_tree_heads_stand_for_those_that_are_on_another_node(history, monkeypatch, settings, tmp_path):
    kept = tmp_path / "kept.txt"
    published_tree_heads.path_of(history.tenant_id).rename(kept)
    later(monkeypatch, settings.SEAL_LAG_SECONDS + 5)
    assert_intact(history, "--trusted-tree-head", str(kept))


def test_a_server_that_seals_for_the_first_time_is_no_finding(world):
    world.event("A message")
    sealing.seal_all(world.tenant_id)
    assert entries(world)[-1].type == "seal"
    assert_intact(world)


def test_a_ledger_that_was_never_sealed_is_no_finding(world, monkeypatch, settings):
    later(monkeypatch, settings.SEAL_LAG_SECONDS + 5)
    assert_intact(world)
