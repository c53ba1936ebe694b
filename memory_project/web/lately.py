"""Which callers have made requests lately, in this process and in its siblings of the web server.

The kernel spreads connections over the processes, and a caller keeps few of them: a process that sees a hot caller
alone would not know that others wait behind the same processors.
"""

import hashlib
import json
import time
from collections.abc import Hashable

#: Seconds for which a caller counts as active after a request. More than the siblings' PERIOD between two questions.
SHARING = 2.0
#: How many callers a process tells its siblings about: two show that somebody else than any one caller has come.
_TOLD = 2


class Lately:
    """The callers who came last. Siblings learn of a caller a digest with `key`, which they share and nobody else
    knows: their sockets are open to every user of the machine."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = hashlib.blake2b(key).digest()
        self._own: list[tuple[Hashable, float]] = []
        self._siblings: dict[str, float] = {}

    def note(self, caller: Hashable) -> None:
        """A request of `caller` has come."""
        now = time.monotonic()
        self._own = [(caller, now), *(one for one in self._own if one[0] != caller)][:_TOLD]

    def has_others(self, caller: Hashable) -> bool:
        """Whether somebody else than `caller` has come within SHARING seconds."""
        since = time.monotonic() - SHARING
        if any(other != caller and came >= since for other, came in self._own):
            return True
        own = self._digest(caller)
        return any(other != own and came >= since for other, came in self._siblings.items())

    def told(self) -> bytes:
        """The answer to a sibling: digests of the last callers, with the seconds since they came."""
        now = time.monotonic()
        return json.dumps({self._digest(caller): now - came for caller, came in self._own}).encode()

    def hear(self, told: bytes) -> None:
        """Take what a sibling has told; may be called in another thread. Raises ValueError or TypeError if it is
        something else."""
        now = time.monotonic()
        heard = {str(caller): now - float(ago) for caller, ago in dict(json.loads(told)).items()}
        known = {caller: came for caller, came in self._siblings.items() if now - came <= SHARING}
        self._siblings = {**known, **{one: max(came, known.get(one, came)) for one, came in heard.items()}}

    def _digest(self, caller: Hashable) -> str:
        return hashlib.blake2b(repr(caller).encode(), digest_size=8, key=self._key).hexdigest()
