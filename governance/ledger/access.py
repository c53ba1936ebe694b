"""The access log: allowed and refused reads of handed-over memory, exports and removed texts. Its rows are
sealed, without entries of their own."""

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
    """Record that the actor read or was refused a target; `details` has ids and counts, no text. Returns the row's id.

    Part of the open transaction: to record a refusal, raise one that `keeps_record`.
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
