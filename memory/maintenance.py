"""Comparing the projections with the record, as the owner role: the web role has no permission for these functions.

The folds follow the states of the edits, so these are compared first, with the ledger that proves them.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from governance.acting import gate
from governance.edits import restoring, state_checks
from governance.edits.restoring import NotProven
from governance.ledger import comparisons
from memory import db
from memory.curation import state_checks as supersessions
from memory.db import Drift
from memory.embedding import db as embeddings
from suture_verify.findings import Findings

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Projection:
    """One app's projection: `drift` compares it with the record, `repair` rebuilds the rows that differ and returns how
    many there were. Both take a tenant id and use the owner's connection."""

    drift: Callable[[uuid.UUID], list[Drift]]
    repair: Callable[[uuid.UUID], int]


_projections = [
    Projection(
        lambda tenant_id: db.effective_drift.on(OWNER)(tenant=tenant_id),
        lambda tenant_id: db.repair_effective.on(OWNER)(tenant=tenant_id),
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
    """Every drifted row of the tenant: the rows of edits that differ from what the ledger proves, and the rows of
    projections that differ from the folds of the record, which are computed again."""
    with comparisons.snapshot(tenant_id, Findings()) as comparison:
        edits = [
            Drift("edit", one.edit_id, problem.detail if problem.id == str(one.edit_id) else problem.sentence)
            for one in state_checks.find(comparison)
            for problem in one.problems
        ]
        superseded = [Drift("supersession", id_, detail) for id_, detail in supersessions.find(comparison)]
    with gate.tenant(tenant_id, using=OWNER):
        return edits + superseded + [drift for projection in _projections for drift in projection.drift(tenant_id)]


def repair(tenant_id: uuid.UUID) -> int:
    """Restore the states of edits from the ledger, and then rebuild every drifted row from the record; returns how many
    there were.

    Raises NotProven if the ledger does not prove the state of an edit, or a supersession: then the projections stay as
    they are, since they depend on it. Raises what restoring.restore raises.
    """
    restored = restoring.restore(tenant_id)
    with comparisons.snapshot(tenant_id, Findings()) as comparison:
        if unexplained := dict(supersessions.find(comparison)):
            raise NotProven("supersession", unexplained)
    with gate.tenant(tenant_id, using=OWNER):
        return restored + sum(projection.repair(tenant_id) for projection in _projections)
