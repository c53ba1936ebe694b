"""E3, temporal periodic: the place of a moment in the hour, the day, the week and the year."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from memory.spaces.protocol import Dense, DenseSpace, Item, unit

HOUR = 3600.0
DAY = 24 * HOUR


class Cycle(StrEnum):
    """What recurs."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    YEAR = "year"


#: Of each cycle: its period in seconds, how wide "at the same place" is in seconds, and its share of the cosine.
CYCLES: dict[Cycle, tuple[float, float, float]] = {
    Cycle.HOUR: (HOUR, 300.0, 0.1),
    Cycle.DAY: (DAY, 1.5 * HOUR, 0.3),
    Cycle.WEEK: (7 * DAY, 10 * HOUR, 0.3),
    Cycle.YEAR: (365.2425 * DAY, 10 * DAY, 0.3),
}
#: A Monday, at midnight, on New Year's Day: where all four cycles begin.
EPOCH = datetime(2018, 1, 1, tzinfo=UTC)
_HARMONICS = 64


class Cycles(DenseSpace):
    """For each cycle 64 harmonics, each fainter than the one before it, so that the cosine of two moments is high where
    they stand at nearly the same hour of the day, day of the week or season, however far apart they are."""

    name = "E3"
    title = "temporal periodic"
    size = 2 * _HARMONICS * len(CYCLES)
    source = "Fourier series of the Poisson kernel: harmonics damped by r^h, with r = exp(-2 pi width / period)"

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [unit(np.concatenate([_place(item.ts, cycle) for cycle in CYCLES])) for item in items]


def _place(ts: datetime, cycle: Cycle) -> NDArray[np.float64]:
    return _harmonics((ts - EPOCH).total_seconds(), cycle)


def _harmonics(seconds: float, cycle: Cycle) -> NDArray[np.float64]:
    period, width, share = CYCLES[cycle]
    orders = np.arange(1, _HARMONICS + 1)
    powers = np.exp(-2 * math.pi * width / period * orders)
    amplitudes = np.sqrt(share * powers / powers.sum())
    phases = 2 * math.pi * (seconds % period) / period * orders
    return np.concatenate([amplitudes * np.cos(phases), amplitudes * np.sin(phases)])
