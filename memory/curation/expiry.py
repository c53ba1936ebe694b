"""The job that expires ephemeral memory. Readers do not depend on it: expired memory is never returned."""

import uuid

from django.db import transaction

from governance.acting import gate
from governance.acting.credentials import OperatorCredential, system
from governance.every_tenant import in_every_tenant
from governance.ledger import appending
from memory.curation import db

#: Memories to expire in a transaction.
BATCH = 500


def expire_memories() -> int:
    """Remove data derived from expired memory, in every tenant, each batch with its ledger entry; returns how many
    memories. Runs may overlap. Raises the first tenant's failure after all have been tried."""
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
