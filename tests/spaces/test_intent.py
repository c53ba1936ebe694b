"""E10: what a text does, rather than what it is about."""

import pytest

from memory.spaces.intent import Intent, acts_of, is_question, verb_and_object
from tests.spaces.items import likeness

pytestmark = pytest.mark.pure
SPACE = Intent()


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Could you send me the report?", "request"),
        ("Add a retry to the upload.", "instruct"),
        ("I'll call her tomorrow.", "promise"),
        ("Let's meet at noon.", "propose"),
        ("We decided to use PostgreSQL.", "decide"),
        ("I just finished the migration.", "report"),
        ("Thanks a lot!", "thank"),
        ("Sorry about the noise.", "apologize"),
        ("Hello Ada!", "greet"),
        ("Where is the kiln?", "ask"),
        ("The kiln is in the shed.", "statement"),
    ],
)
def test_speech_acts_are_known_by_their_words(text, act):
    assert act in acts_of(text)


def test_a_request_is_nearer_to_the_same_request_than_to_a_report_with_the_same_words():
    request = "Could you send me the report?"
    assert (
        likeness(SPACE, request, "Please send the report.") > likeness(SPACE, request, "She sent me the report.") + 0.2
    )


def test_the_same_act_on_another_thing_is_nearer_than_another_act_on_the_same_thing():
    promise = "I will fix the login page."
    assert likeness(SPACE, promise, "I'll fix the search page.") > likeness(SPACE, promise, "Who broke the login page?")


def test_verb_and_object_are_found_by_their_places():
    assert verb_and_object("Could you send me the report?") == ("send", "report")
    assert verb_and_object("Add a retry") == ("add", "retry")
    assert verb_and_object("!") == (None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How was your trip?", True),
        ("That sounds great. How was your trip?", True),
        ("What did you do there", True),
        ("How was it? I loved mine.", False),
        ("I wonder what it cost.", False),
        ("", False),
    ],
)
def test_a_text_asks_if_its_last_sentence_does(text, expected):
    assert is_question(text) is expected
