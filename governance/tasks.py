"""Periodic work of governance. Each task is one call of a service."""

from datetime import timedelta

from celery import shared_task

from governance.services import edits, idempotency

IDEMPOTENCY_KEYS_LIVE = timedelta(hours=24)


@shared_task(name="governance.tasks.forget_idempotency_keys")
def forget_idempotency_keys() -> None:
    """Delete idempotency keys older than a day."""
    idempotency.forget(IDEMPOTENCY_KEYS_LIVE)


@shared_task(name="governance.tasks.expire_edits")
def expire_edits() -> None:
    """End pending edits that nobody decided in time."""
    edits.expire_edits()
