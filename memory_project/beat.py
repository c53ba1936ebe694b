"""Beat: one instance among all machines sends the jobs; the others stand by."""

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
#: When each job was last sent: a hash by job name. The beat that takes over continues from there.
SENT = "suture:beat:sent"
#: Seconds without a renewal after which the lock is free. A working beat renews it every second.
LOCK_SECONDS = 6
TICK_SECONDS = 1


class SingletonScheduler(Scheduler):
    """Sends the jobs while it holds a lock in Redis; otherwise tries every second to get the lock.

    A beat that is stuck for longer than LOCK_SECONDS may send some jobs after another took over. This is harmless: jobs
    claim their rows.
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
        """Send the due jobs if this beat holds the lock. Returns the seconds until the next tick."""
        try:
            if not self._is_ours():
                self._note("another beat sends the jobs; this one is on standby")
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
            logger.warning("could not record that %s was sent: %s", entry.name, type(error).__name__)

    def close(self) -> None:
        """Release the lock, so that another beat can take over at once."""
        with suppress(LockError, redis.RedisError):  # another beat holds it, or none does
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
        """Continue where the previous beat stopped."""
        found: dict[bytes, bytes] = self._redis.hgetall(SENT)  # type: ignore[assignment] # not awaited
        for name, sent in found.items():
            if (entry := self.schedule.get(name.decode())) is not None:
                last = entry.last_run_at if entry.total_run_count else None  # otherwise it is the start of this beat
                at = datetime.fromisoformat(sent.decode())
                entry.last_run_at = at if last is None else max(at, last)
        self._heap = None  # rebuilt at the next tick

    def _note(self, state: str) -> None:
        if state != self._state:
            self._state = state
            logger.warning(state)
