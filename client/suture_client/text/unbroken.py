"""Text as a reader sees it, so that a secret is found in spite of escapes, colour codes, invisible characters and line
ends within it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache

#: Takes the place of a secret that is found, one for each character. `clean()` removes it from the text itself.
FOUND = "\x00"
_INVISIBLE = "\x00\xad\u034f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
#: A text with an escape or the like has one of these, or "&" and ";", or is not ASCII.
_SIGNS = ("\\", "%", "\x1b", "\x00")
#: Signs and quotes that people type, and those of code for them.
_WIDE, _NARROW = "\uff1a\uff1d\u201c\u201d\u201e\u2018\u2019\u00a0", ':="""\'\' '
_NAMED = {"quot": '"', "#34": '"', "apos": "'", "#39": "'", "amp": "&", "lt": "<", "gt": ">"}
_CHARACTERS = r"A-Za-z0-9_+/=.~-"
#: The shortest line that is taken as wrapped, and the shortest run of characters before its end.
_WRAPPED, _RUN = 60, 16
#: The longest token whose line ends are ignored, in characters.
LONGEST = 400


class Clean:
    """A text without breaks, and the positions that it comes from."""

    def __init__(self, text: str, breaks: list[tuple[int, int, str]]) -> None:
        pieces: list[str] = []
        #: For each piece: its position here, and in the original.
        self._here, self._there = [0], [0]
        done = here = 0
        for start, end, instead in breaks:
            pieces += text[done:start], instead
            here += start - done
            if instead:
                self._here.append(here)
                self._there.append(start)
                here += len(instead)
            self._here.append(here)
            self._there.append(end)
            done = end
        self.text = "".join([*pieces, text[done:]])

    def original(self, at: int, *, end: bool = False) -> int:
        """Return the position in the original of the character at `at`, or where the one before `at` ends."""
        if end:
            return self.original(at - 1) + 1
        number = bisect_right(self._here, at) - 1
        return self._there[number] + at - self._here[number]


def clean(text: str) -> Clean | None:
    """Return `text` without breaks; None if it has none."""
    breaks = []
    # most texts have no break: searching these characters takes less than compiling the pattern
    if not text.isascii() or any(sign in text for sign in _SIGNS) or ("&" in text and ";" in text):
        breaks = [(one.start(), one.end(), _instead(one)) for one in _breaks().finditer(text)]
    if "\n" in text and (wrapped := _wrapped(text)):
        breaks = _merged(sorted([*breaks, *wrapped]))
    return Clean(text, breaks) if breaks else None


def joined(text: str) -> Clean | None:
    """Return `text`, the beginning of a token and what follows, without line ends and quotes between its parts; None if
    it has none."""
    breaks = [(one.start(), one.end(), "") for one in _joints().finditer(text)]
    return Clean(text, breaks) if breaks else None


def _merged(breaks: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for one in breaks:
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


@cache
def _breaks() -> re.Pattern[str]:
    return re.compile(
        # begins with a set of characters, so that the engine finds the places to try by itself
        rf"[\x1b\\&%{_INVISIBLE}{_WIDE}](?:"
        rf"(?<=[{_INVISIBLE}])[{_INVISIBLE}]*+"
        rf"|(?<=(?P<wide>[{_WIDE}]))"
        r"|(?<=\x1b)(?:\[[0-9;:?]{0,24}[A-Za-z]|\][^\x07\x1b\n]{0,300}(?:\x07|\x1b\\))"
        r"|(?<=\\)\\{0,7}(?:"
        r"(?:x1[bB]|033|e|u001[bB])\[[0-9;:?]{0,24}[A-Za-z]"
        r"|u(?:00[aA][dD]|200[b-fB-F]|2060|[fF][eE][fF][fF])"
        r"|u00(?P<code>[2-7][0-9a-fA-F])"
        r"|(?P<same>[\"'/`])"
        r"|(?P<end>[nrt])"
        r"|\r?\n)"
        r"|(?<=&)(?:(?P<name>quot|apos|amp|lt|gt|#34|#39)|shy|zwnj|zwj|#8203|#173|ZeroWidthSpace);"
        r"|(?<=%)(?P<percent>(?!40|2[fF])[2-7][0-9a-fA-F]))"
    )


@cache
def _joints() -> re.Pattern[str]:
    return re.compile(
        rf"(?<=[{_CHARACTERS}])(?:[\"'`]?[ \t]{{0,9}}[+.\\]?[ \t]{{0,9}}\r?\n[ \t]{{0,40}}(?:[>|#*+]"
        rf"[ \t]{{1,4}})?[\"'`]?"
        rf"|[\"'`][ \t]{{0,9}}[+.,]?[ \t]{{0,9}}[\"'`])(?=[{_CHARACTERS}])"
    )


@cache
def _continued() -> re.Pattern[str]:
    return re.compile(rf"\n(?=(?P<next>[{_CHARACTERS}]{{4,200}}+)(?:[\s\"'`,;)]|\Z))")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(rf"[{_CHARACTERS}]{{{_RUN}}}\r?\Z")


def _instead(found: re.Match[str]) -> str:
    if not (kind := found.lastgroup):
        return ""
    value = found[kind]
    if kind in ("code", "percent"):
        return chr(int(value, 16))
    if kind == "wide":
        return _NARROW[_WIDE.index(value)]
    if kind == "end":
        return "\n"
    return _NAMED[value] if kind == "name" else value


def _wrapped(text: str) -> list[tuple[int, int, str]]:
    """Return the line ends within a token that is wrapped: a full line ends with one part, and the other is the first
    word of the next line. Both have digits, unlike words."""
    breaks = []
    for one in _continued().finditer(text):
        end = one.start()
        before = text[end - _RUN - 1 : end]
        if (
            end - text.rfind("\n", 0, end) > _WRAPPED
            and any(map(str.isdigit, one["next"]))
            and any(map(str.isdigit, before))
            and (_run().search(before))
        ):
            breaks.append((end - before.endswith("\r"), end + 1, ""))
    return breaks
