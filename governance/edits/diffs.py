"""Word-by-word differences between two texts, and their invisible characters. Pure functions."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from suture_client.text.invisible import EMOJI

#: Longer texts are not compared word by word: the bit vectors of the comparison would take gigabytes.
COMPARED_AT_MOST = 2_500
#: Replaced stretches up to this many tokens are compared again, token by token.
REFINED_AT_MOST = 200

_TOKEN = re.compile(rf"[^\W_]+|\s+|{EMOJI.pattern}|.", re.DOTALL)
#: A word and everything up to the next one: white space as a separate token would match everywhere.
_UNIT = re.compile(r"[^\W_]+[\W_]*|[\W_]+")

#: Invisible characters that str.isprintable() considers printable: blanks and variation selectors.
_NO_PICTURE = frozenset(
    map(
        chr,
        [
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ],
    )
)
# a keycap begins with a digit or a sign
_NOT_ASCII = re.compile(r"(?:[0-9#*](?=\ufe0f?\u20e3))?[^\n\t -~]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is in both texts, or only in one of them."""

    kind: Literal["same", "insert", "delete"]
    text: str


def tokens(text: str) -> list[str]:
    """Split `text` into words (letters and digits), white space and other single characters. Joined they are `text`."""
    return _TOKEN.findall(text)


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces that turn `before` into `after`, in order; a replacement is a delete followed by an insert.

    If too much differs for a comparison by words, the result is one delete and one insert.
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


def replaced(before: str, after: str) -> tuple[str, str]:
    """The words of `before` from the first difference to the last, and the words of `after` in their place. If nothing
    else is in both, these are the whole texts."""
    pieces = word_diff(before, after)
    changed = [place for place, piece in enumerate(pieces) if piece.kind != "same"]
    if not changed:
        return "", ""
    middle = pieces[changed[0] : changed[-1] + 1]
    old, new = ("".join(piece.text for piece in middle if piece.kind != other) for other in ("insert", "delete"))
    return old.strip(), new.strip()


def _common(one: list[str], other: list[str]) -> int:
    """The number of equal units at the start of both."""
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length


def _compared(old: list[str], new: list[str], *, refine: bool) -> Iterator[Piece]:
    i = k = 0
    for j, m in [*_kept(old, new), (len(old), len(new))]:
        removed, added = "".join(old[i:j]), "".join(new[k:m])
        if (
            removed
            and added
            and refine
            and len(left := tokens(removed)) + len(right := tokens(added)) <= REFINED_AT_MOST
        ):
            yield from _compared(left, right, refine=False)
        else:
            yield Piece("delete", removed)
            yield Piece("insert", added)
        yield Piece("same", "".join(old[j : j + 1]))
        i, k = j + 1, m + 1


def _kept(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence, as pairs of indexes.

    Hyyrö's bit-parallel algorithm: one row of bits for each of `new`, in which a zero at place `i` means that one more
    of the first `i + 1` of `old` is kept than of the first `i`. For any texts, it takes a few operations on integers of
    len(old) bits for each of `new`: 2,500 by 2,500 words take a few milliseconds.
    """
    places: dict[str, int] = {}
    for place, unit in enumerate(old):
        places[unit] = places.get(unit, 0) | 1 << place
    everything = row = (1 << len(old)) - 1
    rows: list[int] = []
    for unit in new:
        matching = row & places.get(unit, 0)
        row = ((row + matching) | (row - matching)) & everything
        rows.append(row)
    kept: list[tuple[int, int]] = []
    i, j = len(old), len(new)
    while i and j:
        if rows[j - 1] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1
            if not j or rows[j - 1] >> (i - 1) & 1:
                i -= 1
                kept.append((i, j))
    return kept[::-1]


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Merge adjacent pieces of the same kind, and drop empty ones."""
    given = (piece for piece in pieces if piece.text)
    return [
        Piece(kind, "".join(piece.text for piece in group)) for kind, group in groupby(given, key=lambda one: one.kind)
    ]


def is_unseen(character: str) -> bool:
    """Whether the character is invisible or misleading: controls, bidirectional and other format characters, odd
    spaces, selectors.

    Such characters can hide words from a reviewer, or display them in a different order than a machine reads them.
    """
    if len(character) > 1:
        return False  # an emoji
    return character not in "\n\t" and (not character.isprintable() or character in _NO_PICTURE)


def runs(text: str) -> Iterator[tuple[str, bool]]:
    """Split `text` into stretches, each with whether its characters are invisible."""
    done = 0
    for found in _NOT_ASCII.finditer(text):  # ASCII is visible, and most texts have nothing else
        at = found.start()
        for unseen, together in groupby(_signs(found[0]), key=is_unseen):
            stretch = "".join(together)
            if unseen:
                if done < at:
                    yield text[done:at], False
                yield stretch, True
                done = at + len(stretch)
            at += len(stretch)
    if done < len(text):
        yield text[done:], False


def _signs(text: str) -> Iterator[str]:
    """The characters of `text`, with an emoji of several characters as one."""
    at = 0
    for emoji in EMOJI.finditer(text):
        yield from text[at : emoji.start()]
        yield emoji[0]
        at = emoji.end()
    yield from text[at:]


def name_of(character: str) -> str:
    """The name of an invisible character: its Unicode name, if it has one."""
    return unicodedata.name(character, "") or f"control character U+{ord(character):04X}"
