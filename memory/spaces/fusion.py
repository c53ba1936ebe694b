"""Results of several spaces as one list: weighted reciprocal rank fusion, and the score of each space explained."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Id = TypeVar("Id", bound=Hashable)

#: The larger, the less the first ranks stand out.
K = 60


@dataclass(frozen=True, slots=True)
class Share:
    """What one space says of one result: its own score, the rank by it, and what that adds to the result's score."""

    score: float
    rank: int
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Fused(Generic[Id]):
    """One result. `score` is from 0 to 1, where 1 is to be first in every space that has a weight."""

    id: Id
    score: float
    shares: dict[str, Share] = field(default_factory=dict)


def fuse(scores: Mapping[str, Mapping[Id, float]], weights: Mapping[str, float], k: int = K) -> list[Fused[Id]]:
    """The ids of all spaces with a weight, best first: each space adds weight / (k + rank).

    `scores` has each space's scores by id, without those that do not count. Equal scores share their rank. The sum is
    divided by the largest that the present spaces could give. Equal results keep the order of the first space.

    Source: Cormack, Clarke and Buettcher 2009, "Reciprocal rank fusion outperforms Condorcet". It fuses ranks, and
    never values of different spaces.
    """
    present = {name: of_space for name, of_space in scores.items() if weights.get(name, 0.0) > 0 and of_space}
    if not present:
        return []
    most = sum(weights[name] for name in present) / (k + 1)
    shares: dict[Id, dict[str, Share]] = {}
    for name, of_space in present.items():
        for one, rank in ranks(of_space).items():
            contribution = weights[name] / (k + rank) / most
            shares.setdefault(one, {})[name] = Share(of_space[one], rank, weights[name], contribution)
    fused = [
        Fused(one, sum(share.contribution for share in of_spaces.values()), of_spaces)
        for one, of_spaces in shares.items()
    ]
    return sorted(fused, key=lambda result: -result.score)


def ranks(scores: Mapping[Id, float]) -> dict[Id, int]:
    """The rank of each id by its score, from 1; equal scores have the same rank."""
    found: dict[Id, int] = {}
    last, rank = None, 0
    for place, (one, score) in enumerate(sorted(scores.items(), key=lambda item: -item[1]), 1):
        if score != last:
            last, rank = score, place
        found[one] = rank
    return found


def reranked(
    ids: Sequence[Id], scores: Sequence[float], matches: Sequence[float], weight: float
) -> list[tuple[Id, float]]:
    """The ids with new scores, best first: their own scores plus `weight` times the match of their words (from 0 to 1:
    `spread`), brought to the range from 0 to 1 again. Equal scores keep their order."""
    together = [(score + weight * match) / (1 + weight) for score, match in zip(scores, matches, strict=True)]
    return sorted(zip(ids, together, strict=True), key=lambda result: -result[1])


def spread(scores: Sequence[float]) -> list[float]:
    """The scores from 0 for the lowest to 1 for the highest: cosines of one question differ little, and their
    differences are what counts. Equal scores are 1."""
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - lowest) / (highest - lowest) if highest > lowest else 1.0 for score in scores]
