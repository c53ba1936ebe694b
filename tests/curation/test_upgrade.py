"""What was there before agents had memory of their own: agents without chains, ledgers without their entries."""

import pytest
from django.db import connection

from governance.identity import agents
from governance.models import Chain, Entry
from tests.ledger.tampering import assert_intact, exported, unguarded
from tests.world import make_world

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def open_agent_chains(world):
    """What `manage.py migrate` does about the agents that it finds without a chain."""
    return agents.open_agent_chains({world.tenant_id: ["alice"]})


@pytest.fixture
def world(db):
    """A tenant as it was before: it lived, and its agent has no chain."""
    world = make_world()
    world.edit(world.chunk("Jack likes tea"), "retract")
    with unguarded("governance_entry") as cursor:
        for table in ("governance_entry", "governance_chain"):
            cursor.execute(
                f"DELETE FROM {table} x USING governance_chain c WHERE c.tenant_id = %s AND c.name = 'agent:alice'"
                f" AND x.tenant_id = c.tenant_id AND x.{'chain_id' if table == 'governance_entry' else 'id'} = c.id",
                [world.tenant_id],
            )
            assert cursor.rowcount == 1
    return world


def test_the_agents_that_exist_get_their_chains_once_and_everything_verifies(world, agent):
    before = exported(world)
    assert_intact(world)

    assert open_agent_chains(world) == 1
    assert open_agent_chains(world) == 0

    with world.inside():
        chain = Chain.objects.get(tenant_id=world.tenant_id, name="agent:alice")
        assert Entry.objects.filter(tenant_id=world.tenant_id, chain_id=chain.id, type="identity").count() == 1
    assert set(before.splitlines()[1:]) <= set(exported(world).splitlines())
    assert agent.commit("Jack likes rain")["seq"] == 1
    assert_intact(world)


def test_without_its_chain_an_agent_is_told_what_is_missing_and_nothing_is_written(world, agent):
    answer = world.alice.post("tools/memory_commit", {"content": "Jack likes rain"})
    assert answer.status_code == 409
    assert "chain" in answer.json()["detail"]
    assert open_agent_chains(world) == 1
    assert agent.listed() == []


def test_the_columns_of_the_specification_have_its_defaults():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, column_default, is_nullable FROM information_schema.columns WHERE table_name ="
            " 'memory_effectivechunk' AND column_name IN ('is_superseded', 'superseded_by', 'block_label', 'is_core')"
        )
        assert set(cursor.fetchall()) == {
            ("is_superseded", "false", "NO"),
            ("superseded_by", None, "YES"),
            ("block_label", None, "YES"),
            ("is_core", "false", "NO"),
        }


def test_the_indexes_of_the_specification_are_partial_as_it_says():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname, split_part(indexdef, ' WHERE ', 2) FROM pg_indexes WHERE tablename ="
            " 'memory_effectivechunk' AND indexname LIKE 'effective_chunk_%%'"
        )
        found = dict(cursor.fetchall())
    assert "is_core" in found["effective_chunk_core"]
    assert "block_label IS NOT NULL" in found["effective_chunk_block"]
    assert "NOT is_superseded" in found["effective_chunk_active"]


def test_the_relation_of_consolidations_is_read_under_its_name(world, agent):
    open_agent_chains(world)
    seqs = agent.commits("Jack likes tea with milk", "Jack likes rain")
    made = agent.rethink(seqs, "Jack likes both")["consolidationSeq"]
    agent.update("goals", "Ship it")
    agent.update("goals", "Sell it")
    with world.inside(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT consolidation_seq, superseded_seq FROM consolidations WHERE tenant_id = %s ORDER BY 2",
            [world.tenant_id],
        )
        assert cursor.fetchall() == [(made, seq) for seq in seqs]
