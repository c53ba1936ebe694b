"""A server asks its witnesses for each tree head: their cosignatures are in the note, and a contradiction stops it."""

import threading
from contextlib import ExitStack, closing

import pytest
from django.core.management import CommandError
from django.db import connections, transaction

from governance import tasks
from governance.ledger import published_tree_heads, sealing, status, tenants_to_seal, tree_heads, witnesses
from suture_verify.cosignatures import cosigned_at
from suture_verify.notes import parse_notes
from suture_verify.witness.server import Server
from suture_verify.witness.store import Store
from suture_verify.witness.witness import Witness
from tests.ledger.tampering import (
    append,
    assert_found,
    assert_intact,
    cut,
    lived_in,
    pinned,
    seal,
    unguarded,
    verify_chain,
)

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


@pytest.fixture(autouse=True)
def nobody_is_paused(monkeypatch):
    monkeypatch.setattr(witnesses, "_paused", {})


@pytest.fixture
def running(world, settings, tmp_path):
    """`running("one")` runs a witness of that name, which the server asks; answers its key and what stops it."""
    lived_in(world)
    with ExitStack() as stopped:

        def run(name):
            kept = stopped.enter_context(closing(Store(tmp_path / name)))
            witness = Witness(kept, name, [pinned(world)])
            server = stopped.enter_context(Server(("127.0.0.1", 0), witness, kept))
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            ended: list[str] = []

            def stop():
                if not ended:
                    ended.append(name)
                    server.shutdown()
                    thread.join()
                    server.server_close()

            stopped.callback(stop)
            key = witness.verifier_key
            settings.WITNESSES = [*settings.WITNESSES, (f"http://127.0.0.1:{server.server_port}/", key)]
            return key, stop

        yield run


def notes(world):
    return parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())


def published_now(world):
    """The note of what is recorded now."""
    world.event("A message")
    seal(world)
    return notes(world)[-1]


def test_it_works(world, running):
    keys = [running(name)[0] for name in ("one", "two")]
    for _ in range(3):
        note = published_now(world)
        assert all(cosigned_at(note, key) is not None for key in keys)
        assert note.verify([pinned(world)])
    append(world)
    seal(world)
    assert [cosigned_at(notes(world)[-1], key) is not None for key in keys] == [True, True]

    assert_intact(world, *(part for key in keys for part in ("--witness", str(key))))


def test_a_witness_that_is_away_holds_nothing_up_and_is_told_of(world, running, caplog):
    one, _ = running("one")
    two, stop = running("two")
    assert cosigned_at(published_now(world), two) is not None
    stop()
    failures = witnesses.FAILURES.labels("two")._value.get()

    note = published_now(world)

    assert (cosigned_at(note, one) is not None, cosigned_at(note, two)) == (True, None)
    assert "the witness two did not cosign a tree head: ConnectError" in caplog.text
    assert witnesses.FAILURES.labels("two")._value.get() == failures + 1
    keys = ["--witness", str(one), "--witness", str(two)]
    assert_found(world, "not witnessed: governance", *keys)
    assert_intact(world, *keys, "--witnesses-needed", "1")


def test_a_witness_that_was_away_goes_on_where_it_was(world, running, settings):
    key, _ = running("one")
    published_now(world)
    asked, settings.WITNESSES = settings.WITNESSES, []
    for _ in range(3):
        published_now(world)
    settings.WITNESSES = asked
    assert cosigned_at(published_now(world), key) is not None


def test_another_history_than_a_witness_has_seen_stops_publishing(alone, running, monkeypatch, restarted):
    """Database and tree heads are put back to an older state together, so that a start finds nothing."""
    running("one")
    file = published_tree_heads.path_of(alone.tenant_id)
    published_now(alone)
    kept = file.read_text()
    before = notes(alone)[-1].tree_head
    published_now(alone)
    # as a backup would have it
    forget(alone, before)
    file.write_text(kept)
    restarted()
    assert status.obstacles() == {}

    # fewer rows than the witness has seen
    append(alone)
    with pytest.raises(tree_heads.TreeHeadRefused, match=r"The witness one has seen \d+ rows, but the ledger has only"):
        tree_heads.publish(alone.tenant_id)
    # as many rows or more, and others
    other_rows, other_history = "that the witness one has seen are not", "The witness one has seen another history"
    for reason in (f"{other_rows}|{other_history}", other_history):
        alone.event("Another message")
        sealing.seal_all(alone.tenant_id)
        with pytest.raises(tree_heads.TreeHeadRefused, match=reason):
            tree_heads.publish(alone.tenant_id)
    assert file.read_text() == kept

    monkeypatch.setattr(tenants_to_seal, "tenants", lambda moment: {alone.tenant_id})
    tasks.seal()
    assert "The witness one has seen another history" in status.alarms()[alone.slug]


def forget(world, tree_head):
    """Put the tenant's ledger back to what a tree head covers."""
    cut(world, tree_head.seq)
    with unguarded("governance_leaf", "memory_event", "memory_chunk") as cursor:
        cursor.execute(
            "DELETE FROM governance_leaf WHERE tenant_id = %s AND position >= %s", [world.tenant_id, tree_head.size]
        )
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            "UPDATE governance_merkletree SET size = %s, root = %s WHERE tenant_id = %s",
            [tree_head.size, tree_head.root, world.tenant_id],
        )


def test_a_witness_that_knows_another_key_is_no_alarm(world, running, settings, caplog):
    key, _ = running("one")
    url, _ = settings.WITNESSES[0]
    other, _ = running("two")
    settings.WITNESSES = [(url, other)]
    assert cosigned_at(published_now(world), key) is None
    assert "its cosignature does not verify with its key" in caplog.text


def test_verify_chain_refuses_what_is_no_key(world):
    with pytest.raises(CommandError, match="--witness: a verifier key is"):
        verify_chain(world, "--witness", "no key")
