"""What changed between two texts, word by word, and which of their characters cannot be seen. Pure functions."""

import difflib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

#: More words than this on either side are not compared one by one: difflib is quadratic.
COMPARED_AT_MOST = 2_500
#: Replaced stretches up to so many tokens are compared once more, token by token.
REFINED_AT_MOST = 200

_TOKEN = re.compile(r"[^\W_]+|\s+|.", re.DOTALL)
#: A word with all that follows it up to the next: white space as a separate token would match everywhere.
_UNIT = re.compile(r"[^\W_]+[\W_]*|[\W_]+")

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
    old, new = _UNIT.findall(before), _UNIT.findall(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    found = [Piece("same", "".join(old[:start]))]
    if max(len(middle_old), len(middle_new)) > COMPARED_AT_MOST:
        found += [Piece("delete", "".join(middle_old)), Piece("insert", "".join(middle_new))]
    else:
        found += _compared(middle_old, middle_new, refine=True)
    found.append(Piece("same", "".join(old[len(old) - end :])))
    return _joined(found)


def _common(one: list[str], other: list[str]) -> int:
    """How many units both begin with."""
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length


def _compared(old: list[str], new: list[str], *, refine: bool) -> Iterator[Piece]:
    # autojunk would take the frequent words of a long text for noise
    for operation, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        removed, added = "".join(old[i:j]), "".join(new[k:m])
        if operation == "equal":
            yield Piece("same", removed)
            continue
        left, right = tokens(removed), tokens(added)
        if refine and operation == "replace" and len(left) + len(right) <= REFINED_AT_MOST:
            yield from _compared(left, right, refine=False)
        else:
            yield Piece("delete", removed)
            yield Piece("insert", added)


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Neighbours of one kind as one piece; no empty ones."""
    given = (piece for piece in pieces if piece.text)
    return [
        Piece(kind, "".join(piece.text for piece in group)) for kind, group in groupby(given, key=lambda one: one.kind)
    ]


def is_unseen(character: str) -> bool:
    """Whether the character is invisible or misleading: controls, bidirectional and other format characters, odd
    spaces, selectors.

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
