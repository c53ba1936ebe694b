"""What each space counts, as data: its category, whether it earned its weight, and what score it needs to count at all.

The figures behind it are in docs/spaces.md, and `make eval` measures them again.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """What kind of likeness a space tells of."""

    SEMANTIC = "semantic"
    RELATIONAL = "relational"
    STRUCTURAL = "structural"
    TEMPORAL = "temporal"


#: What a space counts in `mode: multi`, if it earned that.
CATEGORY_WEIGHTS = {
    Category.SEMANTIC: 1.0,
    Category.RELATIONAL: 0.5,
    Category.STRUCTURAL: 0.5,
    Category.TEMPORAL: 0.0,
}
#: What the spaces of time count for a question that names a time.
TIME_QUESTION_WEIGHT = 0.5
#: What E5 counts for a question that asks for a cause or an effect.
CAUSE_QUESTION_WEIGHT = 0.25
#: The largest weight that a request may give a space.
MOST_WEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class Standing:
    """One space's place among the others."""

    category: Category
    #: Whether the space has its category's weight. One that has not is built and can be asked for by name.
    is_earned: bool
    #: A lower score does not count: the space then says nothing of that text.
    threshold: float
    #: Why it has its weight or none.
    why: str


STANDINGS: Mapping[str, Standing] = {
    "E1": Standing(Category.SEMANTIC, True, 0.0, "0.02 of recall@5 over words alone on LoCoMo, more on paraphrases"),
    "E2": Standing(Category.TEMPORAL, False, 0.3, "for questions that name a time only"),
    "E3": Standing(Category.TEMPORAL, False, 0.3, "for questions that name a time only"),
    "E4": Standing(Category.TEMPORAL, False, 0.6, "for questions after a session's beginning or end only"),
    "E5": Standing(Category.SEMANTIC, False, 0.3, "for questions that ask for a cause or an effect only"),
    "E6": Standing(Category.SEMANTIC, True, 0.0, "most of the result by itself: recall@5 of 0.71 on LoCoMo"),
    "E7": Standing(Category.SEMANTIC, False, 0.1, "0.06 of MRR on code, no recall; speaks of every text"),
    "E8": Standing(Category.RELATIONAL, True, 0.1, "0.24 of recall@5 in `multi` on code; silent without references"),
    "E9": Standing(Category.STRUCTURAL, False, 0.1, "0.001 of recall@5; finds the words behind a misspelled one"),
    "E10": Standing(Category.SEMANTIC, False, 0.1, "its cue, that a text asks, is a term of the hybrid score instead"),
    "E11": Standing(Category.RELATIONAL, False, 0.42, "its cue, that a named person speaks, is a factor instead"),
    "E12": Standing(Category.SEMANTIC, False, 0.0, "0.011 of recall@10 for half a second a query: `rerank` adds it"),
    "E13": Standing(Category.SEMANTIC, False, 0.0, "up to 0.026 of recall@5 lost on LoCoMo"),
}
NAMES = tuple(STANDINGS)


class WeightsError(ValueError):
    """What is wrong with the weights of spaces; `place` is the space's name, if it is one space's."""

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(message)
        self.place = place


def default_weights(*, names_time: bool = False, asks_cause: bool = False) -> dict[str, float]:
    """The weight of every space in `mode: multi`, for a question that names a time, asks for a cause, or does not."""
    weights = {name: CATEGORY_WEIGHTS[one.category] if one.is_earned else 0.0 for name, one in STANDINGS.items()}
    if names_time:
        weights |= {name: TIME_QUESTION_WEIGHT for name, one in STANDINGS.items() if one.category is Category.TEMPORAL}
    if asks_cause:
        weights["E5"] = CAUSE_QUESTION_WEIGHT
    return weights


def given_weights(given: Mapping[str, object]) -> dict[str, float]:
    """The weights that a request gives by name; the spaces that it does not name have none.

    Raises WeightsError for an unknown space, for a weight that is no number from 0 to 100, and if no weight is left.
    """
    if not given:
        raise WeightsError("Name at least one space.")
    weights = dict.fromkeys(NAMES, 0.0)
    for name, weight in given.items():
        if name not in STANDINGS:
            raise WeightsError(f"There is no space {name!r:.40}; the spaces are {', '.join(NAMES)}.", name)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise WeightsError("A weight is a number.", name)
        if not math.isfinite(weight) or not 0 <= weight <= MOST_WEIGHT:
            raise WeightsError(f"A weight is a number from 0 to {MOST_WEIGHT:g}.", name)
        weights[name] = float(weight)
    if not any(weights.values()):
        raise WeightsError("At least one space needs a weight above 0.")
    return weights
