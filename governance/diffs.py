"""What changed between two texts, word by word, and which of their characters cannot be seen. Pure functions."""

import difflib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

#: More tokens than this on either side are not compared word by word: difflib is quadratic.
COMPARED_AT_MOST = 5_000

_TOKEN = re.compile(r"[^\W_]+|\s+|.", re.DOTALL)

#: Not control or format characters, and still without a picture of their own.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_PLAIN = frozenset(" \n\t")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that both have, or that one of them has alone."""

    kind: Literal["same", "insert", "delete"]
    text: str


def tokens(text: str) -> list[str]:
    """`text` as words (letters and digits), stretches of white space and single other characters; joined, it is
    `text` again."""
    return _TOKEN.findall(text)


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces that turn `before` into `after`, in order; a replacement is a delete followed by an insert.

    Where too much differs to compare word by word, all that differs is one delete and one insert.
    """
    old, new = tokens(before), tokens(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    found = [Piece("same", "".join(old[:start]))]
    if max(len(middle_old), len(middle_new)) > COMPARED_AT_MOST:
        found += [Piece("delete", "".join(middle_old)), Piece("insert", "".join(middle_new))]
    else:
        found += _compared(middle_old, middle_new)
    found.append(Piece("same", "".join(old[len(old) - end :])))
    return [piece for piece in found if piece.text]


def _common(one: list[str], other: list[str]) -> int:
    """How many tokens both begin with."""
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length


def _compared(old: list[str], new: list[str]) -> Iterator[Piece]:
    # autojunk takes frequent words of long texts for noise; without it a long text is slow
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for operation, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if operation == "equal":
            yield Piece("same", "".join(old[old_start:old_end]))
            continue
        yield Piece("delete", "".join(old[old_start:old_end]))
        yield Piece("insert", "".join(new[new_start:new_end]))


def is_unseen(character: str) -> bool:
    """Whether a reader would not see it: controls, bidirectional and other format characters, odd spaces, selectors.

    Such characters can hide words from a reviewer, or show them in another order than a machine reads them.
    """
    if character in _PLAIN:
        return False
    # Cc control, Cf format (zero width, bidirectional, tags), Zs Zl Zp spaces, Co private, Cn unassigned
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"}:
        return True
    return character in _BLANK or "VARIATION SELECTOR" in unicodedata.name(character, "")


def runs(text: str) -> Iterator[tuple[str, bool]]:
    """`text` in stretches, each with whether its characters are unseen ones."""
    for unseen, characters in groupby(text, key=is_unseen):
        yield "".join(characters), unseen


def name_of(character: str) -> str:
    """What to call a character that has no picture: its Unicode name, where it has one."""
    return unicodedata.name(character, "") or f"control character U+{ord(character):04X}"
