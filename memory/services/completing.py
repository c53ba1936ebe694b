"""The job behind the words in context: what is recorded lends its words to the turns around it."""

import uuid

from django.db import transaction

from governance.acting import gate
from governance.acting.credentials import OperatorCredential
from governance.every_tenant import in_every_tenant
from memory import db

#: So many chunks are completed in one transaction, which keeps them and their neighbours locked.
BATCH = 200


def complete_context(tenant_id: uuid.UUID, limit: int = BATCH) -> int:
    """Complete up to `limit` recorded chunks of a tenant in one transaction: their vectors of words, those of their
    neighbours, and search vectors in a language that the tenant no longer searches. Any number of jobs may run at
    once. Returns how many it took; 0 if none waits that no other job works on."""
    with gate.job(tenant_id, "context"):
        return db.complete_context(tenant=tenant_id, limit=limit)


def complete_contexts() -> int:
    """Complete all that wait in every tenant; returns how many chunks. A failure in one tenant does not stop the
    others; the first one is raised after all were tried."""
    with transaction.atomic():
        waiting = set(db.tenants_to_complete(token=OperatorCredential("context").token()))
    done, failures = in_every_tenant(
        complete_context,
        complaint="the words in context of %s could not be completed",
        in_batches=True,
        among=waiting,
    )
    if failures:
        raise failures[0]
    return done
