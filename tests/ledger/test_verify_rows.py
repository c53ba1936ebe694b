"""Whatever is changed of sealed rows, their words and their leaves, verification names its kind and place."""

import uuid

import pytest
from django.db import connections

from governance.ledger import sealed_kinds
from tests.ledger.tampering import FLIP, assert_all_found, assert_found, leaves, tamper, unguarded

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


TABLES = {kind.name: kind.table for kind in sealed_kinds.kinds()}
#: A change of a row of each kind. A new kind of sealed rows has no test of its own until it is here.
CHANGES = {
    "event": "actor_id = 'somebody else'",
    "chunk": "importance = 0.99",
    "decision": "session_id = 'another'",
    "task": "status = 'done'",
    "artifact": "media_type = 'text/html'",
    "context_bundle": "items = '[]'",
    "capsule": "may_forward = NOT may_forward",
    "capsule_item": "position = position + 100",
    "capsule_audience": "expires_at = expires_at + interval '1 year'",
    "edit": "reason = 'another'",
    "verdict": "decider = 'somebody else'",
    "access": "actor = 'somebody else'",
    "agent_memory": "reason = 'another'",
    "delivery": "receiver = 'somebody else'",
    "capture": "tool_name = 'another'",
    "capture_removal": "remover = 'somebody else'",
    "file_version": "file_path = 'another'",
    "promotion": "to_tier = 'archive'",
    "checkpoint": "path = 'another'",
    "checkpoint_removal": "remover = 'somebody else'",
    "operation_done": "agent = 'somebody else'",
    "outcome": "outcome = CASE outcome WHEN 'success' THEN 'failure' ELSE 'success' END",
    "confidence_change": "after = 0.99",
    "relation": "key = 'another'",
    "value": "channel = 'public'",
    "audience": "usersets = '{patient:mallory}'",
    "relation_tuple": "principal = 'patient:mallory'",
    "relation_revocation": "reason = 'another'",
}
#: Rows that others refer to: a foreign key keeps even the owner from deleting them.
REFERENCED = {"event", "chunk", "capsule", "edit", "relation_tuple"}
#: Where the kinds that have words hold the ids of their content rows.
WORDS = {
    "event": ("content_id", "fields_id"),
    "chunk": ("content_id",),
    "decision": ("content_id", "details_id"),
    "task": ("content_id", "details_id"),
    "artifact": ("content_id",),
    "capsule": ("note_id", "risks_id"),
    "edit": ("content_id",),
    "value": ("content_id",),
}
EVERY_TEXT = [(kind, column) for kind, columns in WORDS.items() for column in columns]


def row_of(world, kind, column="id"):
    """The leaf of a row of this kind that has something in the column, and what it has."""
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            f"SELECT id, {column} FROM {TABLES[kind]} WHERE tenant_id = %s AND {column} IS NOT NULL LIMIT 1",
            [world.tenant_id],
        )
        id_, value = cursor.fetchone()
    return next(leaf for leaf in leaves(world) if (leaf.kind, leaf.row_id) == (kind, id_)), value


def position_of(world, kind):
    return row_of(world, kind)[0]


def test_every_kind_is_tested():
    assert CHANGES.keys() == TABLES.keys()


def test_the_words_of_every_kind_that_has_some_are_tested():
    declared = {
        kind.name: tuple(one.column for one in kind.form.words) for kind in sealed_kinds.kinds() if kind.form.words
    }
    assert declared == WORDS


def test_a_row_changed_after_its_seal_is_found(world, kept):
    """One of each kind, all in one ledger: each is named by its own place."""
    places = {}
    for kind, table in TABLES.items():
        leaf = position_of(world, kind)
        with unguarded(table) as cursor:
            cursor.execute(
                f"UPDATE {table} SET {CHANGES[kind]} WHERE tenant_id = %s AND id = %s", [world.tenant_id, leaf.row_id]
            )
            assert cursor.rowcount == 1, kind
        places[kind] = f"content mismatch: leaves at {leaf.position}"

    assert len(set(places.values())) == len(TABLES)
    assert_all_found(world, places)


def test_a_row_deleted_after_its_seal_is_found(world, kept):
    """One of each kind that nothing refers to."""
    places = {}
    for kind in TABLES.keys() - REFERENCED:
        leaf, table = position_of(world, kind), TABLES[kind]
        with unguarded(table) as cursor:
            cursor.execute(f"DELETE FROM {table} WHERE tenant_id = %s AND id = %s", [world.tenant_id, leaf.row_id])
            assert cursor.rowcount == 1, kind
        places[kind] = f"content missing without redaction: leaves at {leaf.position}"

    assert_all_found(world, places)


def test_altered_words_are_found(world, kept):
    _, content_id = row_of(world, "chunk", "content_id")
    tamper(
        "governance_content",
        "UPDATE governance_content SET body = body || ' not' WHERE tenant_id = %s AND id = %s",
        world.tenant_id,
        content_id,
    )

    assert_found(world, f"content mismatch: content: the words of {content_id} do not match their hash")


def test_words_altered_together_with_their_hash_are_found(world, kept):
    """One text of each column that has words."""
    places = {}
    for kind, column in EVERY_TEXT:
        leaf, content_id = row_of(world, kind, column)
        tamper(
            "governance_content",
            "UPDATE governance_content SET body = 'other words', sha256 = sha256(salt || 'other words'::bytea)"
            " WHERE tenant_id = %s AND id = %s",
            world.tenant_id,
            content_id,
        )
        places[kind, column] = f"content mismatch: leaves at {leaf.position}"

    assert_all_found(world, places)


def test_words_deleted_without_an_erasure_are_found(world, kept):
    """One text of each column that has words."""
    found = {(kind, column): row_of(world, kind, column)[1] for kind, column in EVERY_TEXT}
    for content_id in set(found.values()):
        tamper(
            "governance_content",
            "DELETE FROM governance_content WHERE tenant_id = %s AND id = %s",
            world.tenant_id,
            content_id,
        )

    assert_all_found(
        world,
        {
            text: f"content missing without redaction: content: the words of {content_id} are missing"
            for text, content_id in found.items()
        },
    )


def test_words_deleted_under_the_pretext_of_an_erasure_are_found(world, kept):
    """The row that an erasure leaves is the owner's to write; the redaction in the ledger is not."""
    _, content_id = row_of(world, "chunk", "content_id")
    with unguarded("governance_content") as cursor:
        cursor.execute(
            "INSERT INTO governance_erasedcontent (tenant_id, id, sha256, erasure_id, erased_at)"
            " SELECT tenant_id, id, sha256, %s, now() FROM governance_content WHERE tenant_id = %s AND id = %s",
            [uuid.uuid4(), world.tenant_id, content_id],
        )
        cursor.execute("DELETE FROM governance_content WHERE tenant_id = %s AND id = %s", [world.tenant_id, content_id])

    assert_found(world, f"content missing without redaction: content: the words of {content_id} are missing")


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
