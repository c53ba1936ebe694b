"""The ledger: an unbroken chain of hashes, in the transaction of the change, and nobody's to rewrite."""

import dataclasses
import hashlib
import itertools
import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
import rfc8785
import time_machine
from django.db import Error, transaction
from django.utils import timezone

from governance import edits
from governance.acting import gate
from governance.acting.credentials import system
from governance.edits import policies
from governance.identity import agents, identities
from governance.ledger import appending, db, keyring
from governance.models import Agent, ApiKey, Chain, Edit, Entry, PolicyRule, Tenant, Verdict, new_id
from suture_verify.entries import GOVERNANCE
from tests.erasure.conftest import admins_of


def entries(world, chain=GOVERNANCE):
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
    waiting = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    world.bob.decide(waiting, "reject", reason="no")

    chain = entries(world)

    assert_unbroken(chain)
    assert [entry.type for entry in chain[-4:]] == ["edit.proposed", "edit.approved", "edit.proposed", "edit.rejected"]
    with world.inside():
        head = Chain.objects.get(tenant_id=world.tenant_id, name=GOVERNANCE)
    assert (head.seq, head.head, head.ts) == (chain[-1].seq, bytes(chain[-1].hash), chain[-1].ts)


def test_the_hashed_bytes_say_everything_that_the_row_says(world):
    world.edit(world.chunk(), "amend", text="Corrected", reason="a réason with ünicode")

    chain = entries(world)
    for entry in chain:
        said = json.loads(bytes(entry.canonical))
        assert rfc8785.dumps(said) == bytes(entry.canonical)
        assert said == {
            "tenant": str(world.tenant_id),
            "chain": GOVERNANCE,
            "seq": entry.seq,
            "ts": entry.ts.isoformat(timespec="microseconds"),
            "type": entry.type,
            "retention": entry.retention,
            "content_hash": None,
            "prev_hash": bytes(entry.prev_hash).hex(),
            "metadata": entry.metadata,
        }
    assert "a réason with ünicode" in {entry.metadata.get("reason") for entry in chain}


@pytest.mark.parametrize("days", [-1, 1])
def test_times_are_the_databases_whatever_the_writers_clock_says(world, days):
    before = timezone.now()
    with time_machine.travel(before + timedelta(days=days)), world.inside():
        for _ in range(3):
            appending.record("test", actor=world.bob_principal, metadata={})

    chain = entries(world)
    assert_unbroken(chain)
    assert all(abs(entry.ts - before) < timedelta(hours=1) for entry in chain)


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_time_never_goes_back_along_a_chain(world, owner):
    """The clock of the database was set back."""
    with world.inside():
        appending.record("test", actor=world.bob_principal, metadata={})
    ahead = timezone.now() + timedelta(days=1)
    with world.inside("owner"):
        owner("UPDATE governance_chain SET ts = %s WHERE tenant_id = %s RETURNING 1", [ahead, world.tenant_id])
    with world.inside():
        for _ in range(3):
            appending.record("test", actor=world.bob_principal, metadata={})

    assert [entry.ts - ahead for entry in entries(world)[-3:]] == [timedelta(microseconds=n) for n in (1, 2, 3)]


def test_chains_are_independent(world):
    with world.inside():
        for chain in ("one", "other", "one"):
            appending.record("test", actor=world.bob_principal, metadata={}, chain=chain)

    # each begins with the entry that pins its key
    assert [entry.type for entry in entries(world, "one")] == ["identity", "test", "test"]
    assert [entry.type for entry in entries(world, "other")] == ["identity", "test"]
    assert_unbroken(entries(world, "one"))


@pytest.mark.django_db(transaction=True)
def test_four_writers_at_once_do_not_fork_a_chain(world, at_once):
    def append():
        for number in range(25):
            with world.inside():
                appending.record("test", actor=world.bob_principal, metadata={"number": number}, chain="busy")

    assert at_once(append, append, append, append) == [None] * 4

    chain = entries(world, "busy")
    assert len(chain) == 101
    assert_unbroken(chain)


@pytest.mark.django_db(transaction=True)
def test_the_first_entries_of_a_new_chain_do_not_fork_it_either(world, at_once):
    def append(name):
        with world.inside():
            appending.record("test", actor=world.bob_principal, metadata={}, chain=name)

    for number in range(5):
        name = f"new {number}"
        assert at_once(*[lambda name=name: append(name)] * 4) == [None] * 4
        assert [entry.type for entry in entries(world, name)] == ["identity", *["test"] * 4]
        assert_unbroken(entries(world, name))


@pytest.mark.parametrize("metadata", [{"x": float("nan")}, {"x": float("inf")}, {"x": 2**60}, {"x": "\ud800"}])
def test_what_rfc_8785_cannot_write_is_not_recorded(world, metadata):
    before = entries(world)

    with pytest.raises(ValueError, match=r"."), world.inside():
        appending.record("test", actor=world.bob_principal, metadata=metadata)

    assert len(entries(world)) == len(before)


def nameless(principal):
    """An actor whose name no entry can hold: whatever they do, its entry fails."""
    return dataclasses.replace(principal, name="\ud800")


def nameless_admin(world):
    return nameless(admins_of(world).carol_principal)


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
        world.tenant_id, "open", actor=nameless(system(world.tenant_id, "a test"))
    ),
    "create_agent": lambda world, chunk, edit: agents.create_agent("new", [], actor=nameless_admin(world)),
    "issue_key": lambda world, chunk, edit: identities.issue_key(
        actor=nameless_admin(world), agent=Agent.objects.get(tenant_id=world.tenant_id, slug="alice")
    ),
    "revoke_key": lambda world, chunk, edit: identities.revoke_key(
        world.keys["alice"].split("_")[1], actor=nameless_admin(world)
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_entry_no_change(world, change):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]

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
    """Append one signed entry by the gate function itself; `changes` are functions of the head."""
    with world.inside():
        head = db.lock_chain(tenant=world.tenant_id, name=GOVERNANCE)
        last = Chain.objects.get(tenant_id=world.tenant_id, id=head.id)
        head = dataclasses.replace(head, ts=last.ts)  # lock_chain() says now, where that is later
        assert head.public_key is not None
        key = keyring.signer_of(head.public_key)
        fields: dict[str, Any] = {
            "tenant": str(world.tenant_id),
            "chain": GOVERNANCE,
            "seq": head.seq + 1,
            "ts": (head.ts + timedelta(seconds=1)).isoformat(),
            "type": "test",
            "retention": "relationship",
            "content_hash": hashlib.sha256(b"x").hexdigest(),
            "prev_hash": head.head.hex(),
            "metadata": {"a": ["number", 1, None], "actor": system(world.tenant_id, "a test").as_json()},
        }
        sent: dict[str, Any] = {"signature": key.private.sign(b"x"), "key": key.public, "next": None}
        for name, change in changes.items():
            (sent if name in sent else fields)[name] = change(head)
        canonical = rfc8785.dumps(fields)
        with transaction.atomic():
            db.append_entries(
                tenant=world.tenant_id,
                chain=head.id,
                ids=[new_id()],
                canonical=[canonical],
                signatures=[sent["signature"]],
                public_key=sent["key"],
                next_key=sent["next"],
            )
        return fields, canonical


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": lambda head: head.seq + 2},
        {"seq": lambda head: head.seq},
        {"seq": lambda head: None},
        {"ts": lambda head: head.ts.isoformat()},
        {"ts": lambda head: (head.ts - timedelta(seconds=1)).isoformat()},
        {"ts": lambda head: None},
        {"prev_hash": lambda head: bytes(32).hex()},
        {"prev_hash": lambda head: None},
        {"tenant": lambda head: str(new_id())},
        {"chain": lambda head: "agent:alice"},
        {"signature": lambda head: bytes(63)},
    ],
)
def test_the_database_refuses_what_does_not_follow_the_head(world, changes):
    before = len(entries(world))

    with pytest.raises(Error, match="does not follow the head"):
        append(world, **changes)

    assert len(entries(world)) == before


@pytest.mark.parametrize("key", [None, bytes(32)])
def test_the_database_refuses_another_key_than_the_chains(world, key):
    before = len(entries(world))

    with pytest.raises(Error, match="not signed with this key"):
        append(world, key=lambda head: key)

    assert len(entries(world)) == before


@pytest.mark.parametrize("missing", ["type", "retention", "metadata"])
def test_the_database_refuses_an_entry_that_says_too_little(world, missing):
    before = len(entries(world))

    with pytest.raises(Error):
        append(world, **{missing: lambda head: None})

    assert len(entries(world)) == before


def test_the_database_reads_the_columns_out_of_the_bytes_and_hashes_them_itself(world):
    fields, canonical = append(world)

    last = entries(world)[-1]
    assert bytes(last.canonical) == canonical
    assert bytes(last.hash) == hashlib.sha256(canonical).digest()
    assert {
        "seq": last.seq,
        "ts": last.ts.isoformat(),
        "type": last.type,
        "retention": last.retention,
        "content_hash": bytes(last.content_hash).hex(),
        "prev_hash": bytes(last.prev_hash).hex(),
        "metadata": last.metadata,
    } == {name: value for name, value in fields.items() if name not in ("tenant", "chain")}
    with world.inside():
        head = Chain.objects.get(tenant_id=world.tenant_id, name=GOVERNANCE)
    assert (head.seq, head.head, head.ts) == (last.seq, bytes(last.hash), last.ts)


def test_many_entries_are_appended_in_one_call(world, django_assert_num_queries):
    before = len(entries(world))
    with gate.acting_as(world.bob_principal), django_assert_num_queries(2):
        drafts = [appending.Draft("test", {"number": number}) for number in range(10)]
        recorded = appending.append_all(drafts, actor=world.bob_principal)

    chain = entries(world)
    assert_unbroken(chain)
    assert [entry.metadata["number"] for entry in chain[before:]] == list(range(10))
    assert [(entry.id, entry.seq, entry.ts, bytes(entry.hash)) for entry in chain[before:]] == [
        dataclasses.astuple(one) for one in recorded
    ]


def test_no_drafts_are_no_entries(world, django_assert_num_queries):
    with world.inside(), django_assert_num_queries(0):
        assert appending.append_all([], actor=world.bob_principal, chain="agent:alice") == []


def test_a_chain_is_its_tenants(world, elsewhere):
    with pytest.raises(Error, match="not the tenant of this transaction"), world.inside():
        db.lock_chain(tenant=elsewhere.tenant_id, name=GOVERNANCE)
    with world.inside():
        assert not Entry.objects.filter(tenant_id=elsewhere.tenant_id).exists()
