"""What readiness asks the broker: whether it takes work, whether somebody does the work, and what the jobs noted."""

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
    """The broker, and the worker behind it. `database_time` answers the database's time in seconds since 1970."""

    def __init__(self, database_time: Callable[[], float | None]) -> None:
        self._database_time = database_time
        self._client: redis.Redis
        #: When this process began to miss the note of a run that sealed.
        self._missing_since: float | None = None

    @property
    def checks(self) -> Mapping[str, Callable[[], str]]:
        """In the order in which they run."""
        return {
            "broker": self.check_broker,
            "worker": self.check_worker,
            "seals": self.check_seals,
            "embedding": check_embedding,
        }

    @contextmanager
    def asked(self) -> Iterator[None]:
        """A new connection, closed at the end."""
        with tasks.connect() as self._client:
            yield

    def interrupt(self) -> None:
        """Nothing to do: each answer of the broker is waited for as long as tasks.connect() says."""

    def check_broker(self) -> str:
        """The broker takes writes, and its clock agrees with the database's."""
        self._client.set(_PROBE_KEY, "", ex=_PROBE_SECONDS)
        seconds, microseconds = self._client.time()
        there = self._database_time()
        if there is not None and abs(ahead := seconds + microseconds / 1e6 - there) > CLOCK_LIMIT:
            how = "ahead of" if ahead > 0 else "behind"
            raise Degraded(f"its clock is {abs(ahead):.0f} s {how} the database's")
        return "reachable"

    def check_worker(self) -> str:
        """A worker was alive within the last minute, by the broker's own clock."""
        left = self._client.pttl(tasks.HEARTBEAT_KEY)
        if left < 0:
            raise NotReady(f"none has reported in the last {tasks.HEARTBEAT_SECONDS} s")
        return f"reported {max(0, tasks.HEARTBEAT_SECONDS - left / 1000):.0f} s ago"

    def check_seals(self) -> str:
        """What was recorded is sealed soon: a run has sealed and published all of it not long ago."""
        until, now = status.sealed_until(), self._database_time()
        if until is None:
            # at the first start, and after the broker lost what it had
            self._missing_since = self._missing_since or time.monotonic()
            lag = time.monotonic() - self._missing_since
        else:
            self._missing_since = None
            lag = 0.0 if now is None else max(0.0, now - until.timestamp())
        if lag > settings.SEAL_LAG_SECONDS:
            raise Degraded(f"what was recorded in the last {lag:.0f} s is not sealed, or not in every tenant")
        return "no run has ended yet" if until is None else f"all that is older than {lag:.0f} s is sealed"


def check_embedding() -> str:
    """Memory is embedded, and the provider answers; without it, search finds by words alone."""
    if configured.configured() is None:
        return "off"
    if (reason := embedding.failure()) is not None:
        raise Degraded(f"the provider fails, and search finds by words alone: {reason}")
    run = embedding.last_run()
    if run is None:
        return "nothing was embedded in the last hour"
    if run.isolated:
        raise Degraded(f"{run.isolated} chunks could not be embedded: see manage.py embed --progress")
    return f"{run.waiting} chunks wait" + (f", {run.per_second:g} embedded a second" if run.per_second else "")
