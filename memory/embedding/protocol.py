"""The interface of embedding providers, and their failures."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
Vectors: TypeAlias = NDArray[np.float32]


class ProviderFailed(Exception):  # noqa: N818 (an outcome, not a fault of ours)
    """The provider cannot embed anything now: it is down, slow, refuses the key, or returns invalid vectors. The
    message is fit for operators and the public: no address, no key and no text."""


class TextRefused(Exception):  # noqa: N818 (an outcome, not a fault of ours)
    """The provider cannot embed one of these texts, but may embed others."""


class Provider(Protocol):
    """A language model. Several threads use an instance at once."""

    @property
    def model(self) -> str:
        """The name under which vectors are stored: vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def batch_size(self) -> int:
        """The maximum number of texts at once."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector of length 1 for each text, at most `batch_size`. Raises ProviderFailed and TextRefused."""

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, for an interactive search. Raises ProviderFailed and TextRefused."""


def checked(answer: Any, *, count: int, dimensions: int) -> Vectors:
    """Normalize the vectors of `count` texts to length 1. Raises ProviderFailed for a wrong number or length of
    vectors, or if none is valid; TextRefused if some are zero or contain values that are not finite."""
    try:
        with np.errstate(over="ignore"):
            vectors = np.asarray(answer, dtype=np.float32)
    except (TypeError, ValueError):
        raise ProviderFailed(
            "The model returned vectors of different lengths, or values that are not numbers."
        ) from None
    if vectors.ndim != 2 or len(vectors) != count:
        raise ProviderFailed(f"The model did not return one vector for each of {count} texts.")
    if vectors.shape[1] != dimensions:
        raise ProviderFailed(
            f"The model returned vectors with {vectors.shape[1]} numbers, but EMBEDDING_DIMENSIONS is {dimensions}."
        )
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    good = np.isfinite(lengths) & (lengths > 0)
    if good.all():
        return np.asarray(vectors / lengths[:, None], dtype=np.float32)
    if count > 1 and not good.any():
        raise ProviderFailed("The model returned vectors that are zero or contain NaN.")
    raise TextRefused("The model returned a vector that is zero or contains NaN.")
