"""A misspelled word of a query finds what is spelled like it, if nobody ever wrote it so."""

import pytest

from governance.acting import gate
from memory.db import count_terms


def count(world):
    with gate.job(world.tenant_id, "words"):
        count_terms(tenant=world.tenant_id)


@pytest.mark.parametrize("query", ["restaraunt", "the restarant", "where is the restaurent", "resturant -dog"])
def test_it_works(world, query):
    world.chunk("We reserved a table in a restaurant.")
    world.chunk("A dog in the garden.")
    count(world)
    assert world.found(query, mode="keyword")[:1] == ["We reserved a table in a restaurant."]


def test_a_known_word_is_taken_as_it_is(world):
    world.chunk("The horse sleeps.")
    world.chunk("The house is old.")
    count(world)
    assert world.found("horse", mode="keyword") == ["The horse sleeps."]


@pytest.mark.parametrize("query", ["umbrella", "dgo", "2931", '"restaraunt"', "xyzzyxyzzy"])
def test_what_is_like_nothing_finds_nothing(world, query):
    world.chunk("We reserved a table in a restaurant in 2930.")
    world.chunk("A dog in the garden.")
    count(world)
    assert world.found(query, mode="keyword") == []


def test_a_word_of_hidden_memory_is_not_told_of(world):
    secret = world.chunk("The quasar is bright.")
    world.chunk("The lamp is bright.")
    count(world)
    world.edit(secret, "retract")
    answer = world.alice.ok("post", "chunks/search", {"query": "qusar", "mode": "keyword", "explain": True})
    assert answer["chunks"] == []
    assert "quasar" not in str(answer)
