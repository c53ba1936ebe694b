"""Whatever a superuser makes the database say about itself, verification names what was changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connections, transaction

from governance.database.functions import definitions
from governance.ledger import sealing, table_rows, tree_heads, verification
from tests.ledger.tampering import (
    append,
    assert_found,
    assert_intact,
    change_entry,
    entries,
    leaves,
    tamper,
    verify_chain,
)
from tests.world import World

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


@contextmanager
def changed(*statements: str, back: list[str]) -> Iterator[None]:
    """What the owner changes of the database's own guards, until the end."""

    def run(lines: Any) -> None:
        with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
            for line in lines:
                cursor.execute(line)

    run(statements)
    try:
        yield
    finally:
        run(back)


@contextmanager
def replaced(app: str, name: str, text: str) -> Iterator[None]:
    """The function `name` says what `text` makes it say, until the end."""
    may, may_not = "GRANT CREATE ON SCHEMA public TO suture_gate", "REVOKE CREATE ON SCHEMA public FROM suture_gate"
    as_gate, as_owner = "SET LOCAL ROLE suture_gate", "RESET ROLE"
    with changed(
        may, as_gate, text, as_owner, may_not, back=[may, as_gate, definitions(app)[name].statement, as_owner, may_not]
    ):
        yield


def change_an_event(world: World) -> int:
    """Let a sealed event name another actor; the position of its leaf."""
    leaf = next(leaf for leaf in leaves(world) if leaf.kind == "event")
    tamper(
        "memory_event",
        "UPDATE memory_event SET actor_id = 'somebody else' WHERE tenant_id = %s AND id = %s",
        world.tenant_id,
        leaf.row_id,
    )
    return leaf.position


def test_a_replaced_leaf_hash_hides_nothing(world, kept):
    position = change_an_event(world)
    with replaced(
        "governance",
        "leaf_hash",
        "CREATE OR REPLACE FUNCTION leaf_hash(p_row jsonb) RETURNS bytea LANGUAGE sql STABLE AS $$"
        " SELECT l.hash FROM governance_leaf l WHERE l.row_id = (p_row ->> 2)::uuid LIMIT 1 $$",
    ):
        assert_found(world, f"content mismatch: leaves at {position}")


def test_replaced_leaves_of_a_kind_hide_nothing(world, kept):
    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE TABLE testing.kept AS SELECT * FROM memory_event")
        cursor.execute("GRANT SELECT ON testing.kept TO suture_gate")
    position = change_an_event(world)
    text = definitions("memory")["leaves_of_event"].statement.replace("FROM memory_event t", "FROM testing.kept t")
    assert "testing.kept" in text
    with replaced("memory", "leaves_of_event", text), changed(back=["DROP TABLE testing.kept"]):
        assert_found(world, f"content mismatch: leaves at {position}")


def test_no_function_of_the_database_is_asked(world, kept):
    """Each is replaced by one that fails, or could be: a verdict calls none."""
    with transaction.atomic("verifier"), connections["verifier"].cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace"
            " AND p.proowner = 'suture_gate'::regrole AND has_function_privilege(p.oid, 'EXECUTE')"
        )
        assert cursor.fetchall() == []


def test_a_view_in_the_place_of_a_table_is_found(world, kept):
    with changed(
        "ALTER TABLE memory_event RENAME TO hidden_event",
        "CREATE VIEW memory_event AS SELECT * FROM hidden_event",
        back=["DROP VIEW memory_event", "ALTER TABLE hidden_event RENAME TO memory_event"],
    ):
        assert_found(world, "schema changed: rows: memory_event is not an ordinary table")
    assert_intact(world)


def test_a_view_in_the_place_of_the_entries_is_found(world, kept):
    with changed(
        "ALTER TABLE governance_entry RENAME TO hidden_entry",
        "CREATE VIEW governance_entry AS SELECT * FROM hidden_entry",
        "GRANT SELECT ON governance_entry TO suture_app, suture_gate",
        "GRANT INSERT ON governance_entry TO suture_gate",
        back=["DROP VIEW governance_entry", "ALTER TABLE hidden_entry RENAME TO governance_entry"],
    ):
        code, told = verify_chain(world)
        assert code == 1
        assert "schema changed: rows: governance_entry is not an ordinary table" in told


def test_rows_of_an_inheriting_table_are_found(world, kept):
    with changed("CREATE TABLE testing.more () INHERITS (memory_event)", back=["DROP TABLE testing.more"]):
        assert_found(world, "schema changed: rows: memory_event has rules, or shares its rows with another table")


def test_a_column_of_another_type_is_found(world, kept):
    with changed(
        "ALTER TABLE memory_delivery ALTER COLUMN version TYPE text",
        back=["ALTER TABLE memory_delivery ALTER COLUMN version TYPE integer USING version::integer"],
    ):
        assert_found(world, "schema changed: rows: memory_delivery has no column version of the type integer")


def test_a_policy_hides_no_row(world, kept):
    position = change_an_event(world)
    with changed(
        "CREATE POLICY hides ON memory_event AS RESTRICTIVE USING (actor_id <> 'somebody else')",
        back=["DROP POLICY hides ON memory_event"],
    ):
        assert_found(world, f"content mismatch: leaves at {position}")


def test_a_table_that_comes_first_in_the_search_path_is_not_read(world, kept):
    position = change_an_event(world)
    connections["verifier"].close()
    name = connections["owner"].settings_dict["NAME"]
    with changed(
        "CREATE TABLE testing.memory_event AS SELECT * FROM public.memory_event LIMIT 0",
        f'ALTER DATABASE "{name}" SET search_path = testing, public',
        back=["DROP TABLE testing.memory_event", f'ALTER DATABASE "{name}" RESET search_path'],
    ):
        assert_found(world, f"content mismatch: leaves at {position}")
    connections["verifier"].close()


def test_a_role_that_row_security_binds_verifies_nothing(world, kept):
    with pytest.raises(table_rows.VerifierIsBlind) as refused:
        verification.verify(world.tenant_id, using="review")
    assert "is subject to row security" in refused.value.for_operator


@pytest.mark.parametrize(
    ("column", "changed_to"),
    [("metadata", """jsonb_set(metadata, '{number}', 'true')"""), ("ts", "'infinity'")],
)
def test_a_column_of_an_entry_that_python_takes_for_equal_is_found(world, column, changed_to):
    append(world, 3)
    seq = entries(world)[-1].seq
    change_entry(world, seq, "metadata = metadata || '{\"number\": 1}'")
    assert_found(world, f"content mismatch: governance at {seq}")
    change_entry(world, seq, f"{column} = {changed_to}")

    assert_found(world, f"content mismatch: governance at {seq}")


@pytest.mark.parametrize(
    ("assignment", "found"), [("size = size + 1", "as its row says"), ("root = sha256('')", "root")]
)
def test_a_changed_row_of_the_tree_is_found(world, kept, assignment, found):
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"UPDATE governance_merkletree SET {assignment} WHERE tenant_id = %s", [world.tenant_id])

    code, told = verify_chain(world)
    assert code == 1
    assert "seal mismatch: leaves at" in told
    assert found in told


def test_a_row_that_is_there_twice_is_found(world, kept):
    leaf = next(leaf for leaf in leaves(world) if leaf.kind == "delivery")
    key = "ALTER TABLE memory_delivery {} CONSTRAINT memory_delivery_pkey"
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'memory_delivery_pkey'")
        (definition,) = cursor.fetchone()
    with changed(
        key.format("DROP"),
        f"INSERT INTO memory_delivery SELECT * FROM memory_delivery WHERE id = '{leaf.row_id}'",
        back=[
            "ALTER TABLE memory_delivery DISABLE TRIGGER USER",
            f"DELETE FROM memory_delivery d WHERE id = '{leaf.row_id}' AND ctid <> (SELECT min(ctid) FROM"
            f" memory_delivery WHERE id = '{leaf.row_id}')",
            "ALTER TABLE memory_delivery ENABLE TRIGGER USER",
            f"{key.format('ADD')} {definition}",
            "SELECT governance_guard_always()",
        ],
    ):
        assert_found(world, f"content mismatch: leaves at {leaf.position}")


def test_nothing_is_published_over_a_row_that_was_changed(world):
    world.event("before the seal")
    sealing.seal_all(world.tenant_id)
    with replaced(
        "governance",
        "leaf_hash",
        "CREATE OR REPLACE FUNCTION leaf_hash(p_row jsonb) RETURNS bytea LANGUAGE sql STABLE AS $$"
        " SELECT l.hash FROM governance_leaf l WHERE l.row_id = (p_row ->> 2)::uuid LIMIT 1 $$",
    ):
        change_an_event(world)
        with pytest.raises(tree_heads.TreeHeadRefused, match="was changed after it was sealed"):
            tree_heads.publish(world.tenant_id)


def test_nothing_is_published_over_a_view(world):
    world.event("before the seal")
    sealing.seal_all(world.tenant_id)
    with (
        changed(
            "ALTER TABLE memory_delivery RENAME TO hidden_delivery",
            "CREATE VIEW memory_delivery AS SELECT * FROM hidden_delivery",
            back=["DROP VIEW memory_delivery", "ALTER TABLE hidden_delivery RENAME TO memory_delivery"],
        ),
        pytest.raises(tree_heads.TreeHeadRefused, match="memory_delivery is not an ordinary table"),
    ):
        tree_heads.publish(world.tenant_id)
