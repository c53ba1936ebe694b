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

#: time() minus this is the seal lag: rows older than it are sealed, in every tenant.
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
    """Let the changes of policies take effect whose time has come."""
    policies.apply_due_changes()


@shared_task(name="governance.tasks.seal")
def seal() -> None:
    """Seal what was recorded and publish how far each tenant's ledger has come, where there is something to seal or to
    publish. A failure in one tenant does not stop the others. Does nothing while another run works on it."""
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


#: What shows that somebody changed the record, other than a full disk or a database that is away.
_ALARMING = (UnverifiedEntry, sealing.UnreceiptedRow, tree_heads.TreeHeadRefused)


def _seal(tenant_id: uuid.UUID) -> int:
    unreceipted = None
    try:
        try:
            rows = sealing.seal_all(tenant_id)
        except sealing.UnreceiptedRow as reason:
            unreceipted = reason  # the other rows are sealed, and so the tree head of them is published
        tree_heads.publish(tenant_id)
        if unreceipted is not None:
            raise unreceipted
    except _ALARMING as reason:
        # in_every_tenant() logs where it came from
        logger.error("ALARM: sealing and publishing stopped for the ledger of %s: %s", tenant_id, reason)  # noqa: TRY400
        status.set_alarm(tenant_id, str(reason))
        raise
    status.set_alarm(tenant_id, None)
    return rows


@shared_task(name="governance.tasks.verify")
def verify() -> None:
    """Verify every tenant's ledger against the database and the tree head published last. One that could not be
    verified counts as a finding: it must not be taken for a good one."""
    with fingerprints.reading_once():
        found, failures = in_every_tenant(_verify, complaint="the ledger of %s could not be verified")
    FINDINGS.set(found + len(failures))


@shared_task(name="governance.tasks.verify_recent")
def verify_recent() -> None:
    """Verify of every tenant's ledger what came after the tree head that was confirmed last, and all of one that no
    verification confirmed. What it finds counts until the next verification of everything."""
    found, failures = in_every_tenant(_verify_recent, complaint="what is new in the ledger of %s could not be verified")
    if found or failures:
        FINDINGS.set(found + len(failures))


@shared_task(name="governance.tasks.verify_recent_of", alone=False)  # type: ignore[call-overload, untyped-decorator] # our option
def verify_recent_of(tenant_id: str) -> None:
    """The same for one tenant, when somebody asks for it."""
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
