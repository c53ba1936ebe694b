"""Entries that the chain's key did not sign: whoever runs SQL as the web server can append them; no seal and no tree
head vouches for them, and everybody is told."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.db import connection
from prometheus_client import REGISTRY

from governance import tasks
from governance.acting import gate
from governance.acting.credentials import system
from governance.admin import home
from governance.ledger import db, published_tree_heads, sealing, tree_heads, unpublished_entries
from governance.models import MerkleTree, new_id
from memory_project.readiness.database import Database
from suture_verify import following
from suture_verify.following import UnverifiedEntry
from tests.ledger.tampering import (
    append,
    assert_found,
    assert_intact,
    entries,
    head,
    leaves,
    lived_in,
    pinned,
    rewrite,
    seal,
)
from tests.readiness.asking import outcomes_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


@pytest.fixture
def known(world):
    """A published ledger, and a chunk that is not sealed yet."""
    lived_in(world)
    world.chunk("Not sealed yet")
    return world


def canonical_of(world, chain, tip, **changes):
    fields = {
        "tenant": str(world.tenant_id), "chain": chain, "seq": tip.seq + 1, "ts": "2100-01-01T00:00:00.000000+00:00",
        "type": "test", "retention": "committed", "content_hash": None, "prev_hash": bytes(tip.head).hex(),
        "metadata": {"actor": system(world.tenant_id, "a test").as_json()},
    }  # fmt: skip
    return rfc8785.dumps({**fields, **changes})


def forge(world, chain="governance", *, signature=bytes(64), key=None, next_key=None, **changes):
    """Append an entry by SQL, as role app can: `append_entries` takes any signature."""
    tip = head(world, chain)
    canonical = canonical_of(world, chain, tip, **changes)
    with world.inside():
        gate.rows(
            "SELECT append_entries(%s, %s, %s::uuid[], %s::bytea[], %s::bytea[], %s, %s)",
            [world.tenant_id, tip.id, [new_id()], [canonical], [key.sign(canonical) if key else signature],
             bytes(tip.public_key or b""), next_key],
        )  # fmt: skip
    return tip.seq + 1


def public(key):
    return key.public_key().public_bytes_raw()


def assert_refused(world, reason):
    before, note = len(leaves(world)), published_tree_heads.last(world.tenant_id)
    last = entries(world)[-1].seq

    with pytest.raises(UnverifiedEntry, match=reason):
        sealing.seal_all(world.tenant_id)
    with pytest.raises(UnverifiedEntry, match=reason):
        sealing.seal(world.tenant_id)
    with pytest.raises((UnverifiedEntry, tree_heads.TreeHeadRefused), match=reason):
        tree_heads.publish(world.tenant_id)

    assert (len(leaves(world)), published_tree_heads.last(world.tenant_id)) == (before, note)
    assert entries(world)[-1].seq == last


def test_it_works(known):
    seal(known)

    assert unpublished_entries._verified[known.tenant_id, "governance"].seq >= entries(known)[-1].seq - 1
    assert_intact(known)


@pytest.mark.parametrize("is_new", [True, False])
def test_a_zero_signature_is_neither_sealed_nor_published(known, restarted, is_new):
    seq = forge(known)
    append(known)
    if is_new:
        restarted()

    assert_refused(known, f"Entry {seq} of the governance chain is not signed by the key of its chain")


def test_the_signature_of_another_key_is_refused(known):
    seq = forge(known, key=Ed25519PrivateKey.generate())

    assert_refused(known, f"Entry {seq} of the governance chain is not signed")


def test_a_key_that_the_chain_did_not_hand_over_to_is_refused(known):
    other = Ed25519PrivateKey.generate()
    actor = system(known.tenant_id, "a test").as_json()
    metadata = {"public_key": public(other).hex(), "previous_key": pinned(known).hex(), "actor": actor}
    seq = forge(known, key=other, next_key=public(other), type="key.rotated", metadata=metadata)

    assert_refused(known, f"Entry {seq} of the governance chain is not signed")


def test_a_head_that_names_another_key_is_refused(known):
    other = Ed25519PrivateKey.generate()
    tip = head(known, "agent:alice")
    with known.inside():
        gate.rows(
            "SELECT append_entries(%s, %s, '{}'::uuid[], '{}'::bytea[], '{}'::bytea[], %s, %s)",
            [known.tenant_id, tip.id, bytes(tip.public_key or b""), public(other)],
        )

    assert_refused(known, "The agent:alice chain has a different key from the one that its entries name")


def test_an_entry_of_another_chain_is_refused_too(known):
    seq = forge(known, "agent:alice")

    assert_refused(known, f"Entry {seq} of the agent:alice chain is not signed")


def test_only_what_is_new_is_verified(known, monkeypatch):
    """What a published tree head covers was verified: a damaged old signature is verify_chain's to find."""
    seal(known)
    covered = entries(known)[-1].seq
    append(known, 2)
    seen: list[tuple[str, int]] = []

    def watched(position, entries, *, tenant, chain):
        rows = list(entries)
        seen.extend((chain, seq) for seq, _, _ in rows)
        return following.follow(position, rows, tenant=tenant, chain=chain)

    monkeypatch.setattr(unpublished_entries, "_verified", {})
    monkeypatch.setattr(unpublished_entries, "follow", watched)

    with known.inside():
        unpublished_entries.require_signed(known.tenant_id)
        unpublished_entries.require_signed(known.tenant_id)

    assert seen == [("governance", covered + 1), ("governance", covered + 2)]


@pytest.mark.usefixtures("noted_secrets")
def test_a_rotated_key_is_followed(known, restarted):
    seal(known)
    call_command("rotate_signing_key")
    append(known, 2)
    seal(known)
    restarted()
    append(known)
    seal(known)

    assert_intact(known)


def test_everybody_is_told_until_it_is_mended(known, alone, caplog, capsys):
    tasks.seal()
    assert REGISTRY.get_sample_value("suture_ledger_alarms") == 0
    assert facts(known)[0].label != "Sealing stopped"
    before = count()
    seq = forge(known)
    reason = f"Entry {seq} of the governance chain is not signed by the key of its chain."

    with caplog.at_level(logging.ERROR):
        tasks.seal()

    assert any(record.levelno == logging.ERROR and reason in record.getMessage() for record in caplog.records)
    assert REGISTRY.get_sample_value("suture_ledger_alarms") == 1
    alarm = facts(known)[0]
    assert (alarm.label, alarm.note, alarm.is_alarm) == ("Sealing stopped", reason, True)
    told = outcomes_of(Database())["ledger"]
    assert told.status == "degraded"
    assert known.slug not in told.detail
    assert count() == before + 1
    with pytest.raises(SystemExit):
        call_command("check_ledger")
    assert f"{known.slug}: ALARM: sealing and publishing stopped: {reason}" in capsys.readouterr().out
    assert_found(known, f"signature: governance at {seq}")

    rewrite(known, seq)  # the owner of the database signs it
    tasks.seal()

    assert REGISTRY.get_sample_value("suture_ledger_alarms") == 0
    assert count() == before
    assert facts(known)[0].label != "Sealing stopped"


def count():
    return gate.rows("SELECT count_ledger_alarms() AS number", ())[0]["number"]


def facts(world):
    with world.inside():
        return home.ledger_facts(world.bob_principal)


def test_the_alarm_says_since_when(known, alone):
    forge(known)
    tasks.seal()
    with known.inside():
        first = MerkleTree.objects.get(tenant_id=known.tenant_id).alarm_at
    tasks.seal()
    with known.inside():
        assert MerkleTree.objects.get(tenant_id=known.tenant_id).alarm_at == first


def test_nothing_vouches_for_an_entry_that_comes_between(known, monkeypatch):
    """An entry that is appended after the first look is seen by the second, under the lock."""
    append_leaves, forged = db.append_leaves, []

    def forge_once():
        try:
            forged.append(forge(known))
        finally:
            connection.close()

    def appending(**values):
        answer = append_leaves(**values)
        if not forged:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(forge_once).result()
        return answer

    monkeypatch.setattr(db, "append_leaves", appending)
    with pytest.raises(UnverifiedEntry, match="is not signed"):
        sealing.seal_all(known.tenant_id)
    assert forged
