"""The status of embeddings on this server, for readiness: the result of the last run, and why the provider fails.
Shared by all processes through the cache; it names no tenant."""

import logging
from dataclasses import asdict, dataclass

from django.core.cache import cache
from redis.exceptions import RedisError

logger = logging.getLogger("suture.embedding")

_FAILURE = "embedding:failure"
_RUN = "embedding:run"
#: A failure that did not recur for this many seconds is over.
FAILURE_SECONDS = 120
RUN_SECONDS = 3600
#: Whether this process has recorded a failure that it has to clear.
_noted = False


@dataclass(frozen=True, slots=True)
class Run:
    """The result of a run of the job: the numbers of waiting and isolated chunks in all tenants, and the chunks
    embedded per second."""

    waiting: int
    isolated: int
    per_second: float


def note_failure(reason: str) -> None:
    """Record that the provider failed, for `reason`, which contains no address, key or text."""
    global _noted
    _noted = True
    logger.warning("the embedding provider failed: %s", reason)
    _keep(_FAILURE, reason, FAILURE_SECONDS)


def note_success() -> None:
    """Clear a failure that this process has recorded: the provider has answered."""
    global _noted
    if _noted:
        _noted = False
        _keep(_FAILURE, None, 1)


def note_run(run: Run) -> None:
    """Record the result of a run of the job."""
    _keep(_RUN, asdict(run), RUN_SECONDS)


def _keep(key: str, value: object, seconds: int) -> None:
    try:
        cache.set(key, value, seconds)
    except (RedisError, OSError):
        logger.exception("could not store the status of embeddings")  # readiness says that the broker is away


def failure() -> str | None:
    """The reason of the provider's last failure in the last two minutes."""
    reason: str | None = cache.get(_FAILURE)
    return reason


def last_run() -> Run | None:
    """The result of the last run in the last hour."""
    found = cache.get(_RUN)
    return Run(**found) if found else None
