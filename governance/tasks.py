"""Periodic work of governance. Each task is one call of a service."""

from datetime import timedelta

from celery import shared_task

from governance.services import idempotency

IDEMPOTENCY_KEYS_LIVE = timedelta(hours=24)


@shared_task(name="governance.tasks.forget_idempotency_keys")
def forget_idempotency_keys() -> None:
    """Delete idempotency keys older than a day."""
    idempotency.forget(IDEMPOTENCY_KEYS_LIVE)
