"""Every move is in the record and in the ledger, once, whoever runs the job and however it ends."""

import uuid

import pytest
from django.db import Error, connections

from governance.ledger import appending
from governance.ledger.verification import verify
from governance.models import Entry
from memory.tiers import promoting
from tests.tiers.usage import NOW
from tests.updating import updates_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def chunks(world, usage):
    """`chunks(5)` are as many chunks, due to come into session."""

    def make(count):
        made = [world.chunk(f"The quick brown fox {number}") for number in range(count)]
        for chunk in made:
            usage.used(chunk, "one", times=2)
        return made

    return make


def entries(world):
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, type="promotion").order_by("seq"))


def in_entries(world):
    return [chunk for entry in entries(world) for chunk in entry.metadata["chunks"]]


def test_a_move_has_its_entry(world, usage, chunks, no_drift):
    (chunk,) = chunks(1)
    usage.run()
    (entry,) = entries(world)
    said = entry.metadata
    assert (said["kind"], said["reason"], said["count"], said["chunks"]) == ("automatic", "", 1, [chunk])
    (move,) = said["moves"]
    assert (move["from"], move["to"], move["evidence"]["uses_in_session"]) == ("task", "session", 2)
    assert said["thresholds"]["uses_in_session"] == 2
    assert said["actor"]["kind"] == "system"
    no_drift()
    assert verify(world.tenant_id).ok


def test_moves_of_a_batch_share_an_entry_that_the_database_owes(world, usage, chunks, monkeypatch):
    made = chunks(5)
    monkeypatch.setattr(promoting, "MOVES_PER_ENTRY", 2)
    with pytest.raises(Error, match="entry"):
        usage.run()
    assert usage.moves() == []
    monkeypatch.undo()
    usage.run()
    (entry,) = entries(world)
    assert sorted(entry.metadata["chunks"]) == sorted(made)


def test_a_batch_is_one_transaction(world, usage, chunks):
    made = chunks(5)
    assert usage.run(batch=2).moved.total() == 5
    assert sorted(in_entries(world)) == sorted(made)
    assert all(usage.tier(chunk) == "session" for chunk in made)


def test_two_runs_at_once_move_each_chunk_once(world, usage, chunks, at_once, no_drift):
    made = chunks(40)
    runs = at_once(*[lambda: usage.run(batch=5)] * 3)
    assert sum(run.moved.total() for run in runs) == 40
    assert sorted(in_entries(world)) == sorted(made)
    assert sorted(str(one.chunk_id) for one in usage.moves()) == sorted(made)
    no_drift()


def test_a_run_that_is_killed_loses_nothing_and_doubles_nothing(world, usage, chunks, monkeypatch, no_drift):
    made = chunks(6)
    record_all = appending.record_all
    recorded: list[bool] = []

    def dies_in_the_second_batch(drafts, **arguments):
        if recorded:
            raise SystemExit("killed")
        recorded.append(True)
        return record_all(drafts, **arguments)

    monkeypatch.setattr(appending, "record_all", dies_in_the_second_batch)
    with pytest.raises(SystemExit):
        usage.run(batch=4)
    assert len(in_entries(world)) == len(usage.moves()) == 4
    monkeypatch.undo()
    usage.run(batch=4)
    assert sorted(in_entries(world)) == sorted(made)
    assert [one.number for one in usage.moves()] == [1] * 6
    no_drift()


def test_a_chunk_that_an_edit_has_locked_stays_due(world, usage, chunks):
    chunk, other = chunks(2)
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT FROM memory_effectivechunk WHERE tenant_id = %s AND id = %s FOR UPDATE", [world.tenant_id, chunk]
        )
        usage.run()
        assert (usage.tier(chunk), usage.tier(other)) == ("task", "session")
    usage.run()
    assert usage.tier(chunk) == "session"


def test_without_an_entry_nothing_moves(world, usage, chunks, monkeypatch):
    (chunk,) = chunks(1)
    monkeypatch.setattr(appending, "record_all", lambda *_, **__: [])
    with pytest.raises(Error, match="promotion"):
        usage.run()
    assert (usage.tier(chunk), usage.moves()) == ("task", [])


def test_a_move_writes_to_no_index(world, usage, chunks):
    """Only the tier's column changes, in place (HOT): the vectors of words are written once."""
    made = chunks(3)

    with (
        world.inside("owner"),
        connections["owner"].cursor() as cursor,
        updates_of("memory_effectivechunk", "owner") as updates,
    ):
        cursor.execute("SET LOCAL ROLE suture_gate")
        cursor.execute(
            "SELECT set_tier(%s, %s::uuid[], %s)", [world.tenant_id, [uuid.UUID(c) for c in made], ["session"] * 3]
        )
        cursor.execute("RESET ROLE")
    assert (updates.rows, updates.of_indexed_columns) == (3, 0)


def test_the_tier_survives_an_edit_and_a_repair(world, usage, chunks, owner):
    from memory.db import repair_effective

    (chunk,) = chunks(1)
    usage.run()
    world.edit(chunk, "amend", text="The slow brown fox")
    assert usage.tier(chunk) == "session"
    with world.inside("owner"):
        owner(
            "UPDATE memory_effectivechunk SET tier = 'archive' WHERE tenant_id = %s AND id = %s RETURNING id",
            [world.tenant_id, chunk],
        )
        (found,) = owner("SELECT * FROM effective_drift(%s)", [world.tenant_id])
        assert found["problem"] == "tier"
        assert repair_effective.on("owner")(tenant=world.tenant_id) == 1
    assert usage.tier(chunk) == "session"


def test_due_chunks_of_another_tenant_stay(world, elsewhere, usage, chunks):
    from tests.tiers.usage import Usage

    theirs = Usage(elsewhere)
    other = elsewhere.chunk()
    theirs.used(other, "one", times=2)
    (chunk,) = chunks(1)
    usage.run()
    assert (usage.tier(chunk), theirs.tier(other)) == ("session", "task")
    assert theirs.run(NOW).moved.total() == 1
