"""Items ranked by several spaces at once, for one question."""

from collections.abc import Mapping, Sequence
from typing import Any

from memory.spaces.causality import direction_of
from memory.spaces.expansion import Expansion
from memory.spaces.fusion import Fused, fuse
from memory.spaces.protocol import Item, Query, Space
from memory.spaces.standings import STANDINGS, default_weights
from memory.spaces.time_questions import ask_time


def weights_for(query: Query) -> dict[str, float]:
    """The weights as shipped, for a question that names a time, asks for a cause, or does not."""
    return default_weights(
        names_time=ask_time(query.text, query.now) is not None, asks_cause=direction_of(query.text) is not None
    )


def rank(
    query: Query,
    items: Sequence[Item],
    *,
    known: Mapping[str, Mapping[int, float]],
    weights: Mapping[str, float],
    spaces: Mapping[str, Space[Any]],
) -> list[Fused[int]]:
    """The places of `items`, best first, fused from the spaces that have a weight.

    `known` has the scores, by place, of the spaces that were asked already, as search asks E1 and E6. The others score
    the items here; E13 learns from these items alone, which the reader may see. A score that is below its space's
    threshold does not count.
    """
    scores = dict(known)
    for name, space in spaces.items():
        if name in known or not weights.get(name):
            continue
        if isinstance(space, Expansion):
            space.learn(item.text for item in items)
        asked = space.embed_query(query)
        if asked is not None and items:
            scores[name] = dict(enumerate(space.score(asked, space.embed(items))))
    return fuse({name: _counting(name, of_space) for name, of_space in scores.items()}, weights)


def _counting(name: str, scores: Mapping[int, float]) -> dict[int, float]:
    threshold = STANDINGS[name].threshold
    return {place: score for place, score in scores.items() if score > threshold}
