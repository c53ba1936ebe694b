"""Importance as agents say it, from 1 to 10, and as memory keeps it, from 0.1 to 1."""

from decimal import Decimal

LOWEST, HIGHEST = 1, 10
#: Of what says nothing of it: in the middle, as everywhere.
DEFAULT = Decimal(5)
#: Of a core block: it is always shown, as a pinned memory.
PINNED = Decimal(9)


def stored(score: Decimal) -> Decimal:
    """What is kept of a score from 1 to 10."""
    return (score / 10).quantize(Decimal("0.0001"))


def score_of(importance: Decimal) -> float:
    """The score of a stored importance; below 1 where an edit made it so."""
    return round(float(importance * 10), 3)
