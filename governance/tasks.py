"""Periodic work of governance. Each task is one call of a service."""

import logging
import uuid
from datetime import timedelta

from celery import shared_task
from prometheus_client import Counter, Gauge

from governance import daily_counts, edits, idempotency
from governance.database.clock import database_now
from governance.edits import policies
from governance.every_tenant import in_every_tenant
from governance.ledger import fingerprints, sealing, status, tenants_to_seal, tree_heads, verification, verified_until
from suture_verify.following import UnverifiedEntry
from suture_verify.verified_until import VerifiedUntil

logger = logging.getLogger("suture.tasks")

IDEMPOTENCY_KEYS_LIVE = timedelta(hours=24)

#: How long a run of sealing verifies the ledgers of idle tenants, after the worker was started.
VERIFYING_SECONDS = 0.2

#: time() minus this is the seal lag: in every tenant, all rows older than this are sealed.
SEALED_UNTIL = Gauge(
    "suture_sealed_until_timestamp_seconds",
    "Time up to which the rows of every tenant are sealed and published.",
    multiprocess_mode="mostrecent",
)
FINDINGS = Gauge(
    "suture_ledger_findings",
    "Number of findings in the last verification of all ledgers; any value but 0 is an alarm.",
    multiprocess_mode="mostrecent",
)
ALARMS = Gauge(
    "suture_ledger_alarms",
    "Number of tenants whose ledger is not sealed or published because it does not verify; any value but 0 is an"
    " alarm.",
    multiprocess_mode="mostrecent",
)
SEAL_FAILURES = Counter("suture_seal_failures", "Number of tenants whose rows could not be sealed or published.")


@shared_task(name="governance.tasks.forget_idempotency_keys")
def forget_idempotency_keys() -> None:
    """Delete idempotency keys older than a day."""
    idempotency.forget(IDEMPOTENCY_KEYS_LIVE)


@shared_task(name="governance.tasks.expire_edits")
def expire_edits() -> None:
    """Expire pending edits that were not decided in time."""
    edits.expire_edits()


@shared_task(name="governance.tasks.apply_policy_changes")
def apply_policy_changes() -> None:
    """Apply policy changes that are due."""
    policies.apply_due_changes()


@shared_task(name="governance.tasks.seal")
def seal() -> None:
    """Seal the recorded rows of each tenant and publish its tree head, if there is anything to seal or publish. A
    failure in one tenant does not stop the others. Does nothing while another run is active."""
    with tenants_to_seal.run() as is_first:
        if is_first:
            _seal_all()


def _seal_all() -> None:
    moment = database_now()
    _, failures = in_every_tenant(
        _seal,
        complaint="the rows of %s could not be sealed or published",
        among=tenants_to_seal.tenants(moment),
        afterwards=tenants_to_seal.unverified(),
        seconds=VERIFYING_SECONDS,
    )
    SEAL_FAILURES.inc(len(failures))
    ALARMS.set(sum(isinstance(failure, _ALARMING) for failure in failures))
    if not failures:
        SEALED_UNTIL.set(moment.timestamp())
        status.note_sealed(moment)


#: Failures that show tampering, unlike a full disk or an unreachable database.
_ALARMING = (UnverifiedEntry, sealing.UnreceiptedRow, tree_heads.TreeHeadRefused)


def _seal(tenant_id: uuid.UUID) -> int:
    unreceipted = None
    try:
        try:
            rows = sealing.seal_all(tenant_id)
        except sealing.UnreceiptedRow as reason:
            unreceipted = reason  # the other rows are sealed, so publish their tree head
        tree_heads.publish(tenant_id)
        if unreceipted is not None:
            raise unreceipted
    except _ALARMING as reason:
        # in_every_tenant() logs the traceback
        logger.error("ALARM: sealing and publishing stopped for the ledger of %s: %s", tenant_id, reason)  # noqa: TRY400
        status.set_alarm(tenant_id, str(reason))
        raise
    status.set_alarm(tenant_id, None)
    return rows


@shared_task(name="governance.tasks.verify")
def verify() -> None:
    """Verify every tenant's ledger against the database and the last published tree head. A ledger that could not be
    verified counts as a finding."""
    with fingerprints.reading_once():
        found, failures = in_every_tenant(_verify, complaint="the ledger of %s could not be verified")
    FINDINGS.set(found + len(failures))


@shared_task(name="governance.tasks.verify_recent")
def verify_recent() -> None:
    """Verify the part of every tenant's ledger after the last confirmed tree head, and a ledger without one completely.
    Findings count until the next full verification."""
    found, failures = in_every_tenant(
        _verify_recent, complaint="the new entries in the ledger of %s could not be verified"
    )
    if found or failures:
        FINDINGS.set(found + len(failures))


@shared_task(name="governance.tasks.verify_recent_of", alone=False)  # type: ignore[call-overload, untyped-decorator] # our option
def verify_recent_of(tenant_id: str) -> None:
    """The same for one tenant, on request."""
    if found := _verify_recent(uuid.UUID(tenant_id)):
        FINDINGS.set(found)


def _verify_recent(tenant_id: uuid.UUID) -> int:
    return _verify(tenant_id, since=verified_until.last(tenant_id))


def _verify(tenant_id: uuid.UUID, since: VerifiedUntil | None = None) -> int:
    report = verification.verify(tenant_id, since=since)
    if report.first is not None:
        logger.error("the ledger of %s does not verify: %s in %s", tenant_id, report.first.kind, report.first.chain)
    return report.finding_count


@shared_task(name="governance.tasks.count_days")
def count_days() -> None:
    """Count what happened today, for the charts."""
    in_every_tenant(daily_counts.roll_up, complaint="the figures of %s could not be counted")
