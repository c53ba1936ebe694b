"""The database functions about relations, implied relations and audience rules.

Those that change something return the name of a refusal, which governance.acting.changes raises; the
other columns of their row are then NULL.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class AddedRelation:
    """`begins`: from when it is valid."""

    relation_id: UUID
    begins: datetime
    refusal: str | None


@dataclass(frozen=True, slots=True)
class RevokedRelation:
    principal: str
    relation: str
    object: str
    refusal: str | None


@dataclass(frozen=True, slots=True)
class AddedImpliedRelation:
    implied_id: UUID
    refusal: str | None


@dataclass(frozen=True, slots=True)
class RemovedImpliedRelation:
    object_type: str
    relation: str
    implies: str
    refusal: str | None


@function
def add_relation(
    *,
    tenant: UUID,
    principal: str,
    relation: str,
    object: str,
    valid_from: datetime | None,
    valid_until: datetime | None,
    reason: str,
) -> AddedRelation:
    """Record a relation from one time (None: now) until another (None: no end)."""


@function
def revoke_relation(*, tenant: UUID, relation: UUID, reason: str) -> RevokedRelation:
    """End a relation now; returns what it said."""


@function
def add_implied_relation(*, tenant: UUID, object_type: str, relation: str, implies: str) -> AddedImpliedRelation:
    """Let a relation to objects of a type imply another one."""


@function
def remove_implied_relation(*, tenant: UUID, implied: UUID) -> RemovedImpliedRelation:
    """Remove an implied relation; returns what it said."""


@function
def types_in_use(*, tenant: UUID) -> list[str]:
    """The types of principals, objects and subjects that the tenant has used."""


@function
def relations_in_use(*, tenant: UUID) -> list[str]:
    """The names of relations that the tenant has used."""


@dataclass(frozen=True, slots=True)
class SetRule:
    """`usersets`: sorted, each once."""

    rule_id: UUID
    usersets: list[str]
    refusal: str | None


@dataclass(frozen=True, slots=True)
class RemovedRule:
    subject_type: str
    tag: str
    kind: str
    usersets: list[str]
    refusal: str | None


@function
def set_audience_rule(
    *, tenant: UUID, subject_type: str, tag: str, kind: str, usersets: list[str], reason: str
) -> SetRule:
    """Set the audience of new records that match and name none; replaces the rule for the same conditions."""


@function
def remove_audience_rule(*, tenant: UUID, rule: UUID) -> RemovedRule:
    """Remove an audience rule; returns what it said."""


@dataclass(frozen=True, slots=True)
class WeighedUserset:
    """Whether no audience has a userset yet, and whether the actor has it."""

    userset: str
    is_new: bool
    is_own: bool


@function
def weigh_usersets(*, tenant: UUID, usersets: list[str]) -> list[WeighedUserset]:
    """Weigh usersets of audiences that are about to be recorded."""
