"""A text of several chunks, and the decision that it was recorded with: corrected in one place, it is corrected."""

import pytest

from .helpers import drift, read, words


def texts(world, event, **fields):
    """Each chunk's words as an explicit reader sees them; None for one that shows none."""
    return [found and found["text"].split() for found in (read(world, each, **fields) for each in event["chunk_ids"])]


def decide(world):
    return world.event(words(380), kind="decision", content={"decision": "Use PostgreSQL"})


def test_an_amended_decision_says_its_text_once(world):
    event = decide(world)

    world.edit(event["decision_id"], "amend", target_type="decision", text="Use SQLite")

    assert texts(world, event) == [["Use", "SQLite"], None, None]
    assert world.found("SQLite") == ["Use SQLite"]
    assert world.found("PostgreSQL OR word10 OR word210 OR word370") == []


@pytest.mark.parametrize("place", [0, 1, 2])
def test_it_says_it_once_beside_a_chunk_with_a_correction_of_its_own(world, place):
    event = decide(world)
    world.edit(event["decision_id"], "amend", target_type="decision", text="Use SQLite")

    world.edit(event["chunk_ids"][place], "amend", text="Use DuckDB")

    assert world.found("SQLite") == ["Use SQLite"]
    assert world.found("DuckDB") == ["Use DuckDB"]
    (decision,) = world.alice.ok("get", "decisions/active")["decisions"]
    assert decision["decision"] == "Use DuckDB"


@pytest.mark.parametrize("op", ["retract", "quarantine", "amend", "block"])
def test_the_neighbours_of_an_edited_chunk_give_up_the_words_that_they_share(world, op):
    event = world.event(words(380))
    patch = {"amend": {"text": "corrected"}, "block": {"channel": "public"}}.get(op, {})

    edit = world.edit(event["chunk_ids"][1], op, **patch)["edit_id"]

    first, _, last = texts(world, event)
    assert first == words(150).split()
    assert last == words(30, 350).split()
    world.edit(event["chunk_ids"][1], "revert", edit_id=edit)
    assert texts(world, event) == [words(200).split(), words(200, 150).split(), words(80, 300).split()]


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_nothing_drifts(world):
    event = decide(world)
    world.edit(event["decision_id"], "amend", target_type="decision", text="Use SQLite")
    world.edit(event["chunk_ids"][0], "amend", text="Use DuckDB")
    world.edit(event["chunk_ids"][1], "retract")

    assert drift(world) == []
