"""E12, late interaction: each word of the question finds its best match among the words of a text."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.spaces.protocol import Item, Kind, Metric, Space, Tokens

#: Texts to the vectors of their tokens, one row a token, at any length.
EmbedTokens = Callable[[Sequence[str]], Sequence[NDArray[Any]]]
#: Maximum numbers of tokens and dimensions of a stored value.
MAX_TOKENS, REDUCED = 512, 128


class LateInteraction(Space[Tokens]):
    """One unit vector a token of the model; the score is the mean, over the question's tokens, of the best cosine.

    A stored value is reduced to 128 dimensions by a fixed orthogonal projection, which keeps cosines to about 0.09
    (Johnson and Lindenstrauss 1984). `reduce=False` keeps the model's own, which costs nothing where values are made
    for one request, as `rerank` does.
    """

    name = "E12"
    title = "late interaction"
    kind = Kind.TOKENS
    metric = Metric.MAXSIM
    source = "ColBERT's MaxSim (Khattab and Zaharia 2020) over the token vectors of E1's model"

    def __init__(self, embed_tokens: EmbedTokens, size: int, *, reduce: bool = True) -> None:
        self._embed_tokens = embed_tokens
        self.size = min(size, REDUCED) if reduce else size
        self._projection = _projection(size, self.size) if self.size < size else None

    def embed(self, items: Sequence[Item]) -> list[Tokens]:
        return self._embed([f"{item.speaker}: {item.text}" if item.speaker else item.text for item in items])

    def score(self, query: Tokens, items: Sequence[Tokens]) -> list[float]:
        return [float((item @ query.T).max(axis=0).mean()) for item in items]

    def _embed(self, texts: Sequence[str]) -> list[Tokens]:
        if not texts:
            return []
        return [self._normal(vectors) for vectors in self._embed_tokens(texts)]

    def _normal(self, vectors: NDArray[Any]) -> Tokens:
        kept = np.asarray(vectors[:MAX_TOKENS], dtype=np.float32)
        if self._projection is not None:
            kept = kept @ self._projection
        if not kept.size or not np.isfinite(kept).all():
            raise ValueError("The model gave a token no direction.")
        # a text without a token is one vector of zeros: it gets a direction that no token prefers
        kept = np.where(kept.any(axis=1, keepdims=True), kept, np.float32(1))
        return np.asarray(kept / np.linalg.norm(kept, axis=1, keepdims=True), dtype=np.float32)


@cache
def _projection(size: int, reduced: int) -> NDArray[np.float32]:
    """Orthonormal columns that depend on the two sizes alone."""
    normal = np.random.Generator(np.random.PCG64(size * 10_000 + reduced)).standard_normal((size, reduced))
    basis, _ = np.linalg.qr(normal)
    return np.asarray(basis, dtype=np.float32)
