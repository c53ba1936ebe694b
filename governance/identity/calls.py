"""The functions of the database about tenants, keys and memberships."""

from dataclasses import dataclass
from uuid import UUID

from governance.database.calls import function


@dataclass(frozen=True, slots=True)
class NamedTenant:
    id: UUID
    slug: str


@dataclass(frozen=True, slots=True)
class HeldRole:
    """One role of a user in one tenant."""

    tenant_id: UUID
    tenant_slug: str
    role: str


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """Whose a key is. With a `refusal` nothing else is said."""

    tenant_id: UUID
    tenant_slug: str
    key_id: UUID
    kind: str
    id: UUID
    name: str
    channels: list[str]
    roles: list[str]
    refusal: str | None


@function
def list_tenants(*, token: str) -> list[NamedTenant]:
    """Every tenant, for the operator, a job or a superuser, by their token. Needs no context."""


@function
def list_memberships(*, token: str) -> list[HeldRole]:
    """The roles of the person whose token it is, where user and membership are active, by the tenant's slug. Needs no
    context."""


@function
def tenants_opened_by(*, tenant: UUID, user: UUID) -> list[UUID]:
    """The tenants where a user has a role: none while their account is not active."""


@function
def authenticate(*, digest: bytes) -> KeyOwner:
    """Look up a key by its digest, and let its owner act in this transaction."""
