"""Periodic jobs of memory. Each task is one service call; Celery retries it with backoff if the database fails."""

from celery import shared_task
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from prometheus_client import Counter, Gauge

from memory import checkpoints
from memory.curation import expiry
from memory.embedding import jobs, status
from memory.services import completing, counting
from memory.tiers import promoting
from memory.usage import confidence, deliveries, watching
from memory.values import folding

FAILURES = (DatabaseError, InterfaceError)

EMBEDDED = Counter("suture_embedded_chunks", "Chunks embedded.")
EMBEDDING_FAILURES = Counter("suture_embedding_failures", "Runs that ended because the embedding provider failed.")
WAITING = Gauge(
    "suture_embedding_waiting", "Chunks that wait to be embedded, in all tenants.", multiprocess_mode="mostrecent"
)
ISOLATED = Gauge(
    "suture_embedding_isolated",
    "Chunks that could not be embedded, in all tenants; for any value but 0, check the embedding queue.",
    multiprocess_mode="mostrecent",
)
RATE = Gauge(
    "suture_embedding_chunks_per_second", "Chunks embedded per second by the last run.", multiprocess_mode="mostrecent"
)

TO_INDEX = Gauge(
    "suture_indexing_waiting",
    "Chunks whose words wait to be indexed, in all tenants: new ones, and all after a change of the language.",
    multiprocess_mode="mostrecent",
)
UNUSUAL = Counter("suture_unusual_recorders", "Recorders that recorded, or edited others' memory, far more than usual.")
PRUNED = Counter("suture_checkpoints_pruned", "Checkpoints pruned because of newer ones.")
ORPHANS = Gauge(
    "suture_checkpoint_files_without_row",
    "Files without a checkpoint that are too young to be deleted, in the last sweep.",
    multiprocess_mode="mostrecent",
)
MISSING = Gauge(
    "suture_checkpoints_without_file",
    "Checkpoints whose file is missing, in the last sweep; any value but 0 is an alarm.",
    multiprocess_mode="mostrecent",
)


@shared_task(
    name="memory.tasks.count_terms", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def count_terms() -> None:
    """Count the frequency of words in memory where it is due."""
    counting.count_terms()


@shared_task(
    name="memory.tasks.watch_recorders", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def watch_recorders() -> None:
    """Append an entry for each recorder that leaves what is usual."""
    UNUSUAL.inc(watching.watch_recorders())


@shared_task(name="memory.tasks.embed", alone=False)  # type: ignore[call-overload, untyped-decorator] # our option
def embed() -> None:
    """Embed waiting chunks for at most a minute. Does nothing while other runs occupy this machine's slots."""
    with jobs.slot() as has_place:
        if not has_place:
            return
        worked = jobs.run(seconds=settings.EMBEDDING_RUN_SECONDS)
    EMBEDDED.inc(worked.embedded)
    EMBEDDING_FAILURES.inc(worked.failure is not None)
    if worked.embedded:
        RATE.set(worked.per_second)
    if (left := status.last_run()) is not None:
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
    """Index the words of new records for the turns around them."""
    completing.complete_contexts(TO_INDEX.set)


@shared_task(
    name="memory.tasks.fold_values", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def fold_values() -> None:
    """Fold memory that is hidden since a value was forgotten, replaced or allowed again."""
    folding.fold_waiting()


@shared_task(
    name="memory.tasks.expire_memories", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def expire_memories() -> None:
    """Expire ephemeral memory."""
    expiry.expire_memories()


@shared_task(
    name="memory.tasks.record_deliveries",
    autoretry_for=FAILURES,
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=5,
)
def record_deliveries() -> None:
    """Record which memories were delivered to whom."""
    deliveries.record_deliveries()


@shared_task(
    name="memory.tasks.promote", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def promote() -> None:
    """Evaluate memory that is due, and move it to other tiers."""
    promoting.promote()


@shared_task(
    name="memory.tasks.decay_confidence",
    autoretry_for=FAILURES,
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=5,
)
def decay_confidence() -> None:
    """Decay the confidence in memory without outcomes."""
    confidence.decay_confidence()


@shared_task(
    name="memory.tasks.remove_checkpoints",
    autoretry_for=FAILURES,
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=5,
)
def remove_checkpoints() -> None:
    """Prune checkpoints, and delete the files of removed ones."""
    PRUNED.inc(checkpoints.prune())
    checkpoints.delete_files()


@shared_task(name="memory.tasks.sweep_checkpoints")
def sweep_checkpoints() -> None:
    """Find files without a checkpoint, which it deletes, and checkpoints without a file."""
    found = checkpoints.sweep_all()
    ORPHANS.set(len(found.orphans) - len(found.deleted))
    MISSING.set(len(found.missing))
