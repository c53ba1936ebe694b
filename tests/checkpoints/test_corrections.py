"""Which memories of a checkpoint have changed since it was made."""

import json
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from governance.acting import gate
from memory.checkpoints import state_ids
from memory.usage.db import record_deliveries
from tests.checkpoints.sessions import Session

pytestmark = pytest.mark.django_db


def deliver(world, chunk, *, session_id, at=None, version=0, to=None):
    """Record, as the job does, that alice was given a chunk."""
    receiver = to or world.alice_principal
    given = {
        "id": str(uuid.uuid4()),
        "chunk_id": chunk,
        "version": version,
        "receiver_kind": "agent",
        "receiver_id": str(receiver.id),
        "receiver": receiver.name,
        "means": "search",
        "session_id": session_id,
        "at": (at or timezone.now()).isoformat(),
    }
    with gate.job(world.tenant_id):
        record_deliveries(tenant=world.tenant_id, deliveries=json.dumps([given]))


def corrected(session, made):
    return {one["chunk_id"]: one["change"] for one in session.restore(made["id"])["corrections"]}


def test_it_works(session, world):
    amended, same = world.chunk("Jack likes tea"), world.chunk("Jill likes tea")
    made = session.checkpoint(working_memory={"sources": [amended.upper(), same]})
    assert session.restore(made["id"])["corrections"] == []
    world.edit(amended, "amend", text="Jack likes coffee")
    assert session.restore(made["id"])["corrections"] == [
        {"chunk_id": amended, "version_then": 0, "version_now": 1, "change": "amended"}
    ]


@pytest.mark.parametrize(
    ("op", "fields", "change"),
    [
        ("retract", {}, "retracted"),
        ("quarantine", {}, "quarantined"),
        ("block", {"channel": "public"}, "blocked"),
        ("audience", {"audience": {"principals": ["agent:alice"]}}, "audience"),
        ("attenuate", {"importance": 0.1}, "attenuated"),
        ("amend", {"importance": 0.9}, "attenuated"),
        ("amend", {"text": "Another"}, "amended"),
    ],
)
@pytest.mark.parametrize("delivered", [False, True])
def test_every_edit_since_is_named(session, world, op, fields, change, delivered):
    chunk = world.chunk("Jack likes tea")
    if delivered:
        deliver(world, chunk, session_id=session.id)
    made = session.checkpoint(messages=[] if delivered else [{"text": f"see {chunk}."}])
    world.edit(chunk, op, **fields)
    assert corrected(session, made) == {chunk: change}


def test_what_was_so_before_is_not_named(session, world):
    chunk = world.chunk("Jack likes tea")
    world.edit(chunk, "amend", text="Jack likes coffee")
    world.edit(chunk, "quarantine")
    made = session.checkpoint(working_memory=chunk)
    assert corrected(session, made) == {}


def test_an_edit_that_was_reverted_since_is_none(session, world):
    chunk = world.chunk("Jack likes tea")
    made = session.checkpoint(working_memory=chunk)
    edit = world.edit(chunk, "amend", text="Jack likes coffee")["edit_id"]
    world.edit(chunk, "revert", edit_id=edit)
    assert corrected(session, made) == {}


def test_a_revert_since_of_an_edit_before_is_named(session, world):
    chunk = world.chunk("Jack likes tea")
    edit = world.edit(chunk, "amend", text="Jack likes coffee")["edit_id"]
    made = session.checkpoint(working_memory=chunk)
    world.edit(chunk, "revert", edit_id=edit)
    assert corrected(session, made) == {chunk: "amended"}


def test_what_replaced_an_edit_of_before_is_named(session, world):
    chunk = world.chunk("Jack likes tea")
    edit = world.edit(chunk, "amend", text="Jack likes coffee")["edit_id"]
    made = session.checkpoint(working_memory=chunk)
    world.edit(chunk, "revert", edit_id=edit)
    world.edit(chunk, "amend", text="Jack likes milk")
    assert session.restore(made["id"])["corrections"] == [
        {"chunk_id": chunk, "version_then": 1, "version_now": 1, "change": "amended"}
    ]


def test_a_superseded_memory_is_named(session, world):
    kept = world.alice.ok("post", "tools/memory_commit", {"content": "Jack likes tea"})
    made = session.checkpoint(working_memory=kept)
    world.alice.ok("post", "tools/memory_rethink", {"supersedes": [kept["seq"]], "new_understanding": "Milk"})
    assert list(corrected(session, made).values()) == ["superseded"]


def test_only_deliveries_in_the_session_to_the_agent_before_the_checkpoint_count(session, world, agent_in):
    early, late, other = (world.chunk(f"Jack likes {what}") for what in ("tea", "milk", "rum"))
    deliver(world, early, session_id=session.id)
    deliver(world, other, session_id="another")
    made = session.checkpoint()
    deliver(world, late, session_id=session.id, at=timezone.now() + timedelta(seconds=1))
    for chunk in (early, late, other):
        world.edit(chunk, "retract")
    assert corrected(session, made) == {early: "retracted"}


def test_another_tenants_ids_mean_nothing(session, charlie, elsewhere, world):
    theirs = elsewhere.chunk("Jack likes tea")
    made = session.checkpoint(working_memory=[theirs, str(uuid.uuid4())])
    elsewhere.edit(theirs, "retract")
    assert corrected(session, made) == {}


def test_an_id_is_found_wherever_it_stands(session, world):
    chunk = world.chunk("Jack likes tea")
    made = Session(world.alice, "other").checkpoint(repl_state={f"seen_{chunk}_": 1}, messages=[])
    world.edit(chunk, "retract")
    assert corrected(session, made) == {chunk: "retracted"}


def test_of_too_many_ids_the_servers_own_are_compared_first(session, world, monkeypatch):
    monkeypatch.setattr(state_ids, "MAX_NAMED", 3)
    chunk = world.chunk("Jack likes tea")
    made = session.checkpoint(working_memory=[*(str(uuid.uuid4()) for _ in range(9)), chunk])
    world.edit(chunk, "retract")
    assert corrected(session, made) == {chunk: "retracted"}
