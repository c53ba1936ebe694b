"""Periodic work of memory. Each task is one call of a service; Celery retries it with backoff if the database fails."""

from celery import shared_task
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from prometheus_client import Counter, Gauge

from memory.curation import deliveries, expiring
from memory.embedding import jobs, standing
from memory.services import completing, counting

FAILURES = (DatabaseError, InterfaceError)

EMBEDDED = Counter("suture_embedded_chunks", "Chunks embedded.")
EMBEDDING_FAILURES = Counter("suture_embedding_failures", "Runs that the embedding provider ended by failing.")
WAITING = Gauge(
    "suture_embedding_waiting", "Chunks that wait to be embedded, of all tenants.", multiprocess_mode="mostrecent"
)
ISOLATED = Gauge(
    "suture_embedding_isolated",
    "Chunks that could not be embedded, of all tenants; any value but 0 needs a look at the embedding queue.",
    multiprocess_mode="mostrecent",
)
RATE = Gauge(
    "suture_embedding_chunks_per_second", "Chunks embedded a second by the last run.", multiprocess_mode="mostrecent"
)


@shared_task(
    name="memory.tasks.count_terms", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def count_terms() -> None:
    """Count how common each word of memory is, where it is due."""
    counting.count_terms()


@shared_task(name="memory.tasks.embed")
def embed() -> None:
    """Embed what waits, for a minute at most. Does nothing while other runs have this machine's places."""
    with jobs.slot() as has_place:
        if not has_place:
            return
        worked = jobs.run(seconds=settings.EMBEDDING_RUN_SECONDS)
    EMBEDDED.inc(worked.embedded)
    EMBEDDING_FAILURES.inc(worked.failure is not None)
    if worked.embedded:
        RATE.set(worked.per_second)
    if (left := standing.last_run()) is not None:
        WAITING.set(left.waiting)
        ISOLATED.set(left.isolated)


@shared_task(
    name="memory.tasks.complete_contexts",
    autoretry_for=FAILURES,
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=5,
)
def complete_contexts() -> None:
    """Lend the words of what was recorded to the turns around it."""
    completing.complete_contexts()


@shared_task(
    name="memory.tasks.expire_memories", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def expire_memories() -> None:
    """Expire ephemeral memory whose time is over."""
    expiring.expire_memories()


@shared_task(
    name="memory.tasks.record_deliveries",
    autoretry_for=FAILURES,
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=5,
)
def record_deliveries() -> None:
    """Record which memories were given to whom."""
    deliveries.record_deliveries()
