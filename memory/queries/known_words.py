"""Misspelled words of a query: for a word that no memory has, the known words that are spelled like it (space E9)."""

from collections.abc import Iterable

from memory.queries.rows import UnknownWord
from memory.spaces.spelling import nearest_words

#: The likeness in E9 that a known word needs, and how many of them are taken for one unknown word.
LEAST_LIKENESS, MOST = 0.3, 2


def meant_by(unknown: Iterable[UnknownWord]) -> list[str]:
    """What the unknown words of a query may mean. Behind the query, they rank like any plain word."""
    return [
        known
        for one in unknown
        for known, _ in nearest_words(one.word, one.known, threshold=LEAST_LIKENESS, limit=MOST)
    ]
