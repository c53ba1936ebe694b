"""A Markdown file as what is sent of it: its hash, and the chunks of its masked text, in bounded memory."""

import codecs
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from capture.watching.chunks import Chunks
from capture.watching.files import Signature, open_inside
from capture.watching.roots import Root

_BLOCK = 262_144


class Unreadable(Exception):  # noqa: N818 (the message is a line of the log)
    """The file cannot be captured as it is; the message says why."""


class Vanished(Unreadable):
    """The file is gone."""


class Changing(Exception):  # noqa: N818
    """The file was written while it was read: read it again when it is quiet."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a file's bytes are."""

    file_hash: str
    signature: Signature


class MarkdownFile:
    """One file of a root. Each reading opens it again, and follows no link."""

    def __init__(self, root: Root, relative: str) -> None:
        self._root, self._relative = root, relative

    def look(self) -> Look:
        """Hash the file. Raises Unreadable (also for what is not UTF-8), Vanished, Changing."""
        digest = hashlib.sha256()
        decoder = codecs.getincrementaldecoder("utf-8")()
        with self._opened() as descriptor:
            before = Signature.of(os.fstat(descriptor))
            while block := os.read(descriptor, _BLOCK):
                digest.update(block)
                self._require_text(decoder, block)
            self._require_text(decoder, b"", final=True)
            if Signature.of(os.fstat(descriptor)) != before:
                raise Changing
        return Look(digest.hexdigest(), before)

    def chunks(self, look: Look) -> Chunks:
        """The chunks of what `look` saw. Reading them raises Unreadable, Vanished, and at the end Changing if the file
        is not the same any more."""
        return Chunks(self._text(look))

    def _text(self, look: Look) -> Iterator[str]:
        digest = hashlib.sha256()
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        with self._opened() as descriptor:
            while block := os.read(descriptor, _BLOCK):
                digest.update(block)
                yield self._require_text(decoder, block)
            yield self._require_text(decoder, b"", final=True)
        if digest.hexdigest() != look.file_hash:
            raise Changing

    def _require_text(self, decoder: codecs.IncrementalDecoder, block: bytes, *, final: bool = False) -> str:
        """The text of a block. Raises Unreadable where it is no UTF-8, or binary: no text has the character NUL."""
        try:
            text = decoder.decode(block, final)
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise Unreadable(f"Skipping non-UTF8 file: {self._root.shown(self._relative)}")
        return text

    @contextmanager
    def _opened(self) -> Iterator[int]:
        where = self._root.shown(self._relative)
        try:
            descriptor = open_inside(self._root.path, self._relative)
            try:
                yield descriptor
            finally:
                os.close(descriptor)
        except (FileNotFoundError, NotADirectoryError):
            raise Vanished(f"File vanished while it was read: {where}. Its chunks stay as they are.") from None
        except IsADirectoryError:
            raise Unreadable(f"Skipping {where}: it is not a regular file.") from None
        except OSError as error:
            raise Unreadable(f"Cannot read {where}: {error.strerror}. Its chunks stay as they are.") from None
