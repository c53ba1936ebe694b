"""E2, temporal recent: how long before a moment something was said."""

from collections.abc import Sequence

from memory.spaces.kernels import decay_frequencies, waves
from memory.spaces.protocol import Dense, DenseSpace, Item, unit

HOUR = 3600.0
#: Seconds in which nearness falls to 1/e: an hour, a day, a week, a month.
TIME_CONSTANTS = (HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR)


class Recency(DenseSpace):
    """A moment, so encoded that the cosine of two is about the mean of exp(-dt / tau) over the time constants.

    The encoding has no reference: two moments a week apart are as near in 1999 as today, and stored values stay valid.
    """

    name = "E2"
    title = "temporal recent"
    size = 512
    source = "random Fourier features of the Laplacian kernel (Rahimi and Recht 2007) at Cauchy quantiles"

    def __init__(self) -> None:
        self._frequencies = decay_frequencies(TIME_CONSTANTS, self.size // 2)

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [unit(waves(item.ts.timestamp(), self._frequencies)) for item in items]
