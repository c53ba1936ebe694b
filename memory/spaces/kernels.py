"""Encodings of a number whose cosine falls with the distance of two numbers, wherever they are."""

import numpy as np
from numpy.typing import NDArray

#: The golden ratio: its multiples spread evenly between 0 and 1.
_GOLDEN = (5**0.5 - 1) / 2


def decay_frequencies(constants: tuple[float, ...], size: int) -> NDArray[np.float64]:
    """Frequencies, `size` in all, at which the mean of cos(w * d) is about the mean of exp(-|d| / c) over `constants`.

    Source: Rahimi and Recht 2007, "Random features for large-scale kernel machines": exp(-|d| / c) is the mean of
    cos(w * d) where w is of a Cauchy distribution of scale 1 / c. In place of random draws, w is taken at that
    distribution's quantiles, each within its own stratum, at a place that the golden ratio gives: equal steps would
    make the encoding repeat itself.
    """
    each = size // len(constants)
    steps = np.arange(each)
    quantiles = (steps + (steps + 1) * _GOLDEN % 1) / each
    return np.concatenate([np.tan(np.pi / 2 * quantiles) / constant for constant in constants])


def waves(number: float, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosine and sine of `number` at each frequency: the dot product of two such vectors is the sum of
    cos(w * (a - b)), which depends on the distance alone."""
    phases = number * frequencies
    return np.concatenate([np.cos(phases), np.sin(phases)])
