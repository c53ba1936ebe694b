"""The chunker: overlapping windows of words that end with a sentence if one ends nearby."""

import re
from dataclasses import dataclass

CHUNK_WORDS = 200
OVERLAP_WORDS = 50
#: How many words a boundary may move, either way, to reach the end of a sentence.
REACH_WORDS = 20

_WORD = re.compile(r"\S+")
# full stops of Latin and Chinese writing, then closing quotes and brackets
_SENTENCE_END = re.compile("[.!?\u2026\u3002\uff01\uff1f][\"'\u2019\u201d\u00bb)\\]]*$")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """One chunk of a text: characters [start, end), words [first_word, last_word + 1)."""

    start: int
    end: int
    first_word: int
    words: int
    splits_sentence: bool = False


def split(text: str) -> list[TextSpan]:
    """Cut `text` into windows of 200 words that overlap by 50; a boundary moves to the nearest sentence end within
    20 words. Text without words has no chunks; text of up to 200 words has one."""
    words = list(_WORD.finditer(text))
    spans: list[TextSpan] = []
    first = 0
    while first < len(words):
        last, splits = _boundary(words, first)
        spans.append(TextSpan(words[first].start(), words[last - 1].end(), first, last - first, splits))
        if last == len(words):
            break
        first = last - OVERLAP_WORDS
    return spans


def _boundary(words: list[re.Match[str]], first: int) -> tuple[int, bool]:
    """Where the chunk that begins at word `first` ends (exclusive), and whether that is within a sentence."""
    last = first + CHUNK_WORDS
    if last >= len(words):
        return len(words), False
    for distance in range(REACH_WORDS + 1):
        for candidate in (last - distance, last + distance):
            if candidate <= len(words) and _SENTENCE_END.search(words[candidate - 1][0]):
                return candidate, False
    return last, True
