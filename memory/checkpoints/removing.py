"""The jobs: pruning what sessions do not keep, and deleting the files of what was removed."""

import uuid

from django.conf import settings

from governance.acting import gate
from governance.every_tenant import in_every_tenant
from memory.checkpoints import db, storage
from memory.checkpoints.refusals import CheckpointStoreFailed

#: How many sessions one transaction prunes, and how many files one deletes.
PRUNE_BATCH = 100
DELETE_BATCH = 200


def prune() -> int:
    """Remove all checkpoints but the newest that each session keeps, pinned ones aside; answers how many. Safe to run
    twice at once. The first tenant's failure is raised when all have been tried."""

    def batch(tenant_id: uuid.UUID) -> int:
        with gate.job(tenant_id, "checkpoints"):
            return db.prune_checkpoints(tenant=tenant_id, keep=settings.CHECKPOINT_KEEP, limit=PRUNE_BATCH)

    pruned, failures = in_every_tenant(batch, complaint="the checkpoints of %s were not all pruned", in_batches=True)
    if failures:
        raise failures[0]
    return pruned


def delete_files() -> int:
    """Delete the files of removed checkpoints; answers how many. Killed at any point, it goes on where it was: a row is
    marked when its file is gone, and a file that is gone already is no error. A file that cannot be deleted is logged,
    and tried again by the next run. The first tenant's failure is raised when all have been tried."""

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
    except CheckpointStoreFailed:  # it is logged
        return False
    return True
