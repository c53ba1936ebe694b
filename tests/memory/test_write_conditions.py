"""Conditions are written as a query, and a query without conditions has the same words."""

import pytest

from memory.queries.conditions import with_conditions, words_only

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("fox -brown", "fox brown"),
        ('"a b" AND c', "a b and c"),
        ("\u201ca\u201d OR inv*", "a or inv"),
        ('מנכ"ל', 'מנכ"ל'),
        ("rm -rf --force", "rm rf force"),
        ("well-known ANDES", "well-known ANDES"),
    ],
)
def test_a_query_without_conditions_has_the_same_words(query, words):
    assert words_only(query).split() == words.split()


def test_conditions_are_written_behind_the_words():
    made = with_conditions('a "b"', phrases=["c d"], all_of=["e"], none_of=["f"], prefix=["ghi"])
    assert made.split() == ["a", "b", '"c', 'd"', '"e"', '-"f"', "ghi*"]
