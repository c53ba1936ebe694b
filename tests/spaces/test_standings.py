"""Weights of the spaces: those as shipped, and those of a request."""

import pytest

from memory.spaces.standings import NAMES, STANDINGS, WeightsError, default_weights, given_weights

pytestmark = pytest.mark.pure


def test_a_space_that_did_not_earn_its_place_has_weight_0_and_says_why():
    weights = default_weights()
    assert {name for name, weight in weights.items() if weight} == {name for name in NAMES if STANDINGS[name].is_earned}
    assert all(standing.why for standing in STANDINGS.values())


def test_the_spaces_of_time_count_for_a_question_that_names_a_time_only():
    assert not any(default_weights()[name] for name in ("E2", "E3", "E4"))
    assert all(default_weights(names_time=True)[name] for name in ("E2", "E3", "E4"))


def test_the_causal_space_counts_for_a_question_of_cause_only():
    assert default_weights()["E5"] == 0 < default_weights(asks_cause=True)["E5"]


def test_a_request_names_the_spaces_that_count():
    weights = given_weights({"E1": 1, "E9": 0.5})
    assert {name: weight for name, weight in weights.items() if weight} == {"E1": 1.0, "E9": 0.5}


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"E14": 1}, "E14"),
        ({"e1": 1}, "e1"),
        ({"E1": -1}, "E1"),
        ({"E1": float("nan")}, "E1"),
        ({"E1": float("inf")}, "E1"),
        ({"E1": 101}, "E1"),
        ({"E1": "1"}, "E1"),
        ({"E1": True}, "E1"),
        ({"E1": None}, "E1"),
        ({"E1": 0}, None),
        ({}, None),
    ],
)
def test_wrong_weights_are_refused_with_their_place(given, place):
    with pytest.raises(WeightsError) as refused:
        given_weights(given)
    assert refused.value.place == place
