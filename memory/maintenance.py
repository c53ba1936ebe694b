"""Holding the effective memory against the record. As the owner: the web's role has no right to either function."""

import uuid
from dataclasses import dataclass

from governance import gate

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Drift:
    """A row of the effective memory that is not what the record makes of it."""

    kind: str
    id: uuid.UUID
    problem: str


def find_drift(tenant_id: uuid.UUID) -> list[Drift]:
    """Every drifted row of the tenant: all folds are computed anew from the record and compared."""
    with gate.tenant(tenant_id, using=OWNER):
        return [Drift(**row) for row in gate.call("effective_drift", tenant_id, using=OWNER)]


def repair(tenant_id: uuid.UUID) -> int:
    """Rebuild every drifted row from the record; returns how many were found."""
    with gate.tenant(tenant_id, using=OWNER):
        return int(gate.call("repair_effective", tenant_id, using=OWNER)[0]["repair_effective"])
