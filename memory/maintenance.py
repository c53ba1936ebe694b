"""Holding what readers see against the record. As the owner: the web's role has no right to these functions."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from governance import gate
from memory import calls
from memory.calls import Drift

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Projection:
    """What one app computes from the record for readers: what compares it, and what rebuilds whatever differs and
    answers how much that was, each for a tenant over the owner's connection."""

    drift: Callable[[uuid.UUID], list[Drift]]
    repair: Callable[[uuid.UUID], int]


_projections = [
    Projection(
        lambda tenant_id: calls.effective_drift.on(OWNER)(tenant=tenant_id),
        lambda tenant_id: calls.repair_effective.on(OWNER)(tenant=tenant_id),
    )
]


def register(projection: Projection) -> None:
    """Have an app's projection verified with memory's own; called once by its `ready()`."""
    _projections.append(projection)


def find_drift(tenant_id: uuid.UUID) -> list[Drift]:
    """Every drifted row of the tenant: all folds are computed anew from the record and compared."""
    with gate.tenant(tenant_id, using=OWNER):
        return [drift for projection in _projections for drift in projection.drift(tenant_id)]


def repair(tenant_id: uuid.UUID) -> int:
    """Rebuild every drifted row from the record; returns how many were found."""
    with gate.tenant(tenant_id, using=OWNER):
        return sum(projection.repair(tenant_id) for projection in _projections)
