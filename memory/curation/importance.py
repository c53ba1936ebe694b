"""Importance on the scale of agents, from 1 to 10, and as it is stored, from 0.1 to 1."""

from decimal import Decimal

LOWEST, HIGHEST = 1, 10
#: The default: the middle.
DEFAULT = Decimal(5)
#: For a core block: it is always shown, like a pinned memory.
PINNED = Decimal(9)


def stored(score: Decimal) -> Decimal:
    """The stored value of a score from 1 to 10."""
    return (score / 10).quantize(Decimal("0.0001"))


def score_of(importance: Decimal) -> float:
    """The score of a stored importance; below 1 only after an edit."""
    return round(float(importance * 10), 3)
