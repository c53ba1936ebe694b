"""The text to embed for a chunk: its text with its speaker, and the same between the turns beside it."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from memory.embedding.protocol import Provider, Vectors

#: Number of nearest words to take from the previous turn, and from the next one.
NEAREST_WORDS = 40


class Source(Protocol):
    """A chunk with the turns that lend it their words (memory/sql/functions/embedding_source.sql)."""

    @property
    def speaker(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def speaker_before(self) -> str | None: ...
    @property
    def text_before(self) -> str | None: ...
    @property
    def speaker_after(self) -> str | None: ...
    @property
    def text_after(self) -> str | None: ...


def own_text(source: Source) -> str:
    """The text with its speaker."""
    return f"{source.speaker}: {source.text}"


def window(source: Source) -> str:
    """The same between the end of the previous turn and the beginning of the next one."""
    parts = [own_text(source)]
    if source.text_before:
        parts.insert(0, " ".join(f"{source.speaker_before}: {source.text_before}".split()[-NEAREST_WORDS:]))
    if source.text_after:
        parts.append(" ".join(f"{source.speaker_after}: {source.text_after}".split()[:NEAREST_WORDS]))
    return "\n".join(parts)


def embed_chunks(provider: Provider, sources: Sequence[Source]) -> Vectors:
    """One vector per chunk: the normalized sum of the vectors of its text and its window. On LoCoMo, the sum finds a
    fifth more than either (docs/search.md). Raises ProviderFailed and TextRefused."""
    texts = list(dict.fromkeys(text for source in sources for text in (own_text(source), window(source))))
    # in batches of similar lengths: each text of a batch is padded to the longest
    texts.sort(key=len)
    size = provider.batch_size
    made = [provider.embed(texts[start : start + size]) for start in range(0, len(texts), size)]
    by_text = dict(zip(texts, (vector for batch in made for vector in batch), strict=True))
    sums = np.array([by_text[own_text(source)] + by_text[window(source)] for source in sources], dtype=np.float32)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.maximum(lengths, 1e-12), dtype=np.float32)
