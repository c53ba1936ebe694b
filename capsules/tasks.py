"""Periodic jobs of capsules. Each task is one service call; Celery retries it with backoff if the database fails."""

from celery import shared_task
from django.db import DatabaseError, InterfaceError

from capsules.services import expiry

FAILURES = (DatabaseError, InterfaceError)


@shared_task(
    name="capsules.tasks.expire", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def expire() -> None:
    """Expire capsules."""
    expiry.expire_capsules()


@shared_task(
    name="capsules.tasks.warn", autoretry_for=FAILURES, retry_backoff=True, retry_backoff_max=60, max_retries=5
)
def warn() -> None:
    """Warn the authors of capsules that are about to expire."""
    expiry.warn_capsules()
