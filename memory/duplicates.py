"""Decides whether two texts say the same, apart from spelling: near-duplicates. Pure.

The rule is narrow, because results are collapsed by it: "the refund limit is £250" and "... £2,500" are alike in
meaning and in spelling, but both must be visible. So near-duplicates have the same words in the same order, ignoring
punctuation, quotes, case and the forms of characters, and one longer word may be misspelled.
"""

from memory.normal_text import normal_text
from memory.spaces.spelling import Spelling, spelled, trigrams

#: Shorter texts often repeat intentionally: "yes", "thank you very much".
MIN_WORDS = 4
#: The similarity in E9 that two texts need, and that two spellings of one word need.
MIN_LIKENESS, MIN_WORD_LIKENESS = 0.55, 0.3
#: A shorter word may be another word: now and not, house and horse.
MIN_MISSPELLED = 6


def likeness(first: str, second: str) -> float | None:
    """The similarity of two texts that say the same, from 0 to 1, where 1 is the same words; None if they differ."""
    words, others = normal_text(first).split(" "), normal_text(second).split(" ")
    if not is_long_enough(words):
        return None
    if words == others:
        return 1.0
    different = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(words) != len(others) or len(different) != 1 or not _is_misspelling(*different[0]):
        return None
    if _is_name(different[0][0], first) or _is_name(different[0][1], second):
        return None
    alike = _likeness(first, second)
    return alike if alike >= MIN_LIKENESS else None


def is_long_enough(words: list[str]) -> bool:
    """Whether a text has enough words, or enough letters in a script without spaces, to be a duplicate of another."""
    return len(words) >= MIN_WORDS or sum(len(word) for word in words) >= 4 * MIN_WORDS


def _is_misspelling(first: str, second: str) -> bool:
    return (
        min(len(first), len(second)) >= MIN_MISSPELLED
        and first[0] == second[0]
        and first.isalpha()
        and second.isalpha()
        and _one_slip(first, second)
        and _likeness(first, second) >= MIN_WORD_LIKENESS
    )


def _is_name(word: str, text: str) -> bool:
    """Whether a word of `text` has a capital: a misspelled name would be another name."""
    return word not in text


def _one_slip(first: str, second: str) -> bool:
    """Whether the only difference is one additional, missing or wrong letter, or two swapped ones; not at the end,
    where a letter makes another form (paid, pays) or another name (Maria, Marie)."""
    shared = min(len(first), len(second))
    start = next((place for place in range(shared) if first[place] != second[place]), shared)
    if start >= shared - 1:
        return False
    rest, other = first[start:], second[start:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )


def _likeness(first: str, second: str) -> float:
    if not trigrams(first) or not trigrams(second):
        return 0.0
    return Spelling().score(spelled(first), [spelled(second)])[0]
