"""A file's text as it may be sent: without private spans and secrets, in parts, so that a file of any size needs little
memory."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

from capture.filtering import parts_without_private
from governance.masking import mask
from memory.chunker import words_in

#: How many characters are masked at a time. A text of up to so many is one part.
PART = 1_000_000
#: How far around a cut a secret is looked for.
_AROUND = 4_096

_PLACEHOLDER = re.compile(r"\[redacted: [^\]\n]{1,200}\]")
_BLANK_LINE = re.compile(r"\n[ \t\r]{0,80}\n")
_LINE_END = re.compile(r"\n")
_SPACE = re.compile(r"\s")
#: What is not a text's: Suture takes tabs and line breaks only (governance.text). NUL makes a file binary.
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
#: Where a secret of many lines begins, and where it ends. Without its end it goes on to the end of the file.
_LONG_SECRETS = (
    (
        re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,6}PRIVATE KEY", re.IGNORECASE),
        re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,150}-{4,5}", re.IGNORECASE),
    ),
    (
        re.compile(r"PuTTY-User-Key-File-[0-9]:", re.IGNORECASE),
        re.compile(r"Private-MAC: {0,5}[0-9a-f]{0,128}", re.IGNORECASE),
    ),
)
_LONGEST_MARK = 400


class Masked:
    """The masked parts of one text. Afterwards `redacted` says how many secrets of each kind were masked."""

    def __init__(self, blocks: Iterable[str]) -> None:
        self.redacted: Counter[str] = Counter()
        self._blocks = blocks
        #: How many characters the masked parts have had so far.
        self._characters = 0
        #: From each of these positions in the masked text, the file is so many words ahead of it.
        self._positions = [0]
        self._ahead = [0]

    def __iter__(self) -> Iterator[str]:
        buffer = ""
        closing: re.Pattern[str] | None = None
        for block in parts_without_private(self._blocks):
            buffer += _CONTROL.sub(" ", block)
            if closing is not None:
                if (found := closing.search(buffer)) is None:
                    buffer = buffer[-_LONGEST_MARK:]
                    continue
                buffer, closing = buffer[found.end() :], None
            while len(buffer) > PART + _LONGEST_MARK:
                end, closing = _cut(buffer)
                yield self._part(buffer[:end])
                buffer = buffer[end:]
                if closing is not None:
                    break
        if buffer and closing is None:
            yield self._part(buffer)

    def words_ahead(self, position: int) -> int:
        """How many words the file has more than the masked text, before a position in the masked text."""
        return self._ahead[bisect_right(self._positions, position) - 1]

    def forget_before(self, position: int) -> None:
        """`words_ahead` is not asked any more about what is before this position in the masked text."""
        keep = max(0, bisect_right(self._positions, position) - 1)
        del self._positions[:keep], self._ahead[:keep]

    def _part(self, text: str) -> str:
        masked, kinds = mask(text)
        self.redacted += kinds
        if kinds:
            for position, more in _words_masked(text, masked):
                self._positions.append(self._characters + position)
                self._ahead.append(self._ahead[-1] + more)
        self._characters += len(masked)
        return masked


def _words_masked(text: str, masked: str) -> Iterator[tuple[int, int]]:
    """For each placeholder, its end in the masked text, and how many words more the secret in its place had."""
    placeholders = list(_PLACEHOLDER.finditer(masked))
    start = placeholders[0].start() if placeholders else 0  # up to there both are the same
    for number, found in enumerate(placeholders):
        is_last = number + 1 == len(placeholders)
        literal = masked[found.end() : None if is_last else placeholders[number + 1].start()]
        end = len(text) - len(literal) if is_last else text.find(literal, start)
        if end < start:
            return
        yield found.end(), words_in(text, start, end) - words_in(masked, found.start(), found.end())
        start = end + len(literal)


def _cut(buffer: str) -> tuple[int, re.Pattern[str] | None]:
    """Where to cut a text so that no secret is in two parts: at a blank line, or else at a line, a word, anywhere.

    Where it begins with a secret of many lines that has no end in it, the whole of it is one part, and the answer's
    second is what ends the secret: all up to there is the secret's.
    """
    limit = len(buffer)
    for opening, closing in _LONG_SECRETS:
        for found in opening.finditer(buffer):
            if closing.search(buffer, found.end()) is None:
                if found.start() == 0:
                    return len(buffer), closing
                limit = min(limit, found.start())
                break
    if limit < len(buffer):
        return limit, None
    for pattern in (_BLANK_LINE, _LINE_END, _SPACE):
        if (end := _last(pattern, buffer)) and not _splits_secret(buffer, end):
            return end, None
    end = limit - _AROUND
    while end > limit // 2 and _splits_secret(buffer, end):
        end -= 2 * _AROUND
    return end, None


def _last(pattern: re.Pattern[str], buffer: str) -> int:
    """The end of the pattern's last match in the second half of the text; 0 if there is none."""
    end = 0
    for found in pattern.finditer(buffer, len(buffer) - 64 * _AROUND, len(buffer) - _AROUND):
        end = found.end()
    return end


def _splits_secret(buffer: str, at: int) -> bool:
    """Whether a secret is found around this position that is not found in the two parts."""
    before, after = buffer[max(0, at - _AROUND) : at], buffer[at : at + _AROUND]
    return mask(before + after)[1] != mask(before)[1] + mask(after)[1]
