"""Verification begins with the last tree head that one confirmed, and finds what was changed of all that came after."""

import dataclasses
import uuid
from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.db import connections

from governance.database.clock import database_now
from governance.ledger import kept_notes, keyring, published_tree_heads, verification, verified_until
from suture_verify.notes import parse_notes, sign_note
from suture_verify.verified_until import from_note
from tests.ledger.tampering import (
    append,
    assert_found,
    assert_intact,
    change_entry,
    cut,
    delete_entries,
    entries,
    head,
    leaves,
    seal,
    tamper,
    verify_chain,
)

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

LAST = "--since-last"


@pytest.fixture
def confirmed_world(world, kept):
    """A ledger that was verified, and in which more was recorded, sealed and published since."""
    assert_intact(world)
    before = len(leaves(world))
    chunk = world.chunk("The slow brown fox")
    world.edit(chunk, "retract")
    append(world, chain="agent:alice")
    seal(world)
    world.first_new = before
    return world


def new_leaf(world, kind):
    return next(leaf for leaf in leaves(world) if leaf.kind == kind and leaf.position >= world.first_new)


def old_leaf(world, kind):
    return next(leaf for leaf in leaves(world) if leaf.kind == kind)


def change(world, table, assignment, row_id):
    tamper(table, f"UPDATE {table} SET {assignment} WHERE tenant_id = %s AND id = %s", world.tenant_id, row_id)


def confirmed_of(world):
    """How far the tenant's ledger is confirmed."""
    found = verified_until.last(world.tenant_id)
    assert found is not None
    return found


def read_note(path, world):
    found = from_note(path.read_text(), world.tenant_id)
    assert found is not None
    return found


def published_of(world):
    """The last published tree head of the tenant."""
    found = published_tree_heads.last(world.tenant_id)
    assert found is not None
    return found.tree_head


def test_only_what_came_after_is_verified(confirmed_world):
    world = confirmed_world
    before = confirmed_of(world)
    code, told = verify_chain(world, LAST)

    assert code == 0
    assert f"over {len(leaves(world)) - world.first_new} rows" in told
    assert f"Skipped: {world.first_new} rows with their texts" in told
    now = confirmed_of(world)
    assert now.tree_head == published_of(world)
    assert now.tree_head.size == len(leaves(world)) > before.tree_head.size
    assert now.whole_at == before.whole_at < now.at


def test_it_can_be_done_again_and_again(confirmed_world):
    world = confirmed_world
    for number in range(3):
        assert_intact(world, LAST)
        assert_intact(world, LAST)
        world.event(f"event {number}")
        seal(world)
    assert_intact(world)


def test_without_a_verification_everything_is_verified(world, kept):
    code, told = verify_chain(world, LAST)

    assert code == 0
    assert "so everything was verified" in told
    assert confirmed_of(world).tree_head == published_of(world)


def test_an_edit_of_a_row_from_before_is_no_dangling_reference(confirmed_world):
    world = confirmed_world
    waiting = world.edit(world.chunk("another"), "quarantine", by=world.alice)["edit_id"]
    seal(world)
    assert_intact(world)
    world.bob.decide(waiting, "reject", reason="no")
    for _ in range(3):
        append(world)
        seal(world)
        world.event()
    assert_intact(world, LAST)


@pytest.mark.parametrize(
    ("kind", "table", "assignment"),
    [
        ("event", "memory_event", "actor_id = 'somebody else'"),
        ("edit", "governance_edit", "reason = 'another'"),
        ("chunk", "memory_chunk", "importance = 0.99"),
    ],
)
def test_a_changed_row_is_found(confirmed_world, kind, table, assignment):
    world = confirmed_world
    leaf = new_leaf(world, kind)
    change(world, table, assignment, leaf.row_id)

    assert_found(world, f"content mismatch: leaves at {leaf.position}", LAST)
    assert verified_until.last(world.tenant_id) is None


def test_changed_words_are_found(confirmed_world):
    world = confirmed_world
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT content_id FROM memory_chunk WHERE id = %s", [new_leaf(world, "chunk").row_id])
        (content_id,) = cursor.fetchone()
    change(world, "governance_content", "body = body || ' not'", content_id)

    assert_found(world, f"content mismatch: content: the words of {content_id} do not match their hash", LAST)


def test_deleted_words_are_found(confirmed_world):
    world = confirmed_world
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT content_id FROM memory_chunk WHERE id = %s", [new_leaf(world, "chunk").row_id])
        (content_id,) = cursor.fetchone()
    tamper("governance_content", "DELETE FROM governance_content WHERE id = %s", content_id)

    assert_found(world, f"content missing without redaction: content: the words of {content_id}", LAST)


def test_a_deleted_row_is_found(confirmed_world):
    world = confirmed_world
    leaf = new_leaf(world, "verdict")
    tamper("governance_verdict", "DELETE FROM governance_verdict WHERE id = %s", leaf.row_id)

    assert_found(world, f"content missing without redaction: leaves at {leaf.position}", LAST)


def test_a_deleted_leaf_is_found(confirmed_world):
    world = confirmed_world
    position = new_leaf(world, "event").position
    tamper(
        "governance_leaf",
        "DELETE FROM governance_leaf WHERE tenant_id = %s AND position = %s",
        world.tenant_id,
        position,
    )

    assert_found(world, f"gap: leaves at {position}", LAST)


def test_a_changed_entry_is_found(confirmed_world):
    world = confirmed_world
    seq = entries(world)[-2].seq
    change_entry(world, seq, "type = 'x'")

    assert_found(world, f"content mismatch: governance at {seq}", LAST)


def test_an_entry_of_an_agent_is_found(confirmed_world):
    world = confirmed_world
    seq = entries(world, "agent:alice")[-1].seq
    tamper(
        "governance_entry",
        "UPDATE governance_entry SET type = 'x' WHERE tenant_id = %s AND chain_id = %s AND seq = %s",
        world.tenant_id,
        head(world, "agent:alice").id,
        seq,
    )

    assert_found(world, f"content mismatch: agent:alice at {seq}", LAST)


def test_deleted_entries_are_found(confirmed_world):
    world = confirmed_world
    seq = confirmed_of(world).tree_head.seq
    delete_entries(world, seq + 1, seq + 2)

    assert_found(world, f"gap: governance at {seq + 1}", LAST)


def test_a_cut_end_is_found(confirmed_world):
    world = confirmed_world
    tip = entries(world)[-1].seq
    cut(world, tip - 1)

    assert_found(world, f"truncated: governance at {tip}", LAST)


def test_a_row_from_before_is_not_looked_at_until_all_is_verified_again(confirmed_world):
    world = confirmed_world
    leaf = old_leaf(world, "event")
    change(world, "memory_event", "actor_id = 'somebody else'", leaf.row_id)

    assert_intact(world, LAST)
    assert_found(world, f"content mismatch: leaves at {leaf.position}")


def test_after_a_finding_everything_is_verified(confirmed_world):
    world = confirmed_world
    leaf = old_leaf(world, "event")
    change(world, "memory_event", "actor_id = 'somebody else'", leaf.row_id)
    verify_chain(world)

    assert_found(world, f"content mismatch: leaves at {leaf.position}", LAST)


def test_a_note_that_somebody_wrote_is_not_used(confirmed_world):
    world = confirmed_world
    path = verified_until.path_of(world.tenant_id)
    note = path.read_text()
    path.write_text(note.replace('"size":', '"size": '))

    code, told = verify_chain(world, LAST)
    assert code == 0
    assert "so everything was verified" in told
    assert read_note(path, world).tree_head == published_of(world)


def test_nothing_is_kept_for_a_ledger_that_was_never_published(world):
    append(world)
    assert verification.verify(world.tenant_id).ok
    assert verified_until.last(world.tenant_id) is None
    assert verified_until.last(uuid.uuid4()) is None


def test_tree_heads_from_there_on_are_compared_and_no_earlier_ones(confirmed_world):
    world = confirmed_world
    world.event("Another message")
    seal(world)
    file = published_tree_heads.path_of(world.tenant_id)
    begin, first, last = (note.tree_head for note in parse_notes(file.read_text()))
    assert begin == confirmed_of(world).tree_head

    def publish_again(*tree_heads):
        file.write_text("".join(sign_note(one, keyring.current().private) for one in tree_heads))

    publish_again(dataclasses.replace(begin, size=1, seq=1), begin, dataclasses.replace(first, root=bytes(32)), last)
    code, told = verify_chain(world, LAST)
    assert (code, "3 tree heads compared: 1 finding" in told) == (1, True)
    assert f"split view: governance at {first.seq}" in told


def test_tree_heads_that_are_gone_are_found(confirmed_world, monkeypatch, settings):
    world = confirmed_world
    ahead = timedelta(seconds=settings.SEAL_LAG_SECONDS + 5)
    monkeypatch.setattr(kept_notes, "database_now", lambda: database_now() + ahead)
    published_tree_heads.path_of(world.tenant_id).unlink()

    assert_found(world, "no tree heads: rows: the ledger was confirmed at", LAST)


def test_what_is_confirmed_says_nothing_in_the_ledger(confirmed_world):
    world = confirmed_world
    before = len(entries(world))
    assert_intact(world, LAST)
    assert len(entries(world)) == before


def test_a_trusted_tree_head_asks_for_everything(world, kept):
    with pytest.raises(CommandError, match="verification of the whole ledger"):
        verify_chain(world, LAST, "--trusted-tree-head", str(kept))
