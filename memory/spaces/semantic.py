"""E1, semantic: the general meaning, by a language model."""

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from memory.spaces.protocol import Dense, DenseSpace, Item, unit

#: Texts to one row each.
EmbedTexts = Callable[[Sequence[str]], NDArray[Any]]


class Semantic(DenseSpace):
    """The vectors of whichever model is given; by default the local one (memory/embedding)."""

    name = "E1"
    title = "semantic"
    source = "the model's own (MiniLM: Wang et al. 2020, trained as in Reimers and Gurevych 2019)"

    def __init__(self, embed_texts: EmbedTexts, size: int) -> None:
        self._embed_texts = embed_texts
        self.size = size

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        texts = [f"{item.speaker}: {item.text}" if item.speaker else item.text for item in items]
        return [unit(vector) for vector in self._embed_texts(texts)] if texts else []
