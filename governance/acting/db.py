"""The functions of the database that say who acts, and open their context."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class NamedTenant:
    id: UUID
    slug: str


@dataclass(frozen=True, slots=True)
class EnteredPerson:
    """A person who acts in a tenant from now on."""

    tenant_slug: str
    name: str
    roles: list[str]
    channels: list[str]
    is_superuser: bool


@dataclass(frozen=True, slots=True)
class EnteredPrincipal:
    """For whom the operator acts in a tenant from now on. Without a slug, the tenant is yet to be made."""

    tenant_slug: str | None
    name: str
    roles: list[str]
    channels: list[str]


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """Whose a key is, and the digest of what is said of them. With a `refusal` nothing else is said."""

    tenant_id: UUID
    tenant_slug: str
    key_id: UUID
    kind: str
    id: UUID
    name: str
    channels: list[str]
    roles: list[str]
    refusal: str | None
    fingerprint: bytes


@function
def list_tenants(*, token: str) -> list[NamedTenant]:
    """Every tenant, for the operator's token and a superuser's. Needs none to be entered."""


@function
def authenticate(*, digest: bytes) -> KeyOwner:
    """Look up a key by its digest and let its owner act."""


@function
def enter_person(*, token: str, tenant: UUID) -> list[EnteredPerson]:
    """Let the token's person act in a tenant; no row where they hold no role."""


@function
def enter_founder(*, token: str, tenant: UUID) -> list[str]:
    """Let the token's superuser act as the admin of a tenant that they make; answers their name, if they may."""


@function
def enter_operator(*, token: str, tenant: UUID, kind: str, id: UUID, name: str) -> list[EnteredPrincipal]:
    """Let the operator act in a tenant, also for an agent or a person; no row for one who is not active there."""


@function
def mint_operator(*, backend: int, began: datetime) -> str:
    """A token of the operator, over the owner's connection."""


@function
def narrow_channels(*, tenant: UUID, channels: list[str]) -> str:
    """Let the actor read only memory recorded in these channels; answers the context that was open before."""
