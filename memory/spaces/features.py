"""Words of a text, and features hashed to vectors: shared by several spaces."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b, shake_256

import numpy as np
from numpy.typing import NDArray

from memory.spaces.protocol import Dense, unit

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_VOWEL = re.compile("[aeiouy]")

#: The commonest words of English, which say little of what a text is about.
_COMMONEST = """
    a about above after again against all also am an and any are as at be because been before being below between
    both but by can could did do does doing don't down during each few for from further get got had has have having he
    her here hers herself him himself his how i i'd i'll i'm i've if in into is it it's its itself just like may me
    might more most must my myself no nor not now of off on once one only or other our ours ourselves out over own
    really same shall she should so some such than that that's the their theirs them themselves then there there's these
    they they're this those through to too under until up us very was we we're were what what's when where which while
    who whom why will with would yeah yes you you're your yours yourself yourselves"""
STOP_WORDS = frozenset(_COMMONEST.split())


def words(text: str) -> list[str]:
    """The words of `text` in their order, folded to one case and one Unicode form."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def telling_words(text: str) -> list[str]:
    """The stems of the words of `text` that are not stop words; of all its words, if it has no others."""
    found = words(text)
    return [stem(word) for word in found if word not in STOP_WORDS] or [stem(word) for word in found]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """`word` without the commonest endings of English.

    Source: the S stemmer (Harman 1991, "How effective is suffixing?"), with -ing and -ed as in step 1b of Porter 1980.
    """
    word = _POSSESSIVE.sub("", word) or word
    if len(word) > 4 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif len(word) > 3 and word.endswith("s") and word[-2] not in "us":
        word = word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 2 and _VOWEL.search(base):
            if base[-1] == base[-2] and base[-1] not in "lsz":
                return base[:-1]
            return base
    return word.removesuffix("e") if len(word) > 4 else word


def hashed(features: Mapping[str, float], size: int) -> Dense:
    """The unit vector of weighted features.

    Source: Weinberger et al. 2009, "Feature hashing for large scale multitask learning": a hash gives each feature a
    place and a sign, so that features which share a place cancel out on average. Here it is two places: features that
    meet in one seldom meet in the other.
    Raises ValueError without a feature.
    """
    vector = np.zeros(size)
    for feature, weight in features.items():
        for place, sign in _places(feature, size):
            vector[place] += sign * weight
    if features and not vector.any():  # they cancel each other out, which one of them alone cannot
        return hashed({min(features): 1.0}, size)
    return unit(vector)


@lru_cache(maxsize=100_000)
def _places(feature: str, size: int) -> tuple[tuple[int, int], ...]:
    digest = blake2b(feature.encode(), digest_size=16).digest()
    first, second = (int.from_bytes(part, "big") for part in (digest[:8], digest[8:]))
    place = (first >> 1) % size
    # never the same place twice, where the signs could cancel out
    other = (place + 1 + (second >> 1) % (size - 1)) % size
    return (place, 1 if first & 1 else -1), (other, 1 if second & 1 else -1)


def hashed_bits(name: str, size: int) -> NDArray[np.uint8]:
    """`size` bits (a multiple of 8), each 0 or 1, that `name` alone decides; of two names, half of the bits agree."""
    return np.unpackbits(np.frombuffer(shake_256(name.encode()).digest(size // 8), np.uint8))
