"""The ledger: an unbroken chain of hashes, in the transaction of the change, and nobody's to rewrite."""

import dataclasses
import hashlib
import itertools
import json
import uuid
from datetime import timedelta

import pytest
import rfc8785
from django.db import Error, transaction
from django.utils import timezone

from governance import gate
from governance.models import Agent, ApiKey, Chain, Edit, Entry, PolicyRule, Tenant, Verdict
from governance.services import edits, identities, ledger, policies


def entries(world, chain=ledger.GOVERNANCE):
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, chain__name=chain).order_by("seq"))


def assert_unbroken(chain):
    """Gaps, links, hashes and times of a chain's entries."""
    assert [entry.seq for entry in chain] == list(range(len(chain)))
    previous = bytes(32)
    for entry in chain:
        assert bytes(entry.prev_hash) == previous
        assert bytes(entry.hash) == hashlib.sha256(bytes(entry.canonical)).digest()
        previous = bytes(entry.hash)
    assert all(one.ts < other.ts for one, other in itertools.pairwise(chain))


def test_it_works(world):
    chunk = world.chunk()
    world.edit(chunk, "amend", text="Corrected")
    waiting = world.edit(chunk, "retract", by=world.alice)["edit_id"]
    world.bob.ok("post", f"edits/{waiting}/reject", {"reason": "no"})

    chain = entries(world)

    assert_unbroken(chain)
    assert [entry.type for entry in chain[-4:]] == ["edit.proposed", "edit.approved", "edit.proposed", "edit.rejected"]
    with world.inside():
        head = Chain.objects.get(tenant_id=world.tenant_id, name=ledger.GOVERNANCE)
    assert (head.seq, bytes(head.head), head.ts) == (chain[-1].seq, bytes(chain[-1].hash), chain[-1].ts)


def test_the_hashed_bytes_say_everything_that_the_row_says(world):
    world.edit(world.chunk(), "amend", text="Corrected", reason="a réason with ünicode")

    chain = entries(world)
    for entry in chain:
        said = json.loads(bytes(entry.canonical))
        assert rfc8785.dumps(said) == bytes(entry.canonical)
        assert said == {
            "tenant": str(world.tenant_id),
            "chain": ledger.GOVERNANCE,
            "seq": entry.seq,
            "ts": entry.ts.isoformat(timespec="microseconds"),
            "type": entry.type,
            "retention": entry.retention,
            "content_hash": None,
            "prev_hash": bytes(entry.prev_hash).hex(),
            "metadata": entry.metadata,
        }
    assert "a réason with ünicode" in {entry.metadata.get("reason") for entry in chain}


def test_time_never_goes_back_along_a_chain(world):
    past = timezone.now() - timedelta(days=1)
    with world.inside():
        for _ in range(3):
            ledger.record("test", actor=world.bob_principal, metadata={}, at=past)

    assert_unbroken(entries(world))


def test_chains_are_independent(world):
    with world.inside():
        for chain in ("one", "other", "one"):
            ledger.record("test", actor=world.bob_principal, metadata={}, chain=chain)

    assert len(entries(world, "one")) == 2
    assert len(entries(world, "other")) == 1
    assert_unbroken(entries(world, "one"))


@pytest.mark.django_db(transaction=True)
def test_four_writers_at_once_do_not_fork_a_chain(world, at_once):
    def append():
        for number in range(25):
            with world.inside():
                ledger.record("test", actor=world.bob_principal, metadata={"number": number}, chain="busy")

    assert at_once(append, append, append, append) == [None] * 4

    chain = entries(world, "busy")
    assert len(chain) == 100
    assert_unbroken(chain)


@pytest.mark.django_db(transaction=True)
def test_the_first_entries_of_a_new_chain_do_not_fork_it_either(world, at_once):
    def append(name):
        with world.inside():
            ledger.record("test", actor=world.bob_principal, metadata={}, chain=name)

    for number in range(5):
        name = f"new {number}"
        assert at_once(*[lambda name=name: append(name)] * 4) == [None] * 4
        assert len(entries(world, name)) == 4
        assert_unbroken(entries(world, name))


@pytest.mark.parametrize("metadata", [{"x": float("nan")}, {"x": float("inf")}, {"x": 2**60}, {"x": "\ud800"}])
def test_what_rfc_8785_cannot_write_is_not_recorded(world, metadata):
    before = entries(world)

    with pytest.raises(ValueError, match=r"."), world.inside():
        ledger.record("test", actor=world.bob_principal, metadata=metadata)

    assert len(entries(world)) == len(before)


def nameless(principal):
    """An actor whose name no entry can hold: whatever they do, its entry fails."""
    return dataclasses.replace(principal, name="\ud800")


CHANGES = {
    "propose_edit": lambda world, chunk, edit: edits.propose_edit(
        actor=nameless(world.alice_principal),
        target_type="chunk",
        target_id=uuid.UUID(chunk),
        op="amend",
        reason="a test",
        patch=edits.Patch(text="Corrected"),
    ),
    "approve_edit": lambda world, chunk, edit: edits.approve_edit(edit, actor=nameless(world.bob_principal)),
    "reject_edit": lambda world, chunk, edit: edits.reject_edit(edit, actor=nameless(world.bob_principal), reason="no"),
    "use_preset": lambda world, chunk, edit: policies.use_preset(
        world.tenant_id, "open", actor=nameless(world.bob_principal)
    ),
    "create_agent": lambda world, chunk, edit: identities.create_agent("new", [], actor=nameless(world.bob_principal)),
    "issue_key": lambda world, chunk, edit: identities.issue_key(
        actor=nameless(world.bob_principal), agent=Agent.objects.get(tenant_id=world.tenant_id, slug="alice")
    ),
    "revoke_key": lambda world, chunk, edit: identities.revoke_key(
        world.keys["alice"].split("_")[1], actor=nameless(world.bob_principal)
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_entry_no_change(world, change):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "retract", by=world.alice)["edit_id"]

    def state():
        with world.inside():
            of = {"tenant_id": world.tenant_id}
            return (
                [model.objects.filter(**of).count() for model in (Edit, Verdict, Entry, Agent, ApiKey, PolicyRule)],
                ApiKey.objects.filter(**of, revoked_at__isnull=True).count(),
                sorted(PolicyRule.objects.filter(**of).values_list("op", "proposer_kind", "approvals")),
                Tenant.objects.get(id=world.tenant_id).policy,
                world.bob.ok("get", f"edits/{edit}")["status"],
                world.found("original OR corrected"),
            )

    before = state()
    # the surrogate cannot be written as UTF-8, by RFC 8785 or by PostgreSQL
    with pytest.raises(ValueError, match=r"."), world.inside():
        CHANGES[change](world, chunk, edit)

    assert state() == before


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO governance_entry SELECT * FROM governance_entry",
        "UPDATE governance_entry SET type = 'x'",
        "DELETE FROM governance_entry",
        "TRUNCATE governance_entry",
        "UPDATE governance_chain SET seq = 0",
        "DELETE FROM governance_chain",
    ],
)
def test_the_app_writes_no_entry_but_through_the_gate(world, statement):
    with pytest.raises(Error, match="permission denied"), world.inside():
        gate.rows(statement, ())


def append(world, **changes):
    with world.inside():
        head = gate.call("lock_chain", world.tenant_id, ledger.GOVERNANCE)[0]
        values = {
            "seq": head["seq"] + 1,
            "ts": head["ts"] + timedelta(seconds=1),
            "prev_hash": head["head"],
            **{name: change(head) for name, change in changes.items()},
        }
        with transaction.atomic():
            gate.rows(
                "SELECT append_entry(%s, %s, gen_random_uuid(), %s, %s, 'test', 'committed', NULL, '{}', %s,"
                " 'x'::bytea)",
                [world.tenant_id, head["id"], values["seq"], values["ts"], values["prev_hash"]],
            )


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": lambda head: head["seq"] + 2},
        {"seq": lambda head: head["seq"]},
        {"ts": lambda head: head["ts"]},
        {"ts": lambda head: head["ts"] - timedelta(seconds=1)},
        {"prev_hash": lambda head: bytes(32)},
    ],
)
def test_the_database_refuses_what_does_not_follow_the_head(world, changes):
    before = len(entries(world))

    with pytest.raises(Error, match="does not follow the head"):
        append(world, **changes)

    assert len(entries(world)) == before


def test_the_database_takes_what_does_and_hashes_it_itself(world):
    append(world)

    last = entries(world)[-1]
    assert (last.type, bytes(last.hash)) == ("test", hashlib.sha256(b"x").digest())


def test_a_chain_is_its_tenants(world, elsewhere):
    with pytest.raises(Error, match="not the tenant of this transaction"), world.inside():
        gate.call("lock_chain", elsewhere.tenant_id, ledger.GOVERNANCE)
    with world.inside():
        assert not Entry.objects.filter(tenant_id=elsewhere.tenant_id).exists()
