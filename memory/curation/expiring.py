"""The job that expires ephemeral memory. Its readers do not wait for it: nobody gets memory whose time is over."""

import uuid

from django.db import transaction

from governance.acting import gate
from governance.acting.credentials import OperatorCredential, system
from governance.every_tenant import in_every_tenant
from governance.ledger import appending
from memory.curation import db

#: How many memories one transaction expires.
BATCH = 500


def expire_memories() -> int:
    """Remove what was derived from the words of memory whose time is over, in every tenant, each batch with its ledger
    entry; returns how many memories. Any number of runs may be under way. The first failure of a tenant is raised after
    all were tried."""
    with transaction.atomic():
        due = set(db.tenants_to_expire(token=OperatorCredential("expiry").token()))
    done, failures = in_every_tenant(_expire, complaint="not all memory of %s expired", in_batches=True, among=due)
    if failures:
        raise failures[0]
    return done


def _expire(tenant_id: uuid.UUID) -> int:
    with gate.job(tenant_id, "expiry"):
        expired = db.expire_memories(tenant=tenant_id, limit=BATCH)
        if expired:
            chunks = sorted(str(one) for one in expired)
            appending.record("memory.expired", actor=system(tenant_id, "expiry"), metadata={"chunks": chunks})
        return len(expired)
