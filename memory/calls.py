"""The functions of the database about memory's targets of edits, and about its projections."""

from dataclasses import dataclass
from uuid import UUID

from governance.database.calls import function


@dataclass(frozen=True, slots=True)
class Drift:
    """A row that readers see and that is not what the record makes of it."""

    kind: str
    id: UUID
    problem: str


@function
def state_of_chunk(*, tenant: UUID, chunk: UUID, lock: bool) -> str:
    """A digest of the state that a chunk is in; with `lock` it stays so to the end of the transaction."""


@function
def state_of_decision(*, tenant: UUID, decision: UUID, lock: bool) -> str:
    """A digest of the state that a decision is in; with `lock` it stays so to the end of the transaction."""


@function
def effective_drift(*, tenant: UUID) -> list[Drift]:
    """Every row of the projection that differs from what the record makes of it. For the owner."""


@function
def repair_effective(*, tenant: UUID) -> int:
    """Rebuild every row that drifted; answers how many. For the owner."""
