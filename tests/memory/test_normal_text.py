"""What two texts must share to say the same: all but case, white space, quotes and sentence punctuation."""

import pytest
from django.db import connections
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory.normal_text import letters_and_digits, normal_text

pytestmark = pytest.mark.django_db(databases=["default", "owner"])

DIFFERENT = [
    ("Account balance is -500", "Account balance is 500"),
    ("Account balance is \u2212500", "Account balance is 500"),
    ("Account balance is \u2014500", "Account balance is 500"),
    ("It is - 5 outside", "It is 5 outside"),
    ("C++", "C"),
    ("C#", "C"),
    ("< 5", "> 5"),
    ("< 5", "5"),
    ("x != y", "x = y"),
    ("x \u2260 y", "x = y"),
    ("!x", "x"),
    ("~5", "5"),
    ("\u00b15", "5"),
    ("1.5", "15"),
    ("1.5", "1 5"),
    ("1,5", "15"),
    (".5", "5"),
    ("10:30", "1030"),
    ("5%", "5"),
    ("5\u2030", "5%"),
    ("$5", "5"),
    ("$5", "\u20ac5"),
    ("#1", "1"),
    ("x\u00b2", "x2"),
    ("1\u00bd", "11/2"),
    ("5'", '5"'),
    ("a/b", "ab"),
    ("a & b", "a | b"),
    ("f(x)", "fx"),
    ("(500)", "500"),
    ("a_b", "ab"),
    ("node.js", "node js"),
    ("re-sent", "resent"),
    ("I like it \U0001f44d", "I like it \U0001f44e"),
    ("I like it :)", "I like it :("),
    ("We're here", "Were here"),
    ("It is so", "It is not so"),
    ("5 \u2192 6", "5 \u2190 6"),
]
SAME = [
    ("Account balance is -500.", "account BALANCE is \u2013500"),
    ("x != y", "x!=y"),
    ("Hello, world!", "hello world"),
    ("Hello,world; yes", "hello world yes"),
    ("\u00bfQu\u00e9 tal?", "qu\u00e9 tal"),
    ("He said: \u201cgo\u201d \u2014 now\u2026", "he said 'go' now"),
    ("yes - no", "yes no"),
    ("Jack's", "jack\u2019s"),
    ("x\u00b2", "x^2"),
    ("\u00bd", "1/2"),
    ("\u5f20\u4e09\uff0c\u4f60\u597d\u3002", "\u5f20\u4e09 \u4f60\u597d"),
    ("\uff11\uff12", "12"),
    ("5' 6\"", "5\u2032 6\u2033"),
]


def test_what_carries_meaning_is_kept():
    assert [(one, other) for one, other in DIFFERENT if normal_text(one) == normal_text(other)] == []


def test_case_space_quotes_and_sentence_punctuation_are_not():
    assert [normal_text(one) for one, _ in SAME] == [normal_text(other) for _, other in SAME]


def in_database(text: str) -> str:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE suture_gate")
        cursor.execute("SELECT normal_text(%s)", [text])
        return str(cursor.fetchone()[0])


def test_the_database_finds_the_same_in_each_of_these():
    texts = {text for pair in DIFFERENT + SAME for text in pair}
    assert {text: in_database(text) for text in texts} == {text: normal_text(text) for text in texts}


#: Signs that the rules treat, and some of each sort of other character.
CHARACTERS = st.sampled_from(
    "aB z 0 5 9\n\t\r\v\f\x01\x02.,;:!?'\"`()[]{}*_#>+-<=/\\|~^&%$@"
    "\u00df\u0130i\u0307\u03a3\u03c2\u00e9\u00b2\u00bd\u00b1\u00b4\u00a3"
    "\u20ac\u2014\u2015\u2013\u2212\u2018\u2019\u201c\u2033\u2026\u2028\u0085\u00a0\u3000\u3001\u3002\u5f20\uff0c\uff11\ufb01\u200d"
    "\ufe0f\U0001f44d\u0939\u093f\u0661\u00bf\u00a1\u2044\u2122\u00ad\ufffd"
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(CHARACTERS, max_size=12))
@example(",\u00bfa")
@example("- .5")
@example("5'a'")
@example("*.* __init__")
@example("e" + "\u0301\u0323" * 120 + "a\u0301")
def test_the_database_and_the_bundle_agree(text):
    assert in_database(text) == normal_text(text)


@settings(deadline=None)
@given(st.text(CHARACTERS, max_size=12))
def test_what_says_the_same_has_the_same_letters_and_digits(text):
    """What a text says has its letters and digits, so that two texts which say the same have the same."""
    assert letters_and_digits(normal_text(text)) == letters_and_digits(text)


def test_what_is_no_difference_is_none_in_letters_and_digits():
    assert [letters_and_digits(one) for one, _ in SAME] == [letters_and_digits(other) for _, other in SAME]
