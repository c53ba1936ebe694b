"""The access log: who read, or was refused, memory that was handed over or exported. Rows are sealed, not chained one
by one."""

import uuid
from collections.abc import Mapping
from typing import Any

from governance.acting.principals import Principal
from governance.models import AccessRecord


def log(
    action: str,
    *,
    actor: Principal,
    target_type: str,
    target_id: uuid.UUID | None = None,
    outcome: str = AccessRecord.Outcome.ALLOWED,
    details: Mapping[str, Any] | None = None,
) -> uuid.UUID:
    """Note that the actor read or was refused a target; `details` holds ids and counts, no words. Answers the row's id.

    Part of the open transaction: where a refusal must be kept, raise a refusal that `keeps_record`.
    """
    row = AccessRecord(
        tenant_id=actor.tenant_id,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor=actor.name,
        action=action,
        target_type=target_type,
        target_id=target_id,
        outcome=outcome,
        details=dict(details or {}),
    )
    row.save(force_insert=True)
    return row.id
