"""Crowds: texts of one recorder that nearly repeat each other. Pure.

Duplicates (memory/duplicates.py) say the same. Texts of a crowd may differ in a number or a word. A few of them tell
enough, even if they contradict each other; a thousand would crowd out everything else.
"""

import string
from collections import Counter
from itertools import chain

#: Minimum share of common words (Jaccard, without numbers) of two texts of a crowd.
MIN_SHARED = 0.8
#: In shorter texts, a different word means a different statement: "Jack likes tea", "Jack likes milk".
MIN_WORDS = 6
#: Two texts are compared in full if this many of their longest words are equal.
COMMON = 3
#: How many texts of a crowd to show: with only one, a contradiction would be hidden.
MAX_SHOWN = 2

_PLAIN = {ord(sign): " " for sign in string.punctuation} | dict.fromkeys(map(ord, string.digits))


def words_without_numbers(text: str) -> frozenset[str]:
    """The distinct words of a text in lower case; for a text without spaces, its pairs of characters."""
    plain = text.lower().translate(_PLAIN).split()
    words = frozenset(plain)
    if len(words) < MIN_WORDS and not text.isascii():
        joined = "".join(plain)
        return frozenset(joined[place : place + 2] for place in range(len(joined) - 1))
    return words


class Crowds:
    """Counts the texts of each crowd. A text belongs to the crowd whose first text it resembles."""

    def __init__(self) -> None:
        self._heads: list[frozenset[str]] = []
        self._counts: list[int] = []
        # by recorder and word: the crowds whose first text has that word among its longest
        self._by_word: dict[tuple[str, str], list[int]] = {}

    def number_of(self, text: str, recorder: str) -> int | None:
        """The number of the crowd of `recorder` that the text belongs to, a new one if there is none; None for a text
        with too few words."""
        words = words_without_numbers(text)
        if len(words) < MIN_WORDS:
            return None
        first = _first_words(words)
        size = len(words)
        near = Counter(chain.from_iterable([self._by_word.get((recorder, word), ()) for word in first]))
        for number in sorted(number for number, common in near.items() if common >= COMMON):
            head = self._heads[number]
            shared = len(words & head)
            if shared >= MIN_SHARED * (size + len(head) - shared):
                return number
        self._heads.append(words)
        self._counts.append(0)
        for word in first:
            self._by_word.setdefault((recorder, word), []).append(len(self._counts) - 1)
        return len(self._counts) - 1

    def takes(self, text: str, recorder: str) -> bool:
        """Whether fewer than MAX_SHOWN of its crowd were taken before; then the text counts as taken."""
        number = self.number_of(text, recorder)
        return number is None or self.counts(number)

    def counts(self, number: int) -> bool:
        """Count another text of a crowd; returns whether it is among the first MAX_SHOWN."""
        self._counts[number] += 1
        return self._counts[number] <= MAX_SHOWN


def _first_words(words: frozenset[str]) -> list[str]:
    """The longest words of a text, as many as needed so that two texts of a crowd share at least COMMON of them. Long
    words are rare, so few texts have to be compared."""
    apart = int(len(words) * (1 - MIN_SHARED) + 1e-9) + COMMON
    return sorted(sorted(words), key=len, reverse=True)[:apart]
