"""E13: a question also finds what occurs beside its terms."""

import pytest

from memory.spaces.expansion import RELATED_WEIGHT, Expansion
from memory.spaces.terms import dimension
from tests.spaces.items import item, scores

pytestmark = pytest.mark.pure

LEARNED = [
    *["the kiln needs clay", "clay in the kiln", "kiln and clay again"],
    *["the cat sleeps", "a cat and a dog", "my dog barks", "a train leaves"],
]


def learned():
    space = Expansion()
    space.learn(LEARNED)
    return space


def test_terms_that_occur_together_are_related():
    space = learned()
    assert [term for term, _ in space.related("kiln")] == ["clay"]
    assert space.related("cat") == []  # once is chance
    assert space.related("unknown") == []


def test_a_related_term_counts_below_the_terms_of_the_question():
    space = learned()
    own, related, none = scores(space, "kiln", "a kiln", "some clay", "a train")
    assert own > related > none == 0
    asked = space.embed_query(item("kiln"))
    assert 0 < asked[dimension("clay")] <= RELATED_WEIGHT


def test_without_learning_it_is_the_exact_terms():
    kiln, clay = scores(Expansion(), "kiln", "a kiln", "some clay")
    assert kiln > clay == 0


def test_learning_again_forgets_what_was_learned_before():
    space = learned()
    space.learn(["a cat", "a dog"])
    assert space.related("kiln") == []
