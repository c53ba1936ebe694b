"""E5: cause and effect are told apart."""

import pytest

from memory.spaces.causality import Causality, direction_of, spans
from memory.spaces.protocol import Direction
from tests.spaces.items import item, likeness, scores

pytestmark = pytest.mark.pure
SPACE = Causality()

CRASH = "The server crashed because the disk was full."
REVERSED = "The disk was full because the server crashed."


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        (CRASH, "the disk was full", "The server crashed"),
        ("The snow led to a late train.", "The snow", "a late train"),
        ("Due to the storm, the ferry stayed in port.", "the storm", "the ferry stayed in port"),
        ("It rained, so the match moved indoors", "It rained", "the match moved indoors"),
        ("The outage was caused by a bad certificate", "a bad certificate", "The outage"),
        ("We met on Monday.", "", ""),
        ("That was so good.", "", ""),
    ],
)
def test_cue_words_divide_a_text(text, cause, effect):
    found = spans(text)
    assert (found[0].strip(), found[1].strip()) == (cause, effect)


@pytest.mark.parametrize(
    ("question", "direction", "about"),
    [
        ("Why did the server crash?", Direction.CAUSE, "crash"),
        ("What caused the outage?", Direction.CAUSE, "outage"),
        ("What is the reason for the delay?", Direction.CAUSE, "delay"),
        ("What did the storm cause?", Direction.EFFECT, "storm"),
        ("What happens if the disk is full?", Direction.EFFECT, "disk"),
        ("What are the consequences of the strike?", Direction.EFFECT, "strike"),
    ],
)
def test_a_question_asks_for_a_cause_or_an_effect(question, direction, about):
    found = direction_of(question)
    assert found is not None
    assert found[0] is direction
    assert about in found[1]


def test_why_prefers_the_text_that_states_the_effect_as_an_effect():
    right, wrong = scores(SPACE, "Why did the server crash?", CRASH, REVERSED)
    assert right > 1.2 * wrong


def test_what_did_it_cause_prefers_the_text_that_states_the_cause_as_a_cause():
    right, wrong = scores(SPACE, "What did the full disk lead to?", CRASH, REVERSED)
    assert right > 1.2 * wrong


def test_the_directions_count_1_2_and_0_8():
    question = "Why did the server crash?"
    with_direction, against = scores(
        SPACE, question, "The server crashed because of moths.", "Moths flew in because the server crashed."
    )
    assert with_direction == pytest.approx(1.2, abs=0.02)
    assert against == pytest.approx(0.8, abs=0.02)


def test_cause_and_effect_with_the_same_words_differ():
    assert likeness(SPACE, CRASH, CRASH) > likeness(SPACE, CRASH, REVERSED) + 0.2


def test_a_text_that_states_no_cause_is_below_one_that_does():
    stated, unstated = scores(SPACE, "Why did the server crash?", CRASH, "The server did crash.")
    assert stated > unstated > 0


def test_a_question_for_no_cause_has_no_value():
    assert SPACE.embed_query(item("Who fed the cat?")) is None
