"""Periodic work of governance. Each task is one call of a service."""

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone
from prometheus_client import Counter, Gauge

from governance import gate
from governance.services import checkpoints, edits, figures, idempotency, sealing, verification

logger = logging.getLogger("suture.tasks")

IDEMPOTENCY_KEYS_LIVE = timedelta(hours=24)

#: time() minus this is the seal lag: rows older than it are sealed, in every tenant.
SEALED_UNTIL = Gauge(
    "suture_sealed_until_timestamp_seconds",
    "The moment up to which the rows of every tenant are sealed and published.",
    multiprocess_mode="mostrecent",
)
FINDINGS = Gauge(
    "suture_ledger_findings",
    "What the last verification of every tenant's ledger found; anything but 0 is an alarm.",
    multiprocess_mode="mostrecent",
)
SEAL_FAILURES = Counter("suture_seal_failures", "Tenants whose rows could not be sealed or published.")


@shared_task(name="governance.tasks.forget_idempotency_keys")
def forget_idempotency_keys() -> None:
    """Delete idempotency keys older than a day."""
    idempotency.forget(IDEMPOTENCY_KEYS_LIVE)


@shared_task(name="governance.tasks.expire_edits")
def expire_edits() -> None:
    """End pending edits that nobody decided in time."""
    edits.expire_edits()


@shared_task(name="governance.tasks.seal")
def seal() -> None:
    """Seal what was recorded and publish how far each tenant's ledger has come. One tenant's failure is its own."""
    moment = timezone.now()
    failed = False
    for slug, tenant_id in gate.tenants().items():
        try:
            sealing.seal_all(tenant_id)
            checkpoints.publish(tenant_id)
        except Exception:
            failed = True
            SEAL_FAILURES.inc()
            logger.exception("the rows of %s were not sealed or not published", slug)
    if not failed:
        SEALED_UNTIL.set(moment.timestamp())


@shared_task(name="governance.tasks.verify")
def verify() -> None:
    """Verify every tenant's ledger against the database and the checkpoint published last."""
    found = 0
    for slug, tenant_id in gate.tenants().items():
        report = verification.verify(tenant_id)
        found += report.finding_count
        if report.first is not None:
            logger.error("the ledger of %s does not verify: %s in %s", slug, report.first.kind, report.first.chain)
    FINDINGS.set(found)


@shared_task(name="governance.tasks.count_days")
def count_days() -> None:
    """Count what happened today, for the charts."""
    for tenant_id in gate.tenants().values():
        figures.roll_up(tenant_id)
