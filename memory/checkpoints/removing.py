"""Jobs that prune checkpoints and delete the files of removed ones."""

import uuid

from django.conf import settings

from governance.acting import gate
from governance.every_tenant import in_every_tenant
from memory.checkpoints import db, storage
from memory.checkpoints.refusals import CheckpointStoreFailed

#: Sessions to prune in a transaction, and files to delete in one.
PRUNE_BATCH = 100
DELETE_BATCH = 200


def prune() -> int:
    """Remove all but the newest checkpoints that each session keeps, except pinned ones; returns the number. Safe to
    run concurrently. Raises the first tenant's failure after all tenants have been tried."""

    def batch(tenant_id: uuid.UUID) -> int:
        with gate.job(tenant_id, "checkpoints"):
            return db.prune_checkpoints(tenant=tenant_id, keep=settings.CHECKPOINT_KEEP, limit=PRUNE_BATCH)

    pruned, failures = in_every_tenant(batch, complaint="the checkpoints of %s were not all pruned", in_batches=True)
    if failures:
        raise failures[0]
    return pruned


def delete_files() -> int:
    """Delete the files of removed checkpoints; returns the number. Can be interrupted at any point: a row is marked
    after its file is deleted, and a missing file is not an error. A file that cannot be deleted is logged and retried
    by the next run. Raises the first tenant's failure after all tenants have been tried."""

    def batch(tenant_id: uuid.UUID) -> int:
        with gate.job(tenant_id, "checkpoints"):
            claimed = db.claim_removed_checkpoints(tenant=tenant_id, limit=DELETE_BATCH)
            deleted = [one.id for one in claimed if _is_deleted(one.path)]
            db.note_deleted_files(tenant=tenant_id, ids=deleted)
            return len(deleted)

    deleted, failures = in_every_tenant(
        batch, complaint="the files of removed checkpoints of %s were not all deleted", in_batches=True
    )
    if failures:
        raise failures[0]
    return deleted


def _is_deleted(path: str) -> bool:
    try:
        storage.delete(path)
    except CheckpointStoreFailed:  # already logged
        return False
    return True
