"""Comparing the projections with the record, as the owner role: the web role has no permission for these functions."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from governance import gate
from memory import calls
from memory.calls import Drift
from memory.embedding import calls as embeddings

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Projection:
    """One app's projection: `drift` compares it with the record, `repair` rebuilds the rows that differ and returns how
    many there were. Both take a tenant id and use the owner's connection."""

    drift: Callable[[uuid.UUID], list[Drift]]
    repair: Callable[[uuid.UUID], int]


_projections = [
    Projection(
        lambda tenant_id: calls.effective_drift.on(OWNER)(tenant=tenant_id),
        lambda tenant_id: calls.repair_effective.on(OWNER)(tenant=tenant_id),
    ),
    Projection(
        lambda tenant_id: embeddings.embedding_drift.on(OWNER)(tenant=tenant_id),
        lambda tenant_id: embeddings.repair_embeddings.on(OWNER)(tenant=tenant_id),
    ),
]


def register(projection: Projection) -> None:
    """Verify and repair this projection together with memory's own; called once by the app's `ready()`."""
    _projections.append(projection)


def find_drift(tenant_id: uuid.UUID) -> list[Drift]:
    """Every drifted row of the tenant: computes all folds from the record again and compares them."""
    with gate.tenant(tenant_id, using=OWNER):
        return [drift for projection in _projections for drift in projection.drift(tenant_id)]


def repair(tenant_id: uuid.UUID) -> int:
    """Rebuild every drifted row from the record; returns how many there were."""
    with gate.tenant(tenant_id, using=OWNER):
        return sum(projection.repair(tenant_id) for projection in _projections)
