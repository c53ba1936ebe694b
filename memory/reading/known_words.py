"""Misspelled words of a query: for a word that no memory has, the known words that are spelled like it (space E9)."""

from uuid import UUID

from memory.reading import calls
from memory.spaces.spelling import nearest_words

#: The likeness in E9 that a known word needs, and how many of them are taken for one unknown word.
LEAST_LIKENESS, MOST = 0.3, 2


def with_known_words(tenant_id: UUID, query: str) -> str:
    """`query`, and behind it what its unknown words may mean. They rank like any plain word."""
    found = calls.unknown_words(tenant=tenant_id, query=query)
    meant = [
        known for one in found for known, _ in nearest_words(one.word, one.known, threshold=LEAST_LIKENESS, limit=MOST)
    ]
    return " ".join([query, *meant])
