"""The chunker: overlapping windows of words that end with a sentence if one ends nearby.

A word is a run without white space, as people count them. Writings without spaces, and runs that are no words, are
counted in pieces (docs/decisions/0029-words-and-sentences.md), so that no chunk is long.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory import sentences

CHUNK_WORDS = 200
OVERLAP_WORDS = 50
#: How many words a boundary may move, either way, to reach the end of a sentence.
REACH_WORDS = 20

#: How many words before and after the reach are read to tell whether a sentence ends there.
_CONTEXT_WORDS = 12
#: How many characters that are no longer needed are dropped at once.
_DROPPED = 65_536

# Han, kana, bopomofo: two characters count as a word; Thai, Lao, Tibetan, Burmese, Khmer: four; of other runs, 64.
_HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_INDOCHINESE = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
)
_OPENING = "(\\[{\u00ab\u2018\u201c\u3008\u300a\u300c\u300e\u3010\u3014\u3016\u3018\uff08\uff3b\uff5b\uff62"
# Marks that belong to the character before them.
_MARKS = (
    "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u200d"
    "\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"
)
_WORD = re.compile(
    rf"[{_OPENING}]{{0,8}}+(?:[{_HAN}]{{1,2}}+|[{_INDOCHINESE}]{{1,4}}+)[{_MARKS}]{{0,8}}+[^\w\s{_OPENING}]{{0,8}}+"
    rf"|[^\s{_HAN}{_INDOCHINESE}]{{1,64}}+[{_MARKS}]{{0,8}}+"
)

#: Characters of a text whose words are counted before it is cut.
_SHORT = 2_000


@dataclass(frozen=True, slots=True)
class TextSpan:
    """One chunk of a text: characters [start, end), words [first_word, first_word + words)."""

    start: int
    end: int
    first_word: int
    words: int
    #: Whether it ends within a sentence, because none ends nearby.
    splits_sentence: bool = False


def split(text: str, *, above: int = CHUNK_WORDS) -> list[TextSpan]:
    """Cut `text` into windows of 200 words that overlap by 50; a boundary moves to the nearest sentence end within
    20 words. Text without words has no chunks; text of up to `above` words has one."""
    if len(text) <= _SHORT:  # most messages are: no sentence has to be looked for
        words = list(_WORD.finditer(text))
        if not words:
            return []
        if len(words) <= above:
            return [TextSpan(words[0].start(), words[-1].end(), 0, len(words))]
    return list(_spans(_Text([text]), above))


def split_stream(parts: Iterable[str], *, above: int = CHUNK_WORDS) -> Iterator[tuple[TextSpan, str]]:
    """The same spans of the text that `parts` make up, each with its words, as soon as enough of the text is read. At
    any time, only a few chunks of the text are in memory (and a part, and a run of white space between two words)."""
    text = _Text(parts)
    for span in _spans(text, above):
        yield span, text.between(span.start, span.end)


def words_in(text: str, start: int, end: int) -> int:
    """How many words of `text` begin within its characters [start, end)."""
    run = start
    while run and not text[run - 1].isspace():
        run -= 1
    beyond = end
    while beyond < len(text) and not text[beyond].isspace():
        beyond += 1
    return sum(start <= word.start() < end for word in _WORD.finditer(text, run, beyond))


def split_warnings(spans: Iterable[TextSpan]) -> Iterator[str]:
    """What the log should say of `spans`: where one splits a sentence. Words count from 0."""
    for span in spans:
        if span.splits_sentence:
            yield f"Chunk split mid-sentence at word {span.first_word + span.words}"


def _spans(text: "_Text", above: int) -> Iterator[TextSpan]:
    text.read(above)
    is_one = not text.has(above)
    last = 0
    while text.has(last):
        first = max(last - OVERLAP_WORDS, 0)
        text.drop(first)
        text.read(first + CHUNK_WORDS)
        last, splits = text.count, False
        if text.has(first + CHUNK_WORDS) and not is_one:
            last, splits = _boundary(text, first + CHUNK_WORDS)
        yield TextSpan(*text.place(first, last), first, last - first, splits)


def _boundary(text: "_Text", last: int) -> tuple[int, bool]:
    """Where the chunk ends that would end before word `last`, and whether that is within a sentence."""
    text.read(last + REACH_WORDS + _CONTEXT_WORDS)
    ends = text.ends(last - REACH_WORDS - _CONTEXT_WORDS, last + REACH_WORDS + _CONTEXT_WORDS)
    for distance in range(REACH_WORDS + 1):
        for candidate in (last - distance, last + distance):
            if candidate in ends:
                return candidate, False
    return last, True


class _Text:
    """A text that is read in parts, as far as it is needed, and dropped when it is not needed any more."""

    def __init__(self, parts: Iterable[str]) -> None:
        self._parts = iter(parts)
        self._is_all = False
        #: The characters from number `_base` on.
        self._text = ""
        self._base = 0
        #: Where the words begin and end, from number `_first` on.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._first = 0
        #: Where to look for the next word.
        self._at = 0
        self._code = sentences.Code()

    @property
    def count(self) -> int:
        """How many words have been read."""
        return self._first + len(self._starts)

    def has(self, word: int) -> bool:
        """Whether there is a word of this number, if it has been read."""
        return word < self.count

    def read(self, word: int) -> None:
        """Read on until the word of this number is known, and what its lines are, or to the end of the text."""
        while not self._is_all and not (self.has(word) and self._read_beyond(word)):
            part = next(self._parts, None)
            if part is None:
                self._is_all = True
            else:
                self._text += part
            self._find_words()

    def between(self, start: int, end: int) -> str:
        """The characters [start, end)."""
        return self._text[start - self._base : end - self._base]

    def place(self, first: int, last: int) -> tuple[int, int]:
        """Where the words [first, last) begin and end."""
        return self._starts[first - self._first], self._ends[last - 1 - self._first]

    def ends(self, first: int, beyond: int) -> set[int]:
        """Before which words a sentence ends, as the words [first, beyond) tell."""
        first, beyond = max(first, self._first), min(beyond, self.count)
        chosen = slice(first - self._first, beyond - self._first)
        found = sentences.ends(self._text, self._base, self._starts[chosen], self._ends[chosen], self._code)
        ends = {first + number + 1 for number in found}
        if self._is_all and beyond == self.count and sentences.ends_last(self.between(*self.place(beyond - 1, beyond))):
            ends.add(beyond)
        return ends

    def drop(self, first: int) -> None:
        """Forget the words before number `first`."""
        start = self._starts[first - self._first] - sentences.LINE_HEAD - 1
        if start - self._base < _DROPPED:
            return
        self._text = self._text[start - self._base :]
        self._base = start
        self._code.forget(start)
        del self._starts[: first - self._first], self._ends[: first - self._first]
        self._first = first

    def _read_beyond(self, word: int) -> bool:
        return self._base + len(self._text) - self._ends[word - self._first] > 2 * sentences.LINE_HEAD

    def _find_words(self) -> None:
        for found in _WORD.finditer(self._text, self._at - self._base):
            start, end = found.span()
            if end == len(self._text) and not self._is_all:
                self._at = self._base + start  # it may go on
                break
            self._starts.append(self._base + start)
            self._ends.append(self._base + end)
        else:
            self._at = self._base + len(self._text)
        self._code.read(self._text, self._base, is_all=self._is_all)
