"""Whatever is changed of sealed rows, their words and their leaves, verification names its kind and place."""

import uuid

import pytest
from django.db import connections

from tests.ledger.tampering import FLIP, assert_found, leaves, tamper, unguarded

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


ROWS = {
    "event": ("memory_event", "actor_id = 'somebody else'"),
    "chunk": ("memory_chunk", "importance = 0.99"),
    "decision": ("memory_decision", "session_id = 'another'"),
    "task": ("memory_task", "status = 'done'"),
    "artifact": ("memory_artifact", "media_type = 'text/html'"),
    "edit": ("governance_edit", "reason = 'another'"),
    "verdict": ("governance_verdict", "decider = 'somebody else'"),
    "access": ("governance_accessrecord", "actor = 'somebody else'"),
}


def position_of(world, kind):
    return next(leaf for leaf in leaves(world) if leaf.kind == kind)


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_changed_after_its_seal_is_found(world, kept, kind):
    leaf = position_of(world, kind)
    table, assignment = ROWS[kind]
    with unguarded(table) as cursor:
        cursor.execute(
            f"UPDATE {table} SET {assignment} WHERE tenant_id = %s AND id = %s", [world.tenant_id, leaf.row_id]
        )
        assert cursor.rowcount == 1

    assert_found(world, f"content mismatch: leaves at {leaf.position}")


@pytest.mark.parametrize("kind", ["access", "verdict", "task", "artifact"])
def test_a_row_deleted_after_its_seal_is_found(world, kept, kind):
    leaf = position_of(world, kind)
    table, _ = ROWS[kind]
    with unguarded(table) as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE tenant_id = %s AND id = %s", [world.tenant_id, leaf.row_id])
        assert cursor.rowcount == 1

    assert_found(world, f"content missing without redaction: leaves at {leaf.position}")


def content_of(world, kind):
    """The leaf of a row of this kind, and the id of the content that holds its words."""
    leaf = position_of(world, kind)
    table, _ = ROWS[kind]
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            f"SELECT content_id FROM {table} WHERE tenant_id = %s AND id = %s", [world.tenant_id, leaf.row_id]
        )
        (content_id,) = cursor.fetchone()
    return leaf, content_id


def test_altered_words_are_found(world, kept):
    _, content_id = content_of(world, "chunk")
    tamper(
        "governance_content",
        "UPDATE governance_content SET body = body || ' not' WHERE tenant_id = %s AND id = %s",
        world.tenant_id,
        content_id,
    )

    assert_found(world, f"content mismatch: content: the words of {content_id} do not match their hash")


@pytest.mark.parametrize("kind", ["event", "chunk", "decision", "edit"])
def test_words_altered_together_with_their_hash_are_found(world, kept, kind):
    leaf, content_id = content_of(world, kind)
    tamper(
        "governance_content",
        "UPDATE governance_content SET body = 'other words', sha256 = sha256(salt || 'other words'::bytea)"
        " WHERE tenant_id = %s AND id = %s",
        world.tenant_id,
        content_id,
    )

    assert_found(world, f"content mismatch: leaves at {leaf.position}")


@pytest.mark.parametrize("kind", ["event", "chunk", "decision", "edit"])
def test_words_deleted_without_an_erasure_are_found(world, kept, kind):
    _, content_id = content_of(world, kind)
    tamper(
        "governance_content",
        "DELETE FROM governance_content WHERE tenant_id = %s AND id = %s",
        world.tenant_id,
        content_id,
    )

    assert_found(world, f"content missing without redaction: content: the words of {content_id} are gone")


def test_words_deleted_under_the_pretext_of_an_erasure_are_found(world, kept):
    """The row that an erasure leaves is the owner's to write; the redaction in the ledger is not."""
    _, content_id = content_of(world, "chunk")
    with unguarded("governance_content") as cursor:
        cursor.execute(
            "INSERT INTO governance_erasedcontent (tenant_id, id, sha256, erasure_id, erased_at)"
            " SELECT tenant_id, id, sha256, %s, now() FROM governance_content WHERE tenant_id = %s AND id = %s",
            [uuid.uuid4(), world.tenant_id, content_id],
        )
        cursor.execute("DELETE FROM governance_content WHERE tenant_id = %s AND id = %s", [world.tenant_id, content_id])

    assert_found(world, f"content missing without redaction: content: the words of {content_id} are gone")


def test_a_changed_leaf_is_found(world, kept):
    leaf = position_of(world, "chunk")
    with unguarded("governance_leaf") as cursor:
        cursor.execute(
            f"UPDATE governance_leaf SET {FLIP.format('hash', 3)} WHERE tenant_id = %s AND position = %s",
            [world.tenant_id, leaf.position],
        )

    assert_found(world, "seal mismatch: governance at")
    assert_found(world, f"content mismatch: leaves at {leaf.position}")


@pytest.mark.parametrize(
    ("assignment", "place"),
    [
        ("kind = 'nothing'", "content missing without redaction: leaves at {}"),
        ("kind = 'verdict'", "content missing without redaction: leaves at {}"),
        ("row_id = gen_random_uuid()", "content missing without redaction: leaves at {}"),
        ("position = position + 1000000", "gap: leaves at {}"),
        ("position = -5", "gap: leaves at 0"),
    ],
)
def test_a_leaf_that_says_another_row_is_found(world, kept, assignment, place):
    leaf = position_of(world, "chunk")
    tamper(
        "governance_leaf",
        f"UPDATE governance_leaf SET {assignment} WHERE tenant_id = %s AND position = %s",
        world.tenant_id,
        leaf.position,
    )

    assert_found(world, place.format(leaf.position))


def test_a_deleted_last_leaf_is_found(world, kept):
    last = leaves(world)[-1].position
    tamper(
        "governance_leaf",
        "DELETE FROM governance_leaf WHERE tenant_id = %s AND position = %s",
        world.tenant_id,
        last,
    )

    assert_found(world, "truncated: governance at")
