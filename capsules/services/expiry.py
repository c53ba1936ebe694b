"""What time does to capsules: they expire, and before that their authors are warned. Reading never waits for it."""

import uuid
from datetime import timedelta
from functools import partial

from django.conf import settings

from capsules import calls
from governance.every_tenant import claim_in_every_tenant
from governance.identity.credentials import system
from governance.ledger import appending

#: How many capsules one transaction of the job ends or warns of.
BATCH = 1_000


def warning_time() -> timedelta:
    """How long before its expiry the author of a capsule is warned."""
    return timedelta(hours=settings.CAPSULE_WARNING_HOURS)


def expire_capsules() -> int:
    """Mark, tenant by tenant, the capsules whose time is over, and note each in the ledger; returns how many.

    Safe to run twice at once and to kill at any point: each batch claims its rows and is one transaction. One tenant's
    failure is its own; the first is raised when all have been tried.
    """
    return claim_in_every_tenant(
        lambda tenant_id: calls.expire_capsules(tenant=tenant_id, limit=BATCH),
        partial(_record, "capsule.expired"),
        complaint="the capsules of %s did not all expire",
    )


def warn_capsules() -> int:
    """Note in the ledger, once a capsule, that it is about to expire; returns how many. Safe as expire_capsules is."""
    return claim_in_every_tenant(
        lambda tenant_id: calls.warn_capsules(tenant=tenant_id, within=warning_time(), limit=BATCH),
        partial(_record, "capsule.expiring"),
        complaint="the authors of capsules of %s were not all warned",
    )


def _record(entry_type: str, tenant_id: uuid.UUID, rows: list[calls.CapsuleTime]) -> None:
    drafts = [
        appending.Draft(entry_type, {"capsule": str(row.capsule_id), "expires_at": row.expires_at.isoformat()})
        for row in rows
    ]
    appending.record_all(drafts, actor=system(tenant_id, "capsule-expiry"))
