"""The job that completes words in context: new records lend their words to the turns around them."""

import uuid
from collections.abc import Callable

from django.db import transaction

from governance.acting import gate
from governance.acting.credentials import OperatorCredential
from governance.every_tenant import in_every_tenant
from memory import db

#: Chunks to complete in a transaction, which locks them and their neighbours.
BATCH = 200


def complete_context(tenant_id: uuid.UUID, limit: int = BATCH) -> int:
    """Complete up to `limit` recorded chunks of a tenant in one transaction: their vectors of words, their neighbours',
    and search vectors in a former language of the tenant. Any number of jobs may run at once. Returns how many it
    processed; 0 if none waits that no other job works on."""
    with gate.job(tenant_id, "context"):
        return db.complete_context(tenant=tenant_id, limit=limit)


def complete_contexts(report: Callable[[int], object] = lambda left: None) -> int:
    """Complete all waiting chunks in every tenant; returns how many. Calls `report` with the number of chunks that are
    left, at the start and after each batch. A failure in one tenant does not stop the others; the first one is raised
    at the end."""
    with transaction.atomic():
        found = db.tenants_to_complete(token=OperatorCredential("context").token())
    waiting = {one.tenant_id: one.waiting for one in found}
    report(sum(waiting.values()))

    def complete(tenant_id: uuid.UUID) -> int:
        done = complete_context(tenant_id)
        waiting[tenant_id] = max(waiting[tenant_id] - done, 0)
        report(sum(waiting.values()))
        return done

    done, failures = in_every_tenant(
        complete,
        complaint="could not complete the words in context of %s",
        in_batches=True,
        among=waiting.keys(),
    )
    if failures:
        raise failures[0]
    return done
