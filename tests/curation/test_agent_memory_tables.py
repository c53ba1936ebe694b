"""What the specification says of the tables of agents' own memory."""

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


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
