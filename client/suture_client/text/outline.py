"""Finds the rows of tables and the nested items of lists in Markdown, with the lines that they need to be understood:
the header of the table, or the items above."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_QUOTE = r"(?:[ \t]{0,3}>[ \t]?)*+"
_DELIMITER = re.compile(rf"{_QUOTE}[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t\r]*+")
_ITEM = re.compile(rf"{_QUOTE}(?P<indent>[ \t]*+)(?:[-*+\u2022\u2023\u25e6]|[0-9]{{1,9}}[.)])(?=[ \t])")
_INDENT = re.compile(rf"{_QUOTE}(?P<indent>[ \t]*+)")
_NESTED = re.compile(rf"\n{_QUOTE}[ \t]++(?:[-*+\u2022\u2023\u25e6]|[0-9]{{1,9}}[.)])[ \t]")
#: The most items above that are repeated.
_MAX_DEPTH = 8


@dataclass(slots=True, eq=False)
class Part:
    """A header or a row of a table, or an item of a list, without the spaces around."""

    start: int
    #: The end of its line: what is repeated below it ends here.
    line_end: int
    #: The end of all of it: an item may have more lines.
    end: int
    #: What is repeated above it: the header of its table, or the item that it belongs to.
    above: "Part | None" = None
    is_row: bool = False


class Outline:
    """The rows of tables and the items of lists of a text. A text without tables and nested lists has none."""

    def __init__(self, text: str, code: Sequence[int]) -> None:
        """Read a text in linear time. `code` is the result of `sentences.code_in`."""
        self._parts: list[Part] = []
        if "|" in text or _NESTED.search(text):
            _Reading(text, code, self._parts).run()
        self._starts = [part.start for part in self._parts]

    def at(self, place: int) -> Part | None:
        """Return the part with the character at `place`."""
        number = bisect_right(self._starts, place) - 1
        return self._parts[number] if number >= 0 and place < self._parts[number].end else None

    def first_between(self, start: int, end: int) -> Part | None:
        """Return the first part that starts after `start`, and at `end` at the latest."""
        number = bisect_right(self._starts, start)
        return self._parts[number] if number < len(self._parts) and self._starts[number] <= end else None


def lines_above(part: Part) -> list[tuple[int, int]]:
    """Return the positions of what is repeated above a part, from the nearest."""
    found: list[tuple[int, int]] = []
    above = part.above
    while above is not None and len(found) < _MAX_DEPTH:
        found.append((above.start, above.line_end))
        above = above.above
    return found


class _Reading:
    """Reads the lines of a text into `parts`, which are sorted by their start."""

    def __init__(self, text: str, code: Sequence[int], parts: list[Part]) -> None:
        self._text, self._code, self._parts = text, code, parts
        self._header: Part | None = None
        #: The open items, with their indentation.
        self._items: list[tuple[int, Part]] = []

    def run(self) -> None:
        at, before = 0, (0, 0)  # the line before
        while at < len(self._text):
            beyond = self._text.find("\n", at)
            beyond = len(self._text) if beyond < 0 else beyond
            is_code = bisect_right(self._code, at) % 2 == 1
            start, end = (at, at) if is_code else self._stripped(at, beyond)
            if not is_code:
                self._read(at, start, end, before)
            else:
                self._header = None
            before = start, end
            at = beyond + 1

    def _read(self, at: int, start: int, end: int, before: tuple[int, int]) -> None:
        has_cells = "|" in self._text[start:end]
        if self._header is not None and has_cells:
            self._parts.append(Part(start, end, end, self._header, is_row=True))
        elif has_cells and "|" in self._text[slice(*before)] and _DELIMITER.fullmatch(self._text, at, end):
            self._header = Part(before[0], end, end, is_row=True)
            self._parts.append(self._header)
        else:
            self._header = None
            if self._text[start:end].strip(" \t>"):
                self._read_item(at, start, end)

    def _read_item(self, at: int, start: int, end: int) -> None:
        mark = _ITEM.match(self._text, at, end)
        found = mark or _INDENT.match(self._text, at, end)
        indent = len(found["indent"].expandtabs(4)) if found else 0
        while self._items and indent <= self._items[-1][0]:
            self._items.pop()
        if mark:
            part = Part(start, end, end, self._items[-1][1] if self._items else None)
            self._items.append((indent, part))
            self._parts.append(part)
        elif self._items:
            self._parts[-1].end = end

    def _stripped(self, start: int, end: int) -> tuple[int, int]:
        line = self._text[start:end]
        return start + len(line) - len(line.lstrip()), start + len(line.rstrip())
