"""What time does to capsules: they expire, and before that their authors are warned. Reading never waits for it."""

import uuid
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings

from governance import gate
from governance.every_tenant import in_every_tenant
from governance.identity.principals import system
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
    return _in_every_tenant(_expire_batch)


def warn_capsules() -> int:
    """Note in the ledger, once a capsule, that it is about to expire; returns how many. Safe as expire_capsules is."""
    return _in_every_tenant(_warn_batch)


def _in_every_tenant(batch: Callable[[uuid.UUID], int]) -> int:
    done, failures = in_every_tenant(batch, complaint="the capsules of %s were not all looked after", in_batches=True)
    if failures:
        raise failures[0]
    return done


def _expire_batch(tenant_id: uuid.UUID) -> int:
    with gate.tenant(tenant_id):
        ended = gate.call("expire_capsules", tenant_id, BATCH)
        drafts = [
            appending.Draft(
                "capsule.expired", {"capsule": str(row["capsule_id"]), "expires_at": row["expires_at"].isoformat()}
            )
            for row in ended
        ]
        appending.record_all(drafts, actor=system(tenant_id, "capsule-expiry"))
        return len(ended)


def _warn_batch(tenant_id: uuid.UUID) -> int:
    with gate.tenant(tenant_id):
        warned = gate.call("warn_capsules", tenant_id, warning_time(), BATCH)
        drafts = [
            appending.Draft(
                "capsule.expiring", {"capsule": str(row["capsule_id"]), "expires_at": row["expires_at"].isoformat()}
            )
            for row in warned
        ]
        appending.record_all(drafts, actor=system(tenant_id, "capsule-expiry"))
        return len(warned)
