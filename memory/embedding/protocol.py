"""What makes vectors of texts, and how it fails."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
Vectors: TypeAlias = NDArray[np.float32]


class ProviderFailed(Exception):  # noqa: N818 (an outcome, not a fault of ours)
    """The provider cannot embed anything now: it is down, slow, refuses the key, or answers what is no vector. The text
    says why, for operators and the public: no address, no key and no words."""


class TextRefused(Exception):  # noqa: N818 (an outcome, not a fault of ours)
    """The provider cannot embed one of these texts, and may well embed others."""


class Provider(Protocol):
    """A model of language. Instances are used by many threads at once."""

    @property
    def model(self) -> str:
        """The name under which vectors are stored: those of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    @property
    def batch_size(self) -> int:
        """How many texts it takes at once."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector of length 1 for each text, at most `batch_size`. Raises ProviderFailed and TextRefused."""

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, while somebody waits for the answer. Raises ProviderFailed and TextRefused."""


def checked(answer: Any, *, count: int, dimensions: int) -> Vectors:
    """The vectors of `count` texts at length 1. Raises ProviderFailed for another number or length of vectors, and if
    none of them is one; TextRefused if some have no direction or hold what is no number."""
    try:
        with np.errstate(over="ignore"):
            vectors = np.asarray(answer, dtype=np.float32)
    except (TypeError, ValueError):
        raise ProviderFailed("The model answered vectors of different lengths, or what are no numbers.") from None
    if vectors.ndim != 2 or len(vectors) != count:
        raise ProviderFailed(f"The model did not answer one vector for each of {count} texts.")
    if vectors.shape[1] != dimensions:
        raise ProviderFailed(
            f"The model answered vectors of {vectors.shape[1]} numbers; {dimensions} are configured"
            " (EMBEDDING_DIMENSIONS)."
        )
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    good = np.isfinite(lengths) & (lengths > 0)
    if good.all():
        return np.asarray(vectors / lengths[:, None], dtype=np.float32)
    if count > 1 and not good.any():
        raise ProviderFailed("The model answered vectors that are zero or hold NaN.")
    raise TextRefused("The model answered a vector that is zero or holds NaN.")
