"""The interface of spaces: a name, a kind and size of value, a metric, and embedding of texts and questions.

A space is deterministic: the same item has the same value on every machine, in every process and in any batch (except
for E13's related terms, which are learned explicitly). No item has a zero value.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Dense: TypeAlias = NDArray[np.float32]
Bits: TypeAlias = NDArray[np.uint8]
Sparse: TypeAlias = Mapping[int, float]
Tokens: TypeAlias = NDArray[np.float32]

V = TypeVar("V")


class Kind(StrEnum):
    """The kind of a value: one vector, weights of dimensions, a string of bits, or a vector for each token."""

    DENSE = "dense"
    SPARSE = "sparse"
    BITS = "bits"
    TOKENS = "tokens"


class Metric(StrEnum):
    """How two values are compared. Higher scores are nearer."""

    COSINE = "cosine"
    ASYMMETRIC = "cosine, by direction"
    DOT = "dot product"
    HAMMING = "Hamming"
    EUCLIDEAN = "1 / (1 + L2)"
    MAXSIM = "MaxSim"


class Direction(StrEnum):
    """What a question about causes asks for."""

    CAUSE = "cause"
    EFFECT = "effect"


@dataclass(frozen=True, slots=True)
class Item:
    """A text to embed, with its metadata. `place` is its number in the session, from 0. A question is an item too: then
    `ts` is the time at which it is asked."""

    text: str
    ts: datetime
    speaker: str | None = None
    session_id: str | None = None
    place: int | None = None
    refs: tuple[str, ...] = ()


class Space(ABC, Generic[V]):
    """One embedding space. `source` says where the method comes from."""

    name: ClassVar[str]
    title: ClassVar[str]
    kind: ClassVar[Kind]
    size: int
    metric: ClassVar[Metric]
    source: ClassVar[str]

    @abstractmethod
    def embed(self, items: Sequence[Item]) -> list[V]:
        """The value of each item, in their order; never a zero one."""

    def embed_query(self, query: Item) -> V | None:
        """The question's value, or None if it contains nothing that this space could look for."""
        return self.embed([query])[0]

    @abstractmethod
    def score(self, query: V, items: Sequence[V]) -> list[float]:
        """How near each item is to the question; higher is nearer."""


class DenseSpace(Space[Dense]):
    """A space of unit vectors that are compared by cosine."""

    kind = Kind.DENSE
    metric: ClassVar[Metric] = Metric.COSINE

    def score(self, query: Dense, items: Sequence[Dense]) -> list[float]:
        if not items:
            return []
        cosines: list[float] = (np.stack(items) @ query).tolist()
        return cosines


class SparseSpace(Space[Sparse]):
    """A space of weighted dimensions that are compared by their dot product."""

    kind = Kind.SPARSE
    metric: ClassVar[Metric] = Metric.DOT

    def score(self, query: Sparse, items: Sequence[Sparse]) -> list[float]:
        return [sum(weight * item.get(dimension, 0.0) for dimension, weight in query.items()) for item in items]


def unit(vector: NDArray[Any]) -> Dense:
    """`vector` at length 1, in single precision. Raises ValueError for a zero or infinite one."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        raise ValueError("A vector without a direction cannot be compared.")
    return np.asarray(vector / length, dtype=np.float32)
