"""Crowds: texts of one recorder that nearly repeat each other. Pure.

Duplicates (memory/duplicates.py) say the same. Texts of a crowd may differ in a number or a word. A few of them tell
enough, even if they contradict each other; a thousand would crowd out everything else.

Of a text of few words, a different word often means a different statement: "Jack likes tea", "Jack likes milk". So the
others of a short crowd wait: they fill the places that nothing else takes.
"""

import string
import unicodedata
from collections import Counter
from itertools import chain
from typing import NamedTuple

#: Minimum share of common words (Jaccard, without numbers) of two texts of a crowd.
MIN_SHARED = 0.8
#: Shorter texts are of one crowd if they differ in one word at most.
MIN_WORDS = 6
#: Two texts are compared in full if this many of their longest words are equal.
COMMON = 3
#: How many texts of a crowd to show: with only one, a contradiction would be hidden.
MAX_SHOWN = 2
#: Texts are compared by so many characters: a document has its beginning in common with its copies.
COMPARED = 4_000

_PLAIN = {ord(sign): " " for sign in string.punctuation} | dict.fromkeys(map(ord, string.digits))
#: Cyrillic, Greek and phonetic letters that look like a Latin one, after NFKD, without marks and in lower case.
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u0501"
    "\u04bb\u051b\u051d\u044c\u0433\u043f\u04cf"
    "\u03b1\u03b2\u03b3\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03c9\u03f2\u03f3"
    "\u0131\u0251\u0261\u0269\u028b",
    "abekmhopctyxijsdhqwbrnlabyenikvoptuxwcjiagiv",
)
_DROPPED = frozenset({"Cf", "Mn", "Me", "Cc"})


class Crowd(NamedTuple):
    """A crowd's number, and whether its texts are short, so that the others wait."""

    number: int
    is_short: bool


def folded(text: str) -> str:
    """The letters of a text as crowds compare it: in lower case and in compatible characters (NFKD), without marks and
    invisible characters, and with Latin letters for those that look like them. ASCII text keeps its other signs."""
    text = text[:COMPARED].casefold()
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text)
    return "".join(map(_plain_sign, plain)).translate(_LOOK_ALIKES)


def _plain_sign(sign: str) -> str:
    category = unicodedata.category(sign)
    if category in _DROPPED and not sign.isspace():
        return ""
    return sign if category[0] in "LM" else " "


def words_without_numbers(text: str) -> frozenset[str]:
    """The distinct words of a text as `folded`; for a text without spaces, its pairs of characters, or if it is short,
    its characters."""
    plain = folded(text)
    parts = plain.translate(_PLAIN).split()
    words = frozenset(parts)
    if len(words) < MIN_WORDS and not plain.isascii():
        joined = "".join(parts)
        if len(joined) <= MIN_WORDS:
            return frozenset(joined)
        return frozenset(joined[place : place + 2] for place in range(len(joined) - 1))
    return words


class Crowds:
    """Counts the texts of each crowd. A text belongs to the crowd whose first text it resembles."""

    def __init__(self) -> None:
        self._heads: list[frozenset[str]] = []
        self._counts: list[int] = []
        # by recorder and word: the crowds whose first text has that word among its longest
        self._by_word: dict[tuple[str, str], list[int]] = {}
        # by recorder, and the words of a short text with at most one left out
        self._by_rest: dict[tuple[str, frozenset[str]], int] = {}

    def crowd_of(self, text: str, recorder: str) -> Crowd:
        """The crowd of `recorder` that the text belongs to, a new one if there is none."""
        words = words_without_numbers(text)
        if len(words) < MIN_WORDS:
            return Crowd(self._short(words, recorder), is_short=True)
        return Crowd(self._long(words, recorder), is_short=False)

    def counts(self, number: int) -> bool:
        """Count another text of a crowd; returns whether it is among the first MAX_SHOWN."""
        self._counts[number] += 1
        return self._counts[number] <= MAX_SHOWN

    def is_full(self, number: int) -> bool:
        """Whether MAX_SHOWN of a crowd were counted."""
        return self._counts[number] >= MAX_SHOWN

    def _short(self, words: frozenset[str], recorder: str) -> int:
        # two texts that differ in one word are equal without it
        rests = [(recorder, words), *((recorder, words - {word}) for word in words)]
        known = next((self._by_rest[rest] for rest in rests if rest in self._by_rest), None)
        if known is not None:
            return known
        number = self._begin(words)
        self._by_rest.update(dict.fromkeys(rests, number))
        return number

    def _long(self, words: frozenset[str], recorder: str) -> int:
        first = _first_words(words)
        size = len(words)
        near = Counter(chain.from_iterable([self._by_word.get((recorder, word), ()) for word in first]))
        for number in sorted(number for number, common in near.items() if common >= COMMON):
            head = self._heads[number]
            shared = len(words & head)
            if shared >= MIN_SHARED * (size + len(head) - shared):
                return number
        number = self._begin(words)
        for word in first:
            self._by_word.setdefault((recorder, word), []).append(number)
        return number

    def _begin(self, words: frozenset[str]) -> int:
        self._heads.append(words)
        self._counts.append(0)
        return len(self._counts) - 1


def _first_words(words: frozenset[str]) -> list[str]:
    """The longest words of a text, as many as needed so that two texts of a crowd share at least COMMON of them. Long
    words are rare, so few texts have to be compared."""
    apart = int(len(words) * (1 - MIN_SHARED) + 1e-9) + COMMON
    return sorted(sorted(words), key=len, reverse=True)[:apart]
