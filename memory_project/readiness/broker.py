"""Readiness checks of the broker: it accepts writes, a worker is alive, and the jobs are doing their work."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import redis
from django.conf import settings

from governance.ledger import status
from memory.embedding import configured
from memory.embedding import status as embedding
from memory_project import tasks
from memory_project.readiness.database import CLOCK_LIMIT
from memory_project.readiness.outcomes import Degraded, NotReady

_PROBE_KEY = "suture:readiness"
_PROBE_SECONDS = 60


class Broker:
    """The broker and its worker. `database_time` returns the database's time in seconds since 1970."""

    def __init__(self, database_time: Callable[[], float | None]) -> None:
        self._database_time = database_time
        self._client: redis.Redis
        #: When this process first found no report of a sealing run.
        self._missing_since: float | None = None

    @property
    def checks(self) -> Mapping[str, Callable[[], str]]:
        """The checks, in the order in which they run."""
        return {
            "broker": self.check_broker,
            "worker": self.check_worker,
            "seals": self.check_seals,
            "embedding": check_embedding,
        }

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Open a new connection, closed at the end."""
        with tasks.connect() as self._client:
            yield

    def interrupt(self) -> None:
        """Do nothing: tasks.connect() already limits how long each answer may take."""

    def check_broker(self) -> str:
        """Check that the broker accepts writes, and that its clock agrees with the database's."""
        self._client.set(_PROBE_KEY, "", ex=_PROBE_SECONDS)
        seconds, microseconds = self._client.time()
        there = self._database_time()
        if there is not None and abs(ahead := seconds + microseconds / 1e6 - there) > CLOCK_LIMIT:
            how = "ahead of" if ahead > 0 else "behind"
            raise Degraded(f"its clock is {abs(ahead):.0f} s {how} the database's")
        return "reachable"

    def check_worker(self) -> str:
        """Check that a worker sent a heartbeat within the last minute, by the broker's own clock."""
        left = self._client.pttl(tasks.HEARTBEAT_KEY)
        if left < 0:
            raise NotReady(f"no heartbeat in the last {tasks.HEARTBEAT_SECONDS} s")
        return f"last heartbeat {max(0, tasks.HEARTBEAT_SECONDS - left / 1000):.0f} s ago"

    def check_seals(self) -> str:
        """Check that a recent run sealed and published everything."""
        until, now = status.sealed_until(), self._database_time()
        if until is None:
            # at the first start, and after the broker lost its data
            self._missing_since = self._missing_since or time.monotonic()
            lag = time.monotonic() - self._missing_since
        else:
            self._missing_since = None
            lag = 0.0 if now is None else max(0.0, now - until.timestamp())
        if lag > settings.SEAL_LAG_SECONDS:
            raise Degraded(f"some records of the last {lag:.0f} s are not sealed")
        return "no run has ended yet" if until is None else f"everything older than {lag:.0f} s is sealed"


def check_embedding() -> str:
    """Check that memory is embedded and the provider answers; without it, search uses keywords only."""
    if configured.configured() is None:
        return "off"
    if (reason := embedding.failure()) is not None:
        raise Degraded(f"the provider fails, so search uses keywords only: {reason}")
    run = embedding.last_run()
    if run is None:
        return "nothing was embedded in the last hour"
    if run.isolated:
        raise Degraded(f"{run.isolated} chunks could not be embedded: see manage.py embed --progress")
    return f"{run.waiting} chunks wait" + (f", {run.per_second:g} embedded a second" if run.per_second else "")
