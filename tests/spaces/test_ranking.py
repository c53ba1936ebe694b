"""Items ranked by several spaces at once."""

from datetime import timedelta

import pytest

from memory.spaces.catalog import without_model
from memory.spaces.ranking import rank, weights_for
from tests.spaces.items import NOW, item, items, query

pytestmark = pytest.mark.pure


def ranked(question, among, weights, known=None):
    return rank(query(question), among, known=known or {}, weights=weights, spaces=without_model())


def test_a_known_score_is_used_as_it_is():
    found = ranked("kiln", items("a", "b"), {"E1": 1.0}, {"E1": {0: 0.2, 1: 0.9}})
    assert [one.id for one in found] == [1, 0]
    assert found[0].shares["E1"].score == 0.9


def test_a_space_with_a_weight_is_asked():
    among = items("The cathedral is old.", "I reserved a restaurant.", "It rains.")
    (first, *_) = ranked("restaraunt", among, {"E9": 1.0})
    assert first.id == 1
    assert set(first.shares) == {"E9"}


def test_a_space_without_a_weight_is_not_asked():
    assert ranked("kiln", items("The kiln is warm."), {"E6": 0.0, "E9": 0.0}) == []


def test_a_score_below_the_threshold_does_not_count():
    found = ranked("Ada", items("Ask Ada.", "It rains."), {"E11": 1.0})
    assert [one.id for one in found] == [0]


def test_the_expansion_learns_from_the_items_alone():
    among = items(*["kiln and clay"] * 2, "wet clay", "a train", "a cat")
    found = ranked("kiln", among, {"E13": 1.0})
    assert {one.id for one in found} == {0, 1, 2}


def test_a_question_for_a_cause_prefers_the_text_that_states_it():
    among = items("The disk was full because the server crashed.", "The server crashed because the disk was full.")
    question = "Why did the server crash?"
    found = ranked(question, among, weights_for(query(question)))
    assert found[0].id == 1


def test_a_question_for_a_time_prefers_what_was_said_then():
    among = [item(ts=NOW - timedelta(days=days)) for days in (40, 9, 1)]
    question = "What did we say last week?"
    found = ranked(question, among, weights_for(query(question)))
    assert found[0].id == 1


def test_nothing_to_rank_is_nothing():
    assert ranked("kiln", [], {"E9": 1.0}) == []
