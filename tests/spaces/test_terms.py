"""E6: exact terms, saturated, with a fixed pivot length."""

import pytest

from memory.spaces.terms import K1, Terms, dimension, saturated
from tests.spaces.items import item, scores

pytestmark = pytest.mark.pure
SPACE = Terms()


def test_more_of_the_words_are_nearer_and_other_words_are_nothing():
    both, one, none = scores(SPACE, "kiln glaze", "The glaze in the kiln.", "The kiln is warm.", "A cat sleeps.")
    assert both > one > none == 0


def test_a_repeated_term_counts_less_each_time_and_never_more_than_the_limit():
    of = [saturated(["kiln"] * times + ["x"] * (20 - times))["kiln"] for times in (1, 2, 4, 8)]
    assert of == sorted(of)
    assert of[1] - of[0] > of[2] - of[1] > 0
    assert of[-1] < K1 + 1


def test_a_term_counts_less_in_a_longer_text_and_the_pivot_is_fixed():
    assert saturated(["kiln"] + ["x"] * 5)["kiln"] > saturated(["kiln"] + ["x"] * 50)["kiln"]
    assert saturated(["kiln"] + ["x"] * 19)["kiln"] == pytest.approx(1.0)


def test_who_said_it_is_a_term():
    by_ada, by_ben = scores(SPACE, "Ada", item("The kiln is warm.", speaker="Ada"), item(speaker="Ben"))
    assert by_ada > by_ben == 0


def test_a_dimension_is_the_one_of_sql():
    """`('x' || left(md5('kiln'), 7))::bit(28)::int + 1`."""
    assert dimension("kiln") == 0x9E82874 + 1


def test_an_empty_question_has_no_value():
    assert SPACE.embed_query(item("?")) is None
