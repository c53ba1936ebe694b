"""The chunks of a masked text that comes in parts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from capture.watching.masked import Masked
from memory import chunker


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk. `start` and `end` are characters of the masked text, `word_offset` counts words of the file."""

    text: str
    word_offset: int
    words: int
    start: int
    end: int
    splits_sentence: bool

    def as_json(self) -> dict[str, Any]:
        """The chunk as the API takes it."""
        return {"text": self.text, "word_offset": self.word_offset, "start": self.start, "end": self.end}


class Chunks:
    """The chunks of a text, each as soon as nothing that follows can change it. Can be read once."""

    def __init__(self, blocks: Iterable[str]) -> None:
        self._masked = Masked(blocks)

    @property
    def redacted(self) -> Counter[str]:
        """How many secrets of each kind were masked in what was read."""
        return self._masked.redacted

    def __iter__(self) -> Iterator[Chunk]:
        for span, text in chunker.split_stream(self._masked):
            offset = span.first_word + self._masked.words_ahead(span.start)
            yield Chunk(text, offset, span.words, span.start, span.end, span.splits_sentence)
            self._masked.forget_before(span.start)
