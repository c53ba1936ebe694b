"""Beat: of all that run, on however many machines, one sends the jobs, and the others wait for it to end."""

import logging
from contextlib import suppress
from datetime import datetime
from typing import Any

import redis
from celery.beat import ScheduleEntry, Scheduler
from redis.exceptions import LockError
from redis.lock import Lock

from memory_project.tasks import connect

logger = logging.getLogger("suture.beat")

LOCK = "suture:beat:lock"
#: When each job was sent last, in a hash by its name: the beat that takes over goes on from there.
SENT = "suture:beat:sent"
#: Seconds after which a beat that was killed or is stuck is taken for gone. One that works renews its lock every
#: second.
LOCK_SECONDS = 6
TICK_SECONDS = 1


class OneOfAll(Scheduler):
    """Sends the jobs while it holds a lock in Redis, and otherwise looks every second whether it can have it.

    A beat that is stuck for longer than LOCK_SECONDS may send some jobs after another has taken over. That does no
    harm: jobs claim their rows.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._redis = connect()
        self._lock = Lock(self._redis, LOCK, timeout=LOCK_SECONDS, thread_local=False)
        self._state = ""
        super().__init__(*args, **{**kwargs, "max_interval": TICK_SECONDS})

    def setup_schedule(self) -> None:
        self.install_default_entries(self.schedule)
        self.update_from_dict(self.app.conf.beat_schedule)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due, if this is the beat that sends; the seconds until there is something to do again."""
        try:
            if not self._is_ours():
                self._note("another beat sends the jobs, and this one waits")
                return TICK_SECONDS
        except redis.RedisError as error:
            self._note(f"no jobs are sent: Redis is not available ({type(error).__name__})")
            return TICK_SECONDS
        seconds: float = super().tick(*args, **kwargs)
        return seconds

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        super().apply_entry(entry, producer=producer)
        try:
            self._redis.hset(SENT, str(entry.name), self.app.now().isoformat())
        except redis.RedisError as error:
            logger.warning("it was not noted that %s was sent: %s", entry.name, type(error).__name__)

    def close(self) -> None:
        """Give the lock back, so that another beat need not wait for its end."""
        with suppress(LockError, redis.RedisError):  # it is another's, or nobody's
            self._lock.release()
        super().close()

    def _is_ours(self) -> bool:
        """Renew the lock, or try to get it."""
        try:
            self._lock.extend(LOCK_SECONDS, replace_ttl=True)
        except LockError:
            if not self._lock.acquire(blocking=False):
                return False
            self._resume()
        self._note("this beat sends the jobs")
        return True

    def _resume(self) -> None:
        """Go on where the beat before ended."""
        found: dict[bytes, bytes] = self._redis.hgetall(SENT)  # type: ignore[assignment] # not awaited
        for name, sent in found.items():
            if (entry := self.schedule.get(name.decode())) is not None:
                last = entry.last_run_at if entry.total_run_count else None  # else it says when this beat started
                at = datetime.fromisoformat(sent.decode())
                entry.last_run_at = at if last is None else max(at, last)
        self._heap = None  # is made of the entries at the next tick

    def _note(self, state: str) -> None:
        if state != self._state:
            self._state = state
            logger.warning(state)
