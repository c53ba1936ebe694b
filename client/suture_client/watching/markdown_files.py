"""Reads Markdown files: the hash, and the chunks of the masked text."""

import hashlib
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from suture_client.filtering import without_private
from suture_client.hooks.own_answers import without_context
from suture_client.text import chunker
from suture_client.text.masking import mask
from suture_client.watching.files import Signature, open_inside
from suture_client.watching.roots import Root

_PLACEHOLDER = re.compile(r"\[redacted: [^\]\n]{1,200}\]")
#: Control characters that Suture does not accept (governance.text). NUL makes a file binary.
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Unreadable(Exception):  # noqa: N818 (the message is a line of the log)
    """The file cannot be captured; the message gives the reason."""


class Changing(Exception):  # noqa: N818
    """The file changed during reading. Read it again later."""


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    """The content of a file when it was read."""

    text: str
    #: SHA-256 of its bytes, in hex.
    file_hash: str
    signature: Signature


def read(root: Root, relative: str) -> MarkdownFile:
    """Read a file of a root. Raises Unreadable (also if it is not UTF-8) and Changing."""
    where = root.shown(relative)
    try:
        with open(open_inside(root.path, relative), "rb") as file:
            before = Signature.of(os.fstat(file.fileno()))
            content = file.read()
            if Signature.of(os.fstat(file.fileno())) != before:
                raise Changing
    except (FileNotFoundError, NotADirectoryError):
        raise Unreadable(f"File vanished while it was read: {where}. Its chunks stay as they are.") from None
    except IsADirectoryError:
        raise Unreadable(f"Skipping {where}: it is not a regular file.") from None
    except OSError as error:
        raise Unreadable(f"Cannot read {where}: {error.strerror}. Its chunks stay as they are.") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise Unreadable(f"Skipping non-UTF8 file: {where}")
    return MarkdownFile(text, hashlib.sha256(content).hexdigest(), before)


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of a file."""

    #: In the API's format: `start` and `end` are character positions in the masked text, `word_offset` counts the words
    #: of the file. If a chunk repeats the header of its table or the items above, it starts before its own words by as
    #: many characters: it shares the repeated words with the chunk before it, and loses them if that one is corrected.
    chunks: list[dict[str, Any]]
    #: The number of masked secrets by kind.
    redacted: Counter[str]
    #: The word offsets at which a chunk splits a sentence.
    splits: list[int]


def chunks_of(text: str) -> Chunks:
    """Split a file's text into chunks, without context that a hook injected, private spans and secrets."""
    text = _CONTROL.sub(" ", without_private(without_context(text)))
    masked, redacted = mask(text)
    # From each of these positions in the masked text on, the file is this many words ahead.
    positions, ahead = [0], [0]
    for position, more in _word_shifts(text, masked) if redacted else ():
        positions.append(position)
        ahead.append(ahead[-1] + more)
    chunks, splits = [], []
    for span in chunker.split(masked):
        offset = span.first_word + ahead[bisect_right(positions, span.start) - 1]
        words = chunker.with_lines_above(masked, span)
        chunks.append({"text": words, "word_offset": offset, "start": span.end - len(words), "end": span.end})
        if span.splits_sentence:
            splits.append(offset + span.words)
    return Chunks(chunks, redacted, splits)


def _word_shifts(text: str, masked: str) -> Iterator[tuple[int, int]]:
    """For each placeholder, yield its end in the masked text and how many more words the secret had."""
    placeholders = list(_PLACEHOLDER.finditer(masked))
    start = placeholders[0].start() if placeholders else 0  # both texts are equal up to there
    for number, found in enumerate(placeholders):
        is_last = number + 1 == len(placeholders)
        literal = masked[found.end() : None if is_last else placeholders[number + 1].start()]
        end = len(text) - len(literal) if is_last else text.find(literal, start)
        if end < start:
            return
        yield found.end(), chunker.words_in(text, start, end) - chunker.words_in(masked, found.start(), found.end())
        start = end + len(literal)
