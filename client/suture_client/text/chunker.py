"""The chunker: overlapping windows of words that end with a sentence if one ends nearby.

A word is a run without white space. Scripts without spaces, and long runs that are not words, are counted in pieces
(docs/decisions/0029-words-and-sentences.md), so that no chunk is long.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from suture_client.text import sentences

CHUNK_WORDS = 200
OVERLAP_WORDS = 50
#: The most words that a boundary may move in either direction to reach the end of a sentence.
REACH_WORDS = 20

#: The number of words before and after the reach that are read to detect the end of a sentence.
_CONTEXT_WORDS = 12

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


@dataclass(frozen=True, slots=True)
class TextSpan:
    """One chunk of a text: characters [start, end), words [first_word, first_word + words)."""

    start: int
    end: int
    first_word: int
    words: int
    #: Whether it splits a sentence, because none ends nearby.
    splits_sentence: bool = False


def split(text: str, *, above: int = CHUNK_WORDS) -> list[TextSpan]:
    """Cut `text` into windows of 200 words that overlap by 50; a boundary moves to the nearest sentence end within
    20 words. Text without words has no chunks; text of up to `above` words has one."""
    words = [found.span() for found in _WORD.finditer(text)]
    if not words:
        return []
    if len(words) <= above:  # as most messages: no need to find sentences
        return [TextSpan(words[0][0], words[-1][1], 0, len(words))]
    return list(_spans(text, words))


def words_in(text: str, start: int, end: int) -> int:
    """Count the words of `text` that start within its characters [start, end)."""
    run = start
    while run and not text[run - 1].isspace():
        run -= 1
    beyond = end
    while beyond < len(text) and not text[beyond].isspace():
        beyond += 1
    return sum(start <= word.start() < end for word in _WORD.finditer(text, run, beyond))


def split_warnings(spans: Iterable[TextSpan]) -> Iterator[str]:
    """Yield a warning for each span that splits a sentence. Words count from 0."""
    for span in spans:
        if span.splits_sentence:
            yield f"Chunk split mid-sentence at word {span.first_word + span.words}"


def _spans(text: str, words: Sequence[tuple[int, int]]) -> Iterator[TextSpan]:
    code = sentences.code_in(text)
    last = 0
    while last < len(words):
        first = max(last - OVERLAP_WORDS, 0)
        last, splits = first + CHUNK_WORDS, False
        if last < len(words):
            last, splits = _boundary(text, words, code, last)
        last = min(last, len(words))
        yield TextSpan(words[first][0], words[last - 1][1], first, last - first, splits)


def _boundary(text: str, words: Sequence[tuple[int, int]], code: Sequence[int], last: int) -> tuple[int, bool]:
    """Move the end of a chunk before word `last` to a sentence end; also return whether it splits a sentence."""
    first = last - REACH_WORDS - _CONTEXT_WORDS
    around = words[first : last + REACH_WORDS + _CONTEXT_WORDS]
    ends = {first + number + 1 for number in sentences.ends(text, around, code)}
    if first + len(around) == len(words) and sentences.ends_last(text[slice(*words[-1])]):
        ends.add(len(words))
    for distance in range(REACH_WORDS + 1):
        for candidate in (last - distance, last + distance):
            if candidate in ends:
                return candidate, False
    return last, True
