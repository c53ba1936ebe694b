"""E6, sparse: the exact terms of a text, saturated as in BM25.

Search has its own E6, in SQL (`lex_of_chunks`): with the stems of the tenant's language and the words of the
neighbours, which the database alone may lend. This one is made of a text alone; the formula and the dimensions are the
same.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import md5

from memory.spaces.features import telling_words
from memory.spaces.protocol import Item, Sparse, SparseSpace

#: Of 28 bits, as `term_dim` in SQL.
DIMENSIONS = 1 << 28
K1, B, PIVOT = 0.9, 0.75, 20
#: What the name of the speaker counts beside the words.
SPEAKER_WEIGHT = 1.0


class Terms(SparseSpace):
    """One dimension a term; its weight grows with the term's frequency towards a limit, less in a longer text. The
    length is compared with a fixed number of 20 terms, so that stored values do not depend on other texts."""

    name = "E6"
    title = "sparse"
    size = DIMENSIONS
    source = "BM25F (Robertson and Zaragoza 2009) with a fixed pivot length and without idf"

    def embed(self, items: Sequence[Item]) -> list[Sparse]:
        return [{dimension(term): weight for term, weight in weights(item).items()} for item in items]

    def embed_query(self, query: Item) -> Sparse | None:
        return {dimension(term): 1.0 for term in telling_words(query.text)} or None


def weights(item: Item) -> dict[str, float]:
    """The weight of each term of `item`; a text without a word has one term, itself."""
    return saturated(telling_words(item.text) or [item.text.strip()], item.speaker)


def saturated(terms: Sequence[str], speaker: str | None = None) -> dict[str, float]:
    """BM25's weight of each term, without idf."""
    counts: Mapping[str, float] = Counter(terms)
    length = 1 - B + B * len(terms) / PIVOT
    frequencies = {term: count / length for term, count in counts.items()}
    for name in _names(speaker):
        frequencies[name] = frequencies.get(name, 0.0) + SPEAKER_WEIGHT
    return {term: (K1 + 1) * frequency / (frequency + K1) for term, frequency in frequencies.items()}


def _names(speaker: str | None) -> Iterable[str]:
    return telling_words(speaker) if speaker else ()


def dimension(term: str) -> int:
    """The dimension of a term, from 1."""
    return (int.from_bytes(md5(term.encode(), usedforsecurity=False).digest()[:4], "big") >> 4) + 1
