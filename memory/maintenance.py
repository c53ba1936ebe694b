"""Holding what readers see against the record. As the owner: the web's role has no right to these functions."""

import uuid
from dataclasses import dataclass

from governance import gate

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Projection:
    """What one app computes from the record for readers: the names of the function that compares it and of the one
    that rebuilds what differs, each of a tenant."""

    drift: str
    repair: str


@dataclass(frozen=True, slots=True)
class Drift:
    """A row that readers see and that is not what the record makes of it."""

    kind: str
    id: uuid.UUID
    problem: str


_projections = [Projection("effective_drift", "repair_effective")]


def register(projection: Projection) -> None:
    """Have an app's projection verified with memory's own; called once by its `ready()`."""
    _projections.append(projection)


def find_drift(tenant_id: uuid.UUID) -> list[Drift]:
    """Every drifted row of the tenant: all folds are computed anew from the record and compared."""
    with gate.tenant(tenant_id, using=OWNER):
        return [
            Drift(**row) for projection in _projections for row in gate.call(projection.drift, tenant_id, using=OWNER)
        ]


def repair(tenant_id: uuid.UUID) -> int:
    """Rebuild every drifted row from the record; returns how many were found."""
    with gate.tenant(tenant_id, using=OWNER):
        return sum(
            int(gate.call(projection.repair, tenant_id, using=OWNER)[0][projection.repair])
            for projection in _projections
        )
