"""The projection holds the effective text: of whatever readers may see at all, and of nothing else."""

import pytest
from django.db import connections

from memory.db import effective_drift, repair_effective
from tests.erasure.conftest import admins_of
from tests.updating import updates_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def texts(world, owner):
    """`texts()` answers the text in each row of the projection by its id."""

    def read():
        with world.inside("owner"):
            rows = owner("SELECT id, text FROM memory_effectivechunk WHERE tenant_id = %s", [world.tenant_id])
        return {str(row["id"]): row["text"] for row in rows}

    return read


def as_owner(world, sql, *parameters):
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.rowcount


def drift(world):
    with world.inside("owner"):
        return [(row.kind, row.problem) for row in effective_drift.on("owner")(tenant=world.tenant_id)]


def test_it_follows_the_edits(world, texts):
    chunk = world.chunk("Jack likes tea")
    assert texts() == {chunk: "Jack likes tea"}

    amended = world.edit(chunk, "amend", text="Jack likes coffee")["edit_id"]
    assert texts() == {chunk: "Jack likes coffee"}

    for op, patch, left in (
        ("attenuate", {"importance": 0.1}, "Jack likes coffee"),
        ("quarantine", {}, "Jack likes coffee"),
        ("block", {"channel": "public"}, "Jack likes coffee"),
        ("retract", {}, None),
    ):
        edit = world.edit(chunk, op, **patch)["edit_id"]
        assert texts() == {chunk: left}
        world.edit(chunk, "revert", edit_id=edit)
        assert texts() == {chunk: "Jack likes coffee"}

    world.edit(chunk, "revert", edit_id=amended)
    assert texts() == {chunk: "Jack likes tea"}
    assert drift(world) == []


def test_a_span_has_its_own_words_only_and_gives_up_what_an_edited_neighbour_said(world, texts):
    words = [f"word{number}" for number in range(450)]
    first, second, *_ = world.event(" ".join(words))["chunk_ids"]
    before = texts()
    assert all(len(text.split()) <= 220 for text in before.values())
    shared = set(before[first].split()) & set(before[second].split())
    assert shared

    world.edit(second, "amend", text="corrected")

    assert not shared & set(texts()[first].split())
    assert texts()[second] == "corrected"
    assert drift(world) == []


def test_nothing_is_left_of_what_was_erased(world, texts):
    kept, erased = world.chunk("Jack likes tea"), world.chunk("Jack likes zanzibar")
    amended = world.chunk("Jack likes rain")
    world.edit(amended, "amend", text="Jack likes zanzibar too")

    for chunk in (erased, amended):
        admins_of(world).erase(by="chunk", id=chunk)

    assert texts() == {kept: "Jack likes tea", erased: None, amended: None}
    assert drift(world) == []


@pytest.mark.parametrize("wrong", ["'said by nobody'", "NULL"])
def test_readers_get_the_record_again_after_a_repair(world, texts, wrong):
    chunk = world.chunk("Jack likes tea")
    as_owner(world, f"UPDATE memory_effectivechunk SET text = {wrong} WHERE tenant_id = %s", world.tenant_id)
    assert drift(world) == [("chunk", "text")]

    with world.inside("owner"):
        assert repair_effective.on("owner")(tenant=world.tenant_id) == 1

    assert texts() == {chunk: "Jack likes tea"}
    assert world.alice.ok("get", "chunks")["results"][0]["text"] == "Jack likes tea"


def test_an_edit_that_keeps_the_words_keeps_the_search_vector(world, owner):
    """It is not made again, so that the update can leave the indexes alone."""
    chunk = world.chunk("Jack likes tea")
    as_owner(world, "UPDATE memory_effectivechunk SET tsv = 'as:1 stored:2' WHERE id = %s", chunk)
    world.edit(chunk, "attenuate", importance=0.1)
    with world.inside("owner"):
        (row,) = owner("SELECT tsv::text FROM memory_effectivechunk WHERE id = %s", [chunk])
    assert row["tsv"] == "'as':1 'stored':2"
    as_owner(world, "UPDATE memory_effectivechunk SET tsv = to_tsvector('english', text) WHERE id = %s", chunk)
    assert drift(world) == []


def test_an_attenuate_adds_no_index_entry(world):
    chunk = world.chunk("Jack likes tea")
    with world.inside(), updates_of("memory_effectivechunk") as updates:
        world.edit(chunk, "attenuate", importance=0.1)
    assert updates.rows > 0
    assert updates.of_indexed_columns == 0
