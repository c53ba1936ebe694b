"""E4, temporal position: the session, and the place in it."""

from collections.abc import Sequence

import numpy as np

from memory.spaces.features import hashed, hashed_bits
from memory.spaces.kernels import decay_frequencies, waves
from memory.spaces.protocol import Dense, DenseSpace, Item, unit

#: Turns after which nearness falls to 1/e. Times would not help: a session's turns are seconds or days apart.
TURN_CONSTANTS = (2.0, 8.0, 32.0, 128.0)
_SIGNATURE = 128
_PLACE = 384


class Position(DenseSpace):
    """The signature of the session, and a sinusoidal encoding of the item's number in it.

    Two turns of one session are the nearer, the fewer turns are between them; turns of two sessions are far from each
    other, whatever their numbers.
    """

    name = "E4"
    title = "temporal position"
    size = _SIGNATURE + _PLACE
    source = "sinusoidal positions (Vaswani et al. 2017) at the frequencies of E2's kernel; hashed session signature"

    def __init__(self) -> None:
        self._frequencies = decay_frequencies(TURN_CONSTANTS, _PLACE // 2)

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [self._at(item.session_id, item.place or 0) for item in items]

    def _at(self, session_id: str | None, place: int) -> Dense:
        signature = hashed({f"session {session_id or ''}": 1.0}, _SIGNATURE)
        # the place's waves point into directions that the session chooses, or equal places of two sessions were near
        signs = 2.0 * hashed_bits(session_id or "", _PLACE) - 1.0
        return unit(np.concatenate([signature, unit(waves(place, self._frequencies)) * signs]))
