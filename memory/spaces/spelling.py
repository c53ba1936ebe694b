"""E9, HDC: the spelling of a text, so that a wrong letter changes little."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memory.spaces.features import hashed_bits, words
from memory.spaces.protocol import Bits, Item, Kind, Metric, Space

_BITS = 1024
#: What decides a bit of which as many trigrams have a 1 as a 0.
_TIES = "ties"


class Spelling(Space[Bits]):
    """Each character trigram of a word has a hypervector of 1,024 bits, and the text has in each bit what most of its
    trigrams have. Trigrams have no place in the text: with one, a letter more would move all that follow."""

    name = "E9"
    title = "HDC"
    kind = Kind.BITS
    size = _BITS
    metric = Metric.HAMMING
    source = "bundled character-trigram hypervectors (Joshi, Halseth and Kanerva 2016), without permutation by place"

    def embed(self, items: Sequence[Item]) -> list[Bits]:
        return [spelled(item.text) for item in items]

    def embed_query(self, query: Item) -> Bits | None:
        return spelled(query.text) if trigrams(query.text) else None

    def score(self, query: Bits, items: Sequence[Bits]) -> list[float]:
        """1 for the same bits, 0 where half of them differ, as in unrelated texts."""
        if not items:
            return []
        different = np.unpackbits(np.bitwise_xor(np.stack(items), query), axis=1).sum(axis=1, dtype=np.int64)
        likeness: list[float] = (1 - 2 * different / _BITS).tolist()
        return likeness


def spelled(text: str) -> Bits:
    """The hypervector of `text`, 128 bytes."""
    found = trigrams(text) or [unicodedata.normalize("NFKC", text).strip()]
    votes = np.sum([_signs(trigram) for trigram in found], axis=0)
    decided = np.where(votes == 0, _signs(_TIES), votes)
    return np.packbits(decided > 0)


def trigrams(text: str) -> list[str]:
    """The trigrams of each word of `text`, with a space for its beginning and its end."""
    found = []
    for word in words(text):
        padded = f" {word} "
        found += [padded[start : start + 3] for start in range(len(padded) - 2)]
    return found


def nearest_words(word: str, known: Iterable[str], threshold: float, limit: int = 3) -> list[tuple[str, float]]:
    """The known words that are spelled most like `word`, best first, with how like they are: at least `threshold`."""
    candidates = sorted(set(known))
    if not candidates or not trigrams(word):
        return []
    scores = Spelling().score(spelled(word), [spelled(candidate) for candidate in candidates])
    near = sorted(
        ((name, score) for name, score in zip(candidates, scores, strict=True) if score >= threshold),
        key=lambda found: (-found[1], found[0]),
    )
    return near[:limit]


@lru_cache(maxsize=20_000)
def _signs(trigram: str) -> NDArray[np.int8]:
    return 2 * hashed_bits(f"trigram {trigram}", _BITS).astype(np.int8) - 1
