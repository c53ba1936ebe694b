"""How the embeddings of the server stand, for readiness: what the last run found, and why the provider fails. The cache
keeps it, where every process sees it; it names no tenant."""

import logging
from dataclasses import asdict, dataclass

from django.core.cache import cache
from redis.exceptions import RedisError

logger = logging.getLogger("suture.embedding")

_FAILURE = "embedding:failure"
_RUN = "embedding:run"
#: A failure that nobody met again for so long is over.
FAILURE_SECONDS = 120
RUN_SECONDS = 3600
#: Whether this process has noted a failure that it has to take back.
_noted = False


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of the job left: chunks of all tenants that wait and that are isolated, and how many it embedded a
    second."""

    waiting: int
    isolated: int
    per_second: float


def note_failure(reason: str) -> None:
    """The provider failed, for `reason`, which names no address, key or text."""
    global _noted
    _noted = True
    logger.warning("the embedding provider failed: %s", reason)
    _keep(_FAILURE, reason, FAILURE_SECONDS)


def note_success() -> None:
    """The provider answered: a failure that this process has noted is over."""
    global _noted
    if _noted:
        _noted = False
        _keep(_FAILURE, None, 1)


def note_run(run: Run) -> None:
    """A run of the job is over."""
    _keep(_RUN, asdict(run), RUN_SECONDS)


def _keep(key: str, value: object, seconds: int) -> None:
    try:
        cache.set(key, value, seconds)
    except (RedisError, OSError):
        logger.exception("the standing of embeddings could not be noted")  # readiness says that the broker is away


def failure() -> str | None:
    """Why the provider failed last, in the last two minutes."""
    reason: str | None = cache.get(_FAILURE)
    return reason


def last_run() -> Run | None:
    """What the last run left, in the last hour."""
    found = cache.get(_RUN)
    return Run(**found) if found else None
