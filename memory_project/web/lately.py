"""Which callers have made requests lately, in this process and in its siblings of the web server.

The kernel spreads connections over the processes, and a caller keeps few of them: a process that sees a hot caller
alone would not know that others wait behind the same processors.
"""

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Hashable

#: Seconds for which a caller counts as active after a request. More than the siblings' PERIOD between two questions.
SHARING = 2.0
#: How many callers a process tells its siblings about: two show that somebody else than any one caller has come.
_TOLD = 2
#: Seconds for which siblings need not hear of a caller again before they ask by themselves.
_KNOWN = 1.0
_MAC_BYTES = 16


class Lately:
    """The callers who came last. Siblings learn of a caller a digest with `key`, which they share and nobody else
    knows, and take what was signed with it alone: their sockets are open to every user of the machine."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = hashlib.blake2b(key).digest()
        self._own: list[tuple[Hashable, float]] = []
        self._siblings: dict[str, float] = {}
        #: Set when a caller has come of whom the siblings should hear at once.
        self.news = threading.Event()

    def note(self, caller: Hashable) -> None:
        """A request of `caller` has come."""
        now = time.monotonic()
        known = [one for one, came in self._own if now - came <= _KNOWN]
        if caller not in known and len(known) < _TOLD:
            self.news.set()
        self._own = [(caller, now), *(one for one in self._own if one[0] != caller)][:_TOLD]

    def has_others(self, caller: Hashable) -> bool:
        """Whether somebody else than `caller` has come within SHARING seconds."""
        since = time.monotonic() - SHARING
        if any(other != caller and came >= since for other, came in self._own):
            return True
        own = self._digest(caller)
        return any(other != own and came >= since for other, came in self._siblings.items())

    def told(self) -> bytes:
        """What a sibling is to know: digests of the last callers, with the seconds since they came."""
        now = time.monotonic()
        body = json.dumps({self._digest(caller): now - came for caller, came in self._own}).encode()
        return self._mac(body) + body

    def hear(self, told: bytes) -> None:
        """Take what a sibling has told; may be called in another thread. Raises ValueError if no sibling told it."""
        now = time.monotonic()
        mac, told = told[:_MAC_BYTES], told[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(told)):
            raise ValueError("no sibling has told this")
        heard = {str(caller): now - float(ago) for caller, ago in dict(json.loads(told)).items()}
        known = {caller: came for caller, came in self._siblings.items() if now - came <= SHARING}
        self._siblings = {**known, **{one: max(came, known.get(one, came)) for one, came in heard.items()}}

    def _mac(self, body: bytes) -> bytes:
        return hashlib.blake2b(body, digest_size=_MAC_BYTES, key=self._key, person=b"lately").digest()

    def _digest(self, caller: Hashable) -> str:
        return hashlib.blake2b(repr(caller).encode(), digest_size=8, key=self._key).hexdigest()
