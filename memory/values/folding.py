"""Folds the memory that refold_value has hidden: it says a value that was forgotten, replaced or allowed again."""

import uuid

from governance.every_tenant import claim_in_every_tenant
from memory.values import db

#: Chunks per statement: the database cancels a statement after 30 s.
SLICE = 500


def fold_waiting() -> int:
    """Fold, tenant by tenant, what is still hidden; returns the number of steps. Safe to run twice at once and to kill
    at any point: each step claims its rows and is one transaction."""

    def claim(tenant_id: uuid.UUID) -> list[uuid.UUID]:
        return [
            value_id
            for value_id in db.values_to_fold(tenant=tenant_id)
            if db.fold_pending_rewordings(tenant=tenant_id, value=value_id, limit=SLICE)
        ]

    return claim_in_every_tenant(claim, lambda tenant_id, values: None, complaint="not all values of %s are folded")
