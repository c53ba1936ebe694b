"""When two texts say the same, apart from how it is written: near-duplicates. Pure.

The rule is narrow, because results are collapsed by it: "the refund limit is £250" and "... £2,500" are alike in
meaning and in spelling, and must both be seen. So two texts are near-duplicates if they have the same words in the same
order, where punctuation, quotes, case and the forms of characters do not count, and one longer word may be misspelled.
"""

from memory.normal_text import normal_text
from memory.spaces.spelling import Spelling, spelled, trigrams

#: Shorter texts repeat what they say on purpose: "yes", "thank you very much".
FEWEST_WORDS = 4
#: In E9, the likeness that two texts need, and the two spellings of one word.
LEAST_LIKENESS, LEAST_LIKENESS_OF_WORDS = 0.55, 0.3
#: A shorter word may be another word: now and not, house and horse.
SHORTEST_MISSPELLED = 6


def likeness(first: str, second: str) -> float | None:
    """How alike two texts are that say the same, from 0 to 1, where 1 is the same words; None if they do not."""
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
    return alike if alike >= LEAST_LIKENESS else None


def is_long_enough(words: list[str]) -> bool:
    """Whether a text has enough words, or enough letters where words are not parted, to be a duplicate of another."""
    return len(words) >= FEWEST_WORDS or sum(len(word) for word in words) >= 4 * FEWEST_WORDS


def _is_misspelling(first: str, second: str) -> bool:
    return (
        min(len(first), len(second)) >= SHORTEST_MISSPELLED
        and first[0] == second[0]
        and first.isalpha()
        and second.isalpha()
        and _one_slip(first, second)
        and _likeness(first, second) >= LEAST_LIKENESS_OF_WORDS
    )


def _is_name(word: str, text: str) -> bool:
    """Whether a word of `text` has a capital: a misspelled name would be somebody else's."""
    return word not in text


def _one_slip(first: str, second: str) -> bool:
    """Whether one letter too many, too few or wrong, or two that changed places, is all the difference; not at the end,
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
