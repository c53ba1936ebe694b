"""Folds the memory that says a value again, after the value was forgotten, replaced or allowed again."""

import uuid

from governance.acting.principals import Principal
from governance.every_tenant import claim_in_every_tenant
from memory.values import db

#: Chunks that one transaction folds, in 3 s. More stay hidden until the job has folded them: whoever records waits for
#: the transaction, and gives up after 10 s.
AT_ONCE = 1_000
#: Chunks per statement: the database cancels a statement after 30 s.
SLICE = 500


def fold(value_id: uuid.UUID, actor: Principal) -> None:
    """Fold the hidden chunks of a value, at most AT_ONCE, in the open transaction."""
    done = 0
    while done < AT_ONCE:
        folded = db.fold_pending_rewordings(tenant=actor.tenant_id, value=value_id, limit=SLICE)
        if not folded:
            return
        done += folded


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
