"""Rate limits, counted in Redis for all processes of all nodes together.

For a busy caller, a process takes several tokens in advance, so that most requests cost no round trip. While Redis is
down, each process counts separately.
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
#: Seconds that Redis may take to answer, and seconds to pause after it did not.
PATIENCE, PAUSE = 0.25, 5.0
#: Lifetime of tokens taken in advance, and the largest share of that time's allowance to take at once.
ADVANCE_SECONDS, ADVANCE_SHARE = 1.0, 0.05
#: How many callers a process remembers.
MAX_CALLERS = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `number` requests in `seconds`, possibly in a single burst."""

    number: int
    seconds: int

    @property
    def each(self) -> float:
        """Microseconds of the period that one request uses."""
        return self.seconds * 1_000_000 / self.number


@dataclass(frozen=True, slots=True)
class Taken:
    """Whether a token was taken; how many are left; and the seconds until one is available, or until all are."""

    is_taken: bool
    left: int
    seconds: float


@dataclass(slots=True)
class _CallerState:
    """A process's state of a caller, in seconds of the monotonic clock: no tokens before `refused_until`; `own` tokens
    are taken and unused, valid until `lasts_until`; `left` more remained in Redis, and all are available at `full_at`.
    `worth` is the state of take.lua, for times without Redis."""

    refused_until: float = 0.0
    own: int = 0
    lasts_until: float = 0.0
    left: int = 0
    full_at: float = 0.0
    size: int = 1
    worth: float = 0.0


class Shared:
    """Redis with a short timeout; after a timeout, it is not asked for a while."""

    def __init__(self, url: str) -> None:
        self.client = Redis.from_url(
            url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=Retry(NoBackoff(), 0)
        )
        self._take = self.client.register_script(_TAKE)
        self._asked_again_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether it recently did not answer."""
        return time.monotonic() < self._asked_again_at

    async def take(self, name: str, rate: Rate, wanted: int) -> tuple[int, int, float] | None:
        """The numbers of tokens taken and left, and the seconds as in `Taken`. None while Redis is down."""
        if self.is_away:
            return None
        try:
            taken, left, microseconds = await self._take([name], [rate.each, rate.number, wanted])
        except (RedisError, OSError) as error:
            self.note_failure(error)
            return None
        return int(taken), int(left), int(microseconds) / 1_000_000

    def note_failure(self, error: Exception) -> None:
        """Pause requests to Redis."""
        self._asked_again_at = time.monotonic() + PAUSE
        # only the class: a message may contain the address
        logger.warning("each process counts rate limits separately: Redis is not available (%s)", type(error).__name__)


class Limit:
    """One rate limit for each of many callers. `in_advance`: whether to take several tokens at once for a busy
    caller."""

    def __init__(self, shared: Shared, name: str, rate: Rate, *, in_advance: bool = False) -> None:
        self.name, self.rate = name, rate
        self._shared = shared
        self._at_once = max(1, int(rate.number / rate.seconds * ADVANCE_SECONDS * ADVANCE_SHARE)) if in_advance else 1
        self._kept: OrderedDict[str, _CallerState] = OrderedDict()

    def wait(self, caller: str) -> float:
        """The seconds for which the caller is refused, as far as this process knows."""
        state = self._kept.get(caller)
        return 0.0 if state is None else max(0.0, state.refused_until - time.monotonic())

    async def take(self, caller: str) -> Taken:
        """Take a token for the caller."""
        now = time.monotonic()
        state = self._of(caller)
        if now < state.refused_until:
            return Taken(False, 0, state.refused_until - now)
        is_busy = now < state.lasts_until
        if is_busy and state.own:
            state.own -= 1
            return Taken(True, state.own + state.left, max(0.0, state.full_at - now))
        state.size = min(2 * state.size, self._at_once) if is_busy else 1
        found = await self._shared.take(f"suture:rate:{self.name}:{caller}", self.rate, state.size)
        now = time.monotonic()
        taken, state.left, seconds = found or self._alone(state, now)
        if not taken:
            state.refused_until = now + seconds
            return Taken(False, 0, seconds)
        # another request of the caller may have taken some meanwhile
        state.own = taken - 1 + (state.own if now < state.lasts_until else 0)
        state.lasts_until, state.full_at = now + ADVANCE_SECONDS, now + seconds
        return Taken(True, state.own + state.left, seconds)

    def _of(self, caller: str) -> _CallerState:
        state = self._kept.get(caller)
        if state is None:
            state = self._kept[caller] = _CallerState()
            if len(self._kept) > MAX_CALLERS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(caller)
        return state

    def _alone(self, state: _CallerState, now: float) -> tuple[int, int, float]:
        """Do what take.lua does, counting in this process only."""
        each, whole = self.rate.each / 1_000_000, float(self.rate.seconds)
        state.worth = max(state.worth, now)
        left = int((now + whole - state.worth) / each + 1e-9)
        if left < 1:
            return 0, 0, state.worth + each - now - whole
        state.worth += each
        return 1, left - 1, state.worth - now
