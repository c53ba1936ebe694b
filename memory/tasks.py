"""Periodic work of memory. Each task is one call of a service; Celery retries it with backoff if the database fails."""

from celery import shared_task
from django.db import DatabaseError, InterfaceError

from memory.services import counting

FAILURES = (DatabaseError, InterfaceError)


@shared_task(
    name="memory.tasks.count_terms", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def count_terms() -> None:
    """Count how common each word of memory is, where it is due."""
    counting.count_terms()
