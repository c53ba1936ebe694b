"""What is derived from words is void once a chunk says other words, or none: in the transaction of the change."""

import uuid

import pytest
from django.db import connections, transaction

from governance import edits
from governance.acting import gate
from memory.db import repair_effective

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

TABLE = (
    "CREATE TABLE test_embedding (tenant_id uuid, chunk_id uuid, content_id uuid, span_start int, span_end int,"
    " model text); GRANT SELECT, DELETE ON test_embedding TO suture_gate; GRANT CREATE ON SCHEMA public TO suture_gate"
)
FUNCTION = """
CREATE FUNCTION void_derived_of_test(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    DELETE FROM test_embedding e USING memory_effectivechunk x
    WHERE e.tenant_id = p_tenant AND e.chunk_id = ANY (p_chunks) AND x.tenant_id = p_tenant AND x.id = e.chunk_id
      AND (x.is_retracted OR x.superseded_by IS NOT NULL OR (e.content_id, e.span_start, e.span_end)
          IS DISTINCT FROM (x.content_id, x.span_start, x.span_end));
END $$
"""


class Embeddings:
    """What an app keeps that derives something from words."""

    def __init__(self, world):
        self.world = world

    def __call__(self, chunk):
        """Embed what the chunk says now, by two models."""
        with self.world.inside("owner"), connections["owner"].cursor() as cursor:
            cursor.execute(
                "INSERT INTO test_embedding SELECT tenant_id, id, content_id, span_start, span_end, m"
                " FROM memory_effectivechunk, unnest(ARRAY['one', 'two']) m WHERE tenant_id = %s AND id = %s",
                [self.world.tenant_id, chunk],
            )
            assert cursor.rowcount == 2
        return chunk

    def models(self, chunk):
        """Those by which the chunk is embedded."""
        rows = gate.rows("SELECT model FROM test_embedding WHERE chunk_id = %s ORDER BY 1", [chunk], using="owner")
        return [row["model"] for row in rows]


@pytest.fixture
def embedded(world):
    with connections["owner"].cursor() as cursor:
        with transaction.atomic("owner"):
            for statement in (*TABLE.split(";"), "SET LOCAL ROLE suture_gate", FUNCTION, "RESET ROLE"):
                cursor.execute(statement)
            cursor.execute("REVOKE CREATE ON SCHEMA public FROM suture_gate")
        yield Embeddings(world)
        cursor.execute("DROP FUNCTION void_derived_of_test(uuid, uuid[])")
        cursor.execute("DROP TABLE test_embedding")


@pytest.mark.parametrize(("op", "patch"), [("amend", {"text": "Other words"}), ("retract", {})])
def test_an_edit_of_the_words_voids_what_was_derived_from_them(world, embedded, op, patch):
    chunk, other = embedded(world.chunk("The words")), embedded(world.chunk("The words of another"))

    edit = world.edit(chunk, op, **patch)["edit_id"]

    assert embedded.models(chunk) == []
    assert embedded.models(other) == ["one", "two"]
    if op == "amend":
        embedded(chunk)
    world.edit(chunk, "revert", edit_id=edit)
    assert embedded.models(chunk) == [], "what was derived from the amended words"


@pytest.mark.parametrize(
    ("op", "patch"),
    [
        ("quarantine", {}),
        ("block", {"channel": "team"}),
        ("attenuate", {"importance": 0.1}),
        ("amend", {"importance": 1}),
    ],
)
def test_an_edit_that_keeps_the_words_keeps_it(world, embedded, op, patch):
    chunk = embedded(world.chunk("The words"))

    world.edit(chunk, op, **patch)

    assert embedded.models(chunk) == ["one", "two"]


def test_a_neighbour_that_gives_up_words_loses_it_too(world, embedded):
    first, second, third = world.event(" ".join(f"word{number}" for number in range(450)))["chunk_ids"]
    for chunk in (first, second, third):
        embedded(chunk)

    world.edit(first, "amend", text="Other words")

    assert [embedded.models(chunk) for chunk in (first, second, third)] == [[], [], ["one", "two"]]


def test_what_is_pending_or_undone_voids_nothing(world, embedded):
    chunk = embedded(world.chunk("The words"))

    world.edit(chunk, "quarantine", by=world.alice)  # waits for approval
    with world.inside():
        edits.propose_edit(
            actor=world.bob_principal, target_type="chunk", target_id=uuid.UUID(chunk), op="retract", reason="a test",
            patch=edits.Patch(),
        )  # fmt: skip
        assert gate.rows("SELECT is_retracted FROM memory_effectivechunk WHERE id = %s", [chunk])[0]["is_retracted"]
        transaction.set_rollback(True)

    assert embedded.models(chunk) == ["one", "two"]


def test_a_repair_voids_what_was_derived_from_a_wrong_row(world, embedded):
    chunk = world.chunk("The words")
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE memory_effectivechunk SET content_id = gen_random_uuid() WHERE id = %s", [chunk])
    embedded(chunk)

    with world.inside("owner"):
        repair_effective.on("owner")(tenant=world.tenant_id)

    assert embedded.models(chunk) == []
