"""E11: texts are near that name the same things."""

import pytest

from memory.spaces.entities import Entities, entities
from tests.spaces.items import item, scores

pytestmark = pytest.mark.pure
SPACE = Entities()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Ada Lovelace there.", {"entity ada lovelace", "name ada", "name lovelace"}),
        ("She works at the Bank of England.", {"entity bank of england"}),
        ("Refund up to $250.", {"amount $250"}),
        ("It is 20 % less.", {"amount 20%"}),
        ("We read “The Lost Letter” twice.", {"entity the lost letter"}),
        ("On 7 June 2023.", {"name june", "year 2023"}),
    ],
)
def test_named_things_are_found(text, expected):
    assert expected <= entities(text).keys()


@pytest.mark.parametrize("text", ["The cat sleeps.", "Thanks, that is great!", "Yesterday it rained. Wow, I know."])
def test_a_capital_at_the_beginning_of_a_sentence_names_nothing(text):
    assert not entities(text)


def test_the_same_names_make_texts_near_whatever_else_they_say():
    same, other = scores(
        SPACE, "Where does Ada live?", "We visited Ada in her new flat.", "We visited Ben in his new flat."
    )
    assert same > 0.6
    assert same > other + 0.15


def test_a_part_of_a_name_is_near_to_the_whole():
    whole, other = scores(SPACE, "Ada", "I met Ada Lovelace there.", "I met Grace Hopper there.")
    assert whole > other


def test_the_speaker_is_named():
    by_ada, by_ben = scores(SPACE, "What did Ada say?", item("It is warm.", speaker="Ada"), item(speaker="Ben"))
    assert by_ada > by_ben


def test_what_names_nothing_is_not_near_to_a_name():
    named, nothing = scores(SPACE, "Ada", "Ask Ada.", "It is warm.")
    assert named > nothing + 0.05


def test_the_score_is_one_for_the_same_and_falls_with_distance():
    (value,) = SPACE.embed([item("Ask Ada.")])
    assert SPACE.score(value, [value]) == [pytest.approx(1)]


def test_a_question_that_names_nothing_has_no_value():
    assert SPACE.embed_query(item("how are you?")) is None
