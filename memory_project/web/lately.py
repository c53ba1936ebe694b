"""Which callers have made requests lately, in this process and in its siblings of the web server.

The kernel spreads connections over the processes, and a caller keeps few of them: a process that sees a hot caller
alone would not know that others wait behind the same processors.
"""

import hashlib
import hmac
import json
import os
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass

#: Seconds for which a caller counts as active after a request. More than the siblings' PERIOD between two questions.
SHARING = 2.0
#: How many callers a process tells its siblings about: two show that somebody else than any one caller has come.
_TOLD = 2
#: Seconds for which siblings need not hear of a caller again before they ask by themselves.
_KNOWN = 1.0
_MAC_BYTES = 16


@dataclass(frozen=True, slots=True)
class Come:
    """The last request of a caller: when it came, and how many of the caller's requests there then were."""

    at: float
    requests: int


class Lately:
    """The callers who came last. Siblings learn of a caller a digest with `key`, which they share and nobody else
    knows, and take what was signed with it alone: their sockets are open to every user of the machine."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = hashlib.blake2b(key).digest()
        self._own: dict[Hashable, Come] = {}
        self._siblings: dict[int, tuple[float, dict[str, Come]]] = {}
        #: Set when a caller has come of whom the siblings should hear at once.
        self.news = threading.Event()

    @property
    def processes(self) -> int:
        """How many processes there are: this one, and those that told something within SHARING seconds."""
        return 1 + len(self._heard())

    def note(self, caller: Hashable, requests: int = 1) -> None:
        """A request of `caller` has come, who now has so many in this process."""
        now = time.monotonic()
        known = [one for one, come in self._own.items() if now - come.at <= _KNOWN]
        if caller not in known and len(known) < _TOLD:
            self.news.set()
        others = [one for one in self._own.items() if one[0] != caller]
        self._own = dict([(caller, Come(now, requests)), *others][:_TOLD])

    def has_others(self, caller: Hashable) -> bool:
        """Whether somebody else than `caller` has come within SHARING seconds."""
        since = time.monotonic() - SHARING
        if any(other != caller and come.at >= since for other, come in self._own.items()):
            return True
        own = self.digest(caller)
        return any(other != own and come.at >= since for heard in self._heard() for other, come in heard.items())

    def elsewhere(self, caller: Hashable) -> int:
        """How many requests of `caller` the siblings had when the last ones came, within SHARING seconds."""
        since, own = time.monotonic() - SHARING, self.digest(caller)
        return sum(heard[own].requests for heard in self._heard() if own in heard and heard[own].at >= since)

    def told(self) -> bytes:
        """What a sibling is to know: digests of the last callers, with the seconds since they came and the number of
        their requests."""
        now = time.monotonic()
        callers = {self.digest(caller): [now - come.at, come.requests] for caller, come in self._own.items()}
        body = json.dumps([os.getpid(), callers]).encode()
        return self._mac(body) + body

    def hear(self, told: bytes) -> None:
        """Take what a sibling has told; may be called in another thread. Raises ValueError if no sibling told it."""
        now = time.monotonic()
        mac, told = told[:_MAC_BYTES], told[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(told)):
            raise ValueError("no sibling has told this")
        process, callers = json.loads(told)
        heard = {caller: Come(now - ago, requests) for caller, (ago, requests) in callers.items()}
        self._siblings[process] = now, heard
        for other, (at, _) in list(self._siblings.items()):
            if now - at > SHARING:
                self._siblings.pop(other, None)

    def _heard(self) -> list[dict[str, Come]]:
        since = time.monotonic() - SHARING
        # a copy, because another thread may hear something meanwhile
        return [heard for at, heard in list(self._siblings.values()) if at >= since]

    def _mac(self, body: bytes) -> bytes:
        return hashlib.blake2b(body, digest_size=_MAC_BYTES, key=self._key, person=b"lately").digest()

    def digest(self, caller: Hashable) -> str:
        """What processes with the same key call a caller."""
        return hashlib.blake2b(repr(caller).encode(), digest_size=8, key=self._key).hexdigest()
