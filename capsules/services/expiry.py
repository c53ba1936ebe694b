"""Periodic jobs of capsules: warn their authors, then expire them. Reading never depends on these jobs."""

import uuid
from datetime import timedelta
from functools import partial

from django.conf import settings

from capsules import db
from governance.acting.credentials import system
from governance.every_tenant import claim_in_every_tenant
from governance.ledger import appending

#: Capsules to expire or warn of in a transaction.
BATCH = 1_000


def warning_time() -> timedelta:
    """How long before its expiry the author of a capsule is warned."""
    return timedelta(hours=settings.CAPSULE_WARNING_HOURS)


def expire_capsules() -> int:
    """Expire capsules, tenant by tenant, with a ledger entry for each; returns how many.

    You can run it concurrently and interrupt it at any point: each batch locks its rows and is one transaction. If one
    tenant fails, the others still run; the first error is raised at the end.
    """
    return claim_in_every_tenant(
        lambda tenant_id: db.expire_capsules(tenant=tenant_id, limit=BATCH),
        partial(_record, "capsule.expired"),
        complaint="could not expire all capsules of %s",
    )


def warn_capsules() -> int:
    """Append a ledger entry, once per capsule, when it is about to expire; returns how many. As safe to run as
    expire_capsules."""
    return claim_in_every_tenant(
        lambda tenant_id: db.warn_capsules(tenant=tenant_id, within=warning_time(), limit=BATCH),
        partial(_record, "capsule.expiring"),
        complaint="could not warn all authors of capsules of %s",
    )


def _record(entry_type: str, tenant_id: uuid.UUID, rows: list[db.CapsuleTime]) -> None:
    drafts = [
        appending.Draft(entry_type, {"capsule": str(row.capsule_id), "expires_at": row.expires_at.isoformat()})
        for row in rows
    ]
    appending.record_all(drafts, actor=system(tenant_id, "capsule-expiry"))
