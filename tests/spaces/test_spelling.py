"""E9: a wrong letter changes little, wherever it is."""

import pytest

from memory.spaces.spelling import Spelling, nearest_words
from tests.spaces.items import item, likeness

pytestmark = pytest.mark.pure
SPACE = Spelling()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("necessary", "neccessary"),
        ("definitely", "definately"),
        ("kubernetes", "kubernettes"),
        ("restaurant", "restaraunt"),
        ("photosynthesis", "fotosynthesis"),
    ],
)
def test_a_misspelled_word_is_far_nearer_than_another_word(right, wrong):
    others = ["cathedral", "umbrella", "quarterly", "volleyball", "mechanism"]
    assert likeness(SPACE, right, wrong) > max(likeness(SPACE, right, other) for other in others) + 0.2


def test_a_letter_more_at_the_beginning_does_not_move_the_rest():
    text = "the quarterly report on warehouse costs"
    assert likeness(SPACE, text, f"x{text}") > 0.7
    assert abs(likeness(SPACE, text, "an invitation to dinner by candlelight")) < 0.3


def test_the_order_of_words_does_not_matter():
    assert likeness(SPACE, "glaze kiln clay", "clay glaze kiln") == pytest.approx(1)


def test_unrelated_texts_are_about_as_near_as_chance():
    texts = ["blue bowl", "train ticket", "garden fence", "phone charger", "winter coat"]
    found = [likeness(SPACE, first, second) for first in texts for second in texts if first < second]
    assert max(abs(score) for score in found) < 0.3


def test_a_text_of_any_script_has_its_own_value():
    assert likeness(SPACE, "こんにちは世界", "こんにちわ世界") > likeness(SPACE, "こんにちは世界", "さようなら") + 0.2


def test_the_nearest_known_words_come_best_first():
    known = ["kiln", "glaze", "firing", "clay", "glazed", "pottery"]
    assert nearest_words("glazze", known, threshold=0.2)[0][0] in {"glaze", "glazed"}
    assert nearest_words("potery", known, threshold=0.3)[0][0] == "pottery"
    assert nearest_words("umbrella", known, threshold=0.3) == []
    assert nearest_words("?", known, threshold=0.3) == []
    assert nearest_words("kiln", [], threshold=0.3) == []


def test_an_empty_question_has_no_value():
    assert SPACE.embed_query(item("?!")) is None
