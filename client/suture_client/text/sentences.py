"""Finds the ends of sentences in prose of any script and in Markdown.

The library sentencex finds the ends in prose. The structure of Markdown (headings, list items, table rows, paragraphs,
code) shows which text is prose, and adds further ends. All text is read as Markdown, because a paragraph of plain text
is one in Markdown too.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

#: Characters at the start of a line that determine its kind.
_LINE_HEAD = 300
_FENCE = re.compile(
    r"(?m)^[ \t>]{0,12}(?:(?:[-*+]|[0-9]{1,3}[.)])[ \t]{1,3})?(?P<mark>`{3,64}+|~{3,64}+)(?P<rest>[^\n]{0,200})"
)
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022\u2023\u25e6]|\(?[0-9]{1,9}[.)]|[a-zA-Z]\))(?=[ \t]|$)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?=[ \t]|$)")
_RULE = re.compile(r"[ \t]{0,3}(?P<mark>[-*_=])(?:[ \t]*(?P=mark))*[ \t]*$")
#: Emphasis marks that are not part of a word.
_EMPHASIS = re.compile(r"[*~]|(?<!\w)_+|_+(?!\w)")

_ELLIPSIS = re.compile(r"\u2026(?=\W{0,9}?(?P<next>\w))")

#: Abbreviations that the library does not know and that never end a sentence: English, German, Italian, Polish.
_ABBREVIATION = re.compile(
    r"(?:\b(?:[Mm]s|[Aa]pprox|[Vv]ol|[Cc]h|[Ee]q|[Ee]st|[Ii]ncl|[Ee]xcl|[Tt]el|[Rr]esp|[Pp]ara|[Bb]zgl|[Ss]ig|np|tzn)"
    r"|\b(?:am|vom|zum|bis|der|den|dem|ab|seit) [0-9]{1,2})\.\Z"
)


class _Kind(Enum):
    PROSE = auto()
    BLANK = auto()
    HEADING = auto()
    ITEM = auto()
    ROW = auto()
    RULE = auto()
    CODE = auto()


class _Line(NamedTuple):
    start: int
    end: int
    kind: _Kind
    #: The number of characters of the marks of a quote, a heading or a list item.
    marks: int
    is_quoted: bool


def code_in(text: str) -> list[int]:
    """Return the positions of fenced code: starts and ends, alternating. Their number is odd if the last fence is
    open."""
    places: list[int] = []
    opened = ""
    for found in _FENCE.finditer(text):
        mark, rest = found["mark"], found["rest"].strip()
        if not opened and (mark[0] == "~" or "`" not in rest):
            opened = mark
            places.append(found.start())
        elif opened and mark.startswith(opened) and not rest:
            opened = ""
            places.append(found.end())
    return places


def ends(text: str, words: Sequence[tuple[int, int]], code: Sequence[int]) -> set[int]:
    """Return the indexes of the words that end a sentence. `words` are the positions of consecutive words, `code` is
    the result of `code_in`. The last word is not checked."""
    starts, beyonds = [start for start, _ in words], [end for _, end in words]
    lines = list(_lines(text, starts[0], beyonds[-1], code))
    found: set[int] = set()
    blocks = [0]  # the indexes of their first words
    for line, following in pairwise(lines):
        if _breaks(line, following):
            first = bisect_left(starts, line.end)
            if blocks[-1] < first < len(starts):
                found.add(first - 1)
                blocks.append(first)
    for first, beyond in pairwise([*blocks, len(starts)]):
        if not _is_code(_line_of(lines, starts[first]), code):
            prose = _prose(text, starts[first], beyonds[beyond - 1], lines)
            for place in _boundaries(prose):
                at = bisect_left(beyonds, starts[first] + place)
                # No sentence ends inside a word, as in "first.Then".
                if at < beyond and not any(map(str.isalnum, text[starts[first] + place : beyonds[at]])):
                    found.add(at)
    found.discard(len(starts) - 1)
    return found


def _is_code(place: int, code: Sequence[int]) -> bool:
    """Return whether the line that starts at this position is code or a fence."""
    return bisect_right(code, place) % 2 == 1


def _lines(text: str, start: int, end: int, code: Sequence[int]) -> Iterator[_Line]:
    """Yield the lines from the one with `start` to the one with `end`."""
    at = text.rfind("\n", max(start - _LINE_HEAD, 0), start) + 1
    # The start of a longer line is not searched: it counts as prose.
    is_known = at > 0 or start <= _LINE_HEAD
    at = at or max(start - _LINE_HEAD, 0)
    while at < end:
        limit = max(end, at + _LINE_HEAD)
        beyond = text.find("\n", at, limit + 1)
        beyond = limit if beyond < 0 else beyond
        if is_known:
            yield _line(text[at : min(beyond, at + _LINE_HEAD)].rstrip("\r"), at, beyond, code)
        else:
            yield _Line(at, beyond, _Kind.PROSE, 0, is_quoted=False)
        is_known = True
        at = beyond + 1


def _line(head: str, start: int, end: int, code: Sequence[int]) -> _Line:
    if _is_code(start, code):
        return _Line(start, end, _Kind.CODE, 0, is_quoted=False)
    quote = _QUOTE.match(head)
    marks = quote.end() if quote else 0
    rest = head[marks:]
    kind = _Kind.PROSE
    if not rest.strip():
        kind = _Kind.BLANK
    elif rest.lstrip().startswith("|"):
        kind = _Kind.ROW
    elif _RULE.match(rest) and len(rest.strip()) > 1:
        kind = _Kind.RULE
    elif mark := _HEADING.match(rest):
        kind, marks = _Kind.HEADING, marks + mark.end()
    elif mark := _ITEM.match(rest):
        kind, marks = _Kind.ITEM, marks + mark.end()
    return _Line(start, end, kind, marks, quote is not None)


def _breaks(line: _Line, following: _Line) -> bool:
    """Return whether a sentence cannot continue from this line to the next."""
    if line.kind is not _Kind.PROSE and line.kind is not _Kind.ITEM:
        return True
    if following.kind is _Kind.RULE:
        return False  # the line above it is a heading
    return following.kind is not _Kind.PROSE or line.is_quoted != following.is_quoted


def _line_of(lines: Sequence[_Line], place: int) -> int:
    """Return the start of the line with this position."""
    return lines[bisect_right(lines, place, key=lambda line: line.start) - 1].start


def _prose(text: str, start: int, end: int, lines: Iterable[_Line]) -> str:
    """Return the characters [start, end) with spaces instead of marks, emphasis and line ends."""
    prose = text[start:end]
    for line in lines:
        first, beyond = max(line.start - start, 0), min(line.start + line.marks - start, len(prose))
        if first < beyond:
            prose = prose[:first] + " " * (beyond - first) + prose[beyond:]
    prose = _EMPHASIS.sub(lambda found: " " * len(found[0]), prose).replace("\n", " ").replace("\r", " ")
    # The library does not know the ellipsis: it is a pause before a lower-case letter, and an end before others.
    return _ELLIPSIS.sub(lambda found: found[0] if found["next"].islower() else ".", prose)


def _boundaries(prose: str) -> Iterator[int]:
    """Yield the positions at which sentences end."""
    find = _library()
    try:
        found = find(_language(prose), prose)
    except UnicodeEncodeError:  # a lone surrogate
        prose = prose.encode(errors="replace").decode()
        found = find(_language(prose), prose)
    for sentence in found[:-1]:
        said = sentence["text"].rstrip()
        if not _ABBREVIATION.search(said):
            yield sentence["start_index"] + len(said)


#: The language for each script, because abbreviations and marks differ. Latin and all others are read as English.
_WRITINGS = tuple((re.compile(f"[{letters}]"), language) for letters, language in (
    ("\u3041-\u30ff", "ja"),
    ("\u4e00-\u9fff", "zh"),
    ("\u0400-\u04ff", "ru"),
    ("\u0370-\u03ff", "el"),
    ("\u0900-\u097f", "hi"),
    ("\u0600-\u06ff", "ar"),
    ("\u0530-\u058f", "hy"),
    ("\u1200-\u137f", "am"),
    ("\u1000-\u109f", "my"),
))  # fmt: skip


def _language(prose: str) -> str:
    """Return the language of most letters, among those with their own script."""
    if prose.isascii():
        return "en"
    counts = [(len(letters.findall(prose)), language) for letters, language in _WRITINGS]
    most, language = max(counts, key=lambda one: one[0])
    return language if most * 4 > len(prose) else "en"


def load() -> None:
    """Load the library with the data of all languages."""
    for language in ("en", *(language for _, language in _WRITINGS)):
        _library()(language, "One. Two.")


@cache
def _library() -> Callable[[str, str], list[dict[str, Any]]]:
    # Imported on first use, because neither Django's start nor hooks need it.
    from sentencex import get_sentence_boundaries

    return get_sentence_boundaries  # type: ignore[no-any-return]
