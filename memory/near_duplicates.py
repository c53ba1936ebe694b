"""Crowds: texts of one recorder that nearly say the same. Pure.

Near-duplicates (memory/duplicates.py) say the same. Texts of a crowd need not: a number or a word differs. A few of
them tell what there is to tell, also where they contradict each other; a thousand crowd out everything else.
"""

import string
from collections import Counter
from itertools import chain

#: Two texts are of one crowd if they share so many of the words that either has (Jaccard), without numbers.
LEAST_SHARED = 0.8
#: Texts of fewer different words differ in a word because they say something else: "Jack likes tea", "Jack likes milk".
FEWEST_WORDS = 6
#: Two texts are compared word by word if they have so many of their longest words in common.
COMMON = 3
#: So many of a crowd are shown: with one, a contradiction would be hidden.
MOST_SHOWN = 2

_PLAIN = {ord(sign): " " for sign in string.punctuation} | dict.fromkeys(map(ord, string.digits))


def words_without_numbers(text: str) -> frozenset[str]:
    """The different words of a text in lower case. Of a text without spaces between words, its pairs of characters."""
    plain = text.lower().translate(_PLAIN).split()
    words = frozenset(plain)
    if len(words) < FEWEST_WORDS and not text.isascii():
        joined = "".join(plain)
        return frozenset(joined[place : place + 2] for place in range(len(joined) - 1))
    return words


class Crowds:
    """Counts the texts of each crowd. A text belongs to the crowd whose first text it is like."""

    def __init__(self) -> None:
        self._heads: list[frozenset[str]] = []
        self._counts: list[int] = []
        # by recorder and word: the crowds with that word among the first of their head
        self._by_word: dict[tuple[str, str], list[int]] = {}

    def number_of(self, text: str, recorder: str) -> int | None:
        """The number of the crowd of `recorder` that the text belongs to, a new one if there is none; None for a text
        with too few words."""
        words = words_without_numbers(text)
        if len(words) < FEWEST_WORDS:
            return None
        first = _first_words(words)
        size = len(words)
        near = Counter(chain.from_iterable([self._by_word.get((recorder, word), ()) for word in first]))
        for number in sorted(number for number, common in near.items() if common >= COMMON):
            head = self._heads[number]
            shared = len(words & head)
            if shared >= LEAST_SHARED * (size + len(head) - shared):
                return number
        self._heads.append(words)
        self._counts.append(0)
        for word in first:
            self._by_word.setdefault((recorder, word), []).append(len(self._counts) - 1)
        return len(self._counts) - 1

    def takes(self, text: str, recorder: str) -> bool:
        """Whether fewer than MOST_SHOWN of its crowd were taken before; if so, the text is taken."""
        number = self.number_of(text, recorder)
        return number is None or self.counts(number)

    def counts(self, number: int) -> bool:
        """Count one more of a crowd: whether it is among the first MOST_SHOWN."""
        self._counts[number] += 1
        return self._counts[number] <= MOST_SHOWN


def _first_words(words: frozenset[str]) -> list[str]:
    """So many of the longest words that two texts of one crowd share COMMON of theirs: fewer in common, and the rest
    would be less than LEAST_SHARED. Long words are rare, so few texts have to be compared."""
    apart = int(len(words) * (1 - LEAST_SHARED) + 1e-9) + COMMON
    return sorted(sorted(words), key=len, reverse=True)[:apart]
