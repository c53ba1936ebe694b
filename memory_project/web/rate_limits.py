"""Rates: so many of something in some time, counted in Redis for all processes of all nodes together.

A process takes several at once where a caller uses many, so that most requests cost no round trip. Where Redis is away,
each process counts by itself.
"""

import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from redis import RedisError
from redis.asyncio import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger("suture.web")

_TAKE = Path(__file__).with_name("take.lua").read_text()
#: Seconds that Redis may take to answer, and seconds in which it is not asked after it did not.
PATIENCE, PAUSE = 0.25, 5.0
#: Seconds that what a process has taken lasts; and of what is allowed in this time, the part that it takes at most.
LASTS, PART = 1.0, 0.05
#: Of how many callers a process remembers what is left.
MOST_CALLERS = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `number` in `seconds`; all of them may come at once."""

    number: int
    seconds: int

    @property
    def each(self) -> float:
        """Microseconds that one is worth."""
        return self.seconds * 1_000_000 / self.number


@dataclass(frozen=True, slots=True)
class Taken:
    """Whether one was taken; how many are left, and seconds until there is one again, or until all are."""

    is_taken: bool
    left: int
    seconds: float


@dataclass(slots=True)
class _Kept:
    """What a process knows of a caller, in seconds of the monotonic clock: none are left before `refused_until`; `own`
    are taken and not used, and may be used before `lasts_until`; `left` were left beside them, and all are back at
    `full_at`. `worth` is that of take.lua, for the time without Redis."""

    refused_until: float = 0.0
    own: int = 0
    lasts_until: float = 0.0
    left: int = 0
    full_at: float = 0.0
    size: int = 1
    worth: float = 0.0


class Shared:
    """Redis, asked with little patience, and not at all for a while after it did not answer."""

    def __init__(self, url: str) -> None:
        self.client = Redis.from_url(
            url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=Retry(NoBackoff(), 0)
        )
        self._take = self.client.register_script(_TAKE)
        self._asked_again_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether it did not answer a moment ago."""
        return time.monotonic() < self._asked_again_at

    async def take(self, name: str, rate: Rate, wanted: int) -> tuple[int, int, float] | None:
        """How many were taken, are left, and seconds as `Taken` has them. None where Redis is away."""
        if self.is_away:
            return None
        try:
            taken, left, microseconds = await self._take([name], [rate.each, rate.number, wanted])
        except (RedisError, OSError) as error:
            self.note_failure(error)
            return None
        return int(taken), int(left), int(microseconds) / 1_000_000

    def note_failure(self, error: Exception) -> None:
        """Do not ask for a while."""
        self._asked_again_at = time.monotonic() + PAUSE
        # the class alone: a message may have the address
        logger.warning("rates are counted by each process alone: Redis is away (%s)", type(error).__name__)


class Limit:
    """One rate for each of many callers. `in_advance`: whether a process takes several at once from a busy caller."""

    def __init__(self, shared: Shared, name: str, rate: Rate, *, in_advance: bool = False) -> None:
        self.name, self.rate = name, rate
        self._shared = shared
        self._most_at_once = max(1, int(rate.number / rate.seconds * LASTS * PART)) if in_advance else 1
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Seconds for which the caller is refused, as far as this process knows already."""
        kept = self._kept.get(caller)
        return 0.0 if kept is None else max(0.0, kept.refused_until - time.monotonic())

    async def take(self, caller: str) -> Taken:
        """Take one for the caller."""
        now = time.monotonic()
        kept = self._of(caller)
        if now < kept.refused_until:
            return Taken(False, 0, kept.refused_until - now)
        is_busy = now < kept.lasts_until
        if is_busy and kept.own:
            kept.own -= 1
            return Taken(True, kept.own + kept.left, max(0.0, kept.full_at - now))
        kept.size = min(2 * kept.size, self._most_at_once) if is_busy else 1
        found = await self._shared.take(f"suture:rate:{self.name}:{caller}", self.rate, kept.size)
        now = time.monotonic()
        taken, kept.left, seconds = found or self._alone(kept, now)
        if not taken:
            kept.refused_until = now + seconds
            return Taken(False, 0, seconds)
        # another request of the caller may have taken some meanwhile
        kept.own = taken - 1 + (kept.own if now < kept.lasts_until else 0)
        kept.lasts_until, kept.full_at = now + LASTS, now + seconds
        return Taken(True, kept.own + kept.left, seconds)

    def _of(self, caller: str) -> _Kept:
        kept = self._kept.get(caller)
        if kept is None:
            kept = self._kept[caller] = _Kept()
            if len(self._kept) > MOST_CALLERS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(caller)
        return kept

    def _alone(self, kept: _Kept, now: float) -> tuple[int, int, float]:
        """What take.lua answers for one, counted in this process."""
        each, whole = self.rate.each / 1_000_000, float(self.rate.seconds)
        kept.worth = max(kept.worth, now)
        left = int((now + whole - kept.worth) / each + 1e-9)
        if left < 1:
            return 0, 0, kept.worth + each - now - whole
        kept.worth += each
        return 1, left - 1, kept.worth - now
