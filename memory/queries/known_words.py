"""Misspelled words of a query: for a word that no memory contains, known words with a similar spelling (space E9)."""

from collections.abc import Iterable

from memory.queries.rows import UnknownWord
from memory.spaces.spelling import nearest_words

#: The similarity in E9 that a known word needs, and the maximum number of known words for an unknown one.
MIN_LIKENESS, MAX_MEANINGS = 0.3, 2


def meant_by(unknown: Iterable[UnknownWord]) -> list[str]:
    """The likely meanings of the unknown words of a query. Appended to the query, they rank like any plain word."""
    return [
        known
        for one in unknown
        for known, _ in nearest_words(one.word, one.known, threshold=MIN_LIKENESS, limit=MAX_MEANINGS)
    ]
