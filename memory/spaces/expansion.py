"""E13, expansion: the terms of a text, and terms that occur beside them."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from memory.spaces.features import telling_words
from memory.spaces.protocol import Item, Sparse, SparseSpace
from memory.spaces.terms import DIMENSIONS, dimension, saturated, weights

#: A related term counts at most this much beside one that is there.
RELATED_WEIGHT = 0.3
#: How many related terms a term brings, and in how many texts a pair must occur.
MAX_RELATED, MIN_PAIRS = 5, 2
#: How many different terms of a long text are paired.
_PAIRED_TERMS = 60


class Expansion(SparseSpace):
    """E6 with, on the question's side, the terms that occur with its terms in the texts that were learned from.

    Expanding the question keeps stored values valid: what a text gives depends on that text alone. `learn` takes only
    what the reader may see, or an expansion would tell of hidden words.
    """

    name = "E13"
    title = "expansion"
    size = DIMENSIONS
    source = "query expansion by co-occurrence (Peat and Willett 1991), by normalised PMI (Bouma 2009)"

    def __init__(self) -> None:
        self._related: dict[str, list[tuple[str, float]]] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Take the co-occurrences of `texts` in place of what was learned before."""
        counts: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        total = 0
        for text in texts:
            present = sorted(dict.fromkeys(telling_words(text)))[:_PAIRED_TERMS]
            counts.update(present)
            pairs.update(combinations(present, 2))
            total += 1
        related: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for (first, second), together in pairs.items():
            if together < MIN_PAIRS or together == total:
                continue
            information = math.log(together * total / (counts[first] * counts[second]))
            likeness = information / -math.log(together / total)
            if likeness > 0:
                related[first].append((second, likeness))
                related[second].append((first, likeness))
        self._related = {
            term: sorted(others, key=lambda other: (-other[1], other[0]))[:MAX_RELATED]
            for term, others in related.items()
        }

    def related(self, term: str) -> list[tuple[str, float]]:
        """The terms that occur most often with `term`, and how strongly, from 0 to 1."""
        return self._related.get(term, [])

    def embed(self, items: Sequence[Item]) -> list[Sparse]:
        return [{dimension(term): weight for term, weight in weights(item).items()} for item in items]

    def embed_query(self, query: Item) -> Sparse | None:
        terms = telling_words(query.text)
        expanded = dict.fromkeys(saturated(terms), 1.0)
        for term in terms:
            for other, likeness in self.related(term):
                expanded[other] = max(expanded.get(other, 0.0), RELATED_WEIGHT * likeness)
        return {dimension(term): weight for term, weight in expanded.items()} or None
