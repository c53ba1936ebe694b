"""The chunker: overlapping windows of words that end with a sentence if one ends nearby.

A table is cut between its rows, and a window that begins within a table or a nested list begins with a row or an item.

A word is a run without white space. Scripts without spaces, and long runs that are not words, are counted in pieces
(docs/decisions/0029-words-and-sentences.md), so that no chunk is long.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from suture_client.text import sentences
from suture_client.text.outline import Outline, lines_above

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
    #: The positions of the lines to repeat before it: the header of its table, or the items above its item.
    above: tuple[tuple[int, int], ...] = ()


def split(text: str, *, above: int = CHUNK_WORDS) -> list[TextSpan]:
    """Cut `text` into windows of 200 words that overlap by 50; a boundary moves to the nearest sentence end within
    20 words. Text without words has no chunks; text of up to `above` words has one. A last window of up to 20 new words
    is part of the one before."""
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


def with_lines_above(text: str, span: TextSpan) -> str:
    """Return the words of a chunk, below the header of its table or the items above its item."""
    if not span.above:
        return text[span.start : span.end]
    starts = [*span.above, (span.start, span.end)]
    return "\n".join(text[_indentation(text, start) : end] for start, end in starts).lstrip()


def _indentation(text: str, start: int) -> int:
    """Return the start of the indentation before `start`, which shows the level of an item."""
    first = start
    while first and text[first - 1] in " \t":
        first -= 1
    return first if not first or text[first - 1] == "\n" else start


def _spans(text: str, words: Sequence[tuple[int, int]]) -> Iterator[TextSpan]:
    code = sentences.code_in(text)
    outline = Outline(text, code)
    last = 0
    while last < len(words):
        first, above, above_words = _beginning(words, outline, max(last - OVERLAP_WORDS, 0), last)
        last, splits = first + CHUNK_WORDS - above_words, False
        if last + REACH_WORDS < len(words):
            last, splits = _boundary(text, words, code, last)
            last, splits = _between_rows(words, outline, first, last, splits)
        else:
            last = len(words)
        yield TextSpan(words[first][0], words[last - 1][1], first, last - first, splits, above)


def _beginning(
    words: Sequence[tuple[int, int]], outline: Outline, first: int, last: int
) -> tuple[int, tuple[tuple[int, int], ...], int]:
    """Move the start of a chunk at word `first` to the start of a row or an item, up to word `last`. Also return the
    lines to repeat before it, and the number of their words: not more than the overlap."""
    part = outline.at(words[first][0])
    if part is not None and part.start < words[first][0]:
        following = outline.first_between(words[first][0], words[last][0])
        is_within = part.above is not None or part.is_row
        if following is not None and (is_within or following.above is not None):
            first, part = _word_at(words, following.start), following
        elif is_within and (beyond := _word_at(words, part.end)) <= last:
            first, part = beyond, None
    lines: list[tuple[int, int]] = []
    count = 0
    for start, end in lines_above(part) if part is not None else ():
        count_more = _word_at(words, end) - _word_at(words, start)
        if count + count_more > OVERLAP_WORDS:
            break
        lines.append((start, end))
        count += count_more
    return first, tuple(reversed(lines)), count


def _between_rows(
    words: Sequence[tuple[int, int]], outline: Outline, first: int, last: int, splits: bool
) -> tuple[int, bool]:
    """Move the end of a chunk out of a row, unless the row is longer than half a chunk."""
    part = outline.at(words[last][0])
    if part is None or not part.is_row or part.start == words[last][0]:
        return last, splits
    before, after = _word_at(words, part.start), _word_at(words, part.end)
    is_near = after - last <= min(REACH_WORDS, last - before) and after - first <= CHUNK_WORDS + REACH_WORDS
    if is_near and len(words) - after > REACH_WORDS:
        return after, False
    return (before, False) if before - first >= CHUNK_WORDS // 2 else (last, splits)


def _word_at(words: Sequence[tuple[int, int]], place: int) -> int:
    """Return the index of the first word that starts at `place` or later."""
    return bisect_left(words, (place,))


def _boundary(text: str, words: Sequence[tuple[int, int]], code: Sequence[int], last: int) -> tuple[int, bool]:
    """Move the end of a chunk before word `last` to a sentence end; also return whether it splits a sentence."""
    first = last - REACH_WORDS - _CONTEXT_WORDS
    around = words[first : last + REACH_WORDS + _CONTEXT_WORDS]
    ends = {first + number + 1 for number in sentences.ends(text, around, code)}
    for distance in range(REACH_WORDS + 1):
        for candidate in (last - distance, last + distance):
            if candidate in ends and len(words) - candidate > REACH_WORDS:
                return candidate, False
    return last, True
