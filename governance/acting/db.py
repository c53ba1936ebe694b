"""The database functions that identify the actor and open their context."""

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
    """The person who now acts in a tenant."""

    tenant_slug: str
    name: str
    roles: list[str]
    channels: list[str]
    is_superuser: bool


@dataclass(frozen=True, slots=True)
class EnteredPrincipal:
    """The principal on whose behalf the operator acts in a tenant. Without a slug, the tenant does not exist yet."""

    tenant_slug: str | None
    name: str
    roles: list[str]
    channels: list[str]


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """The owner of a key, and the digest of their data. With a `refusal` the other fields are empty."""

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
    must_speak_for: bool


@function
def list_tenants(*, token: str) -> list[NamedTenant]:
    """Every tenant, for the operator's token or a superuser's. No tenant needs to be entered."""


@function
def authenticate(*, digest: bytes) -> KeyOwner:
    """Look up a key by its digest and open its owner's context."""


@function
def enter_person(*, token: str, tenant: UUID) -> list[EnteredPerson]:
    """Open the context of the token's person in a tenant; no row if they have no role there."""


@function
def enter_founder(*, token: str, tenant: UUID) -> list[str]:
    """Let the token's superuser act as the admin of a tenant that they create; returns their name, if allowed."""


@function
def enter_operator(*, token: str, tenant: UUID, kind: str, id: UUID, name: str) -> list[EnteredPrincipal]:
    """Let the operator act in a tenant, also on behalf of an agent or person; no row if they are not active there."""


@function
def mint_operator(*, backend: int, began: datetime) -> str:
    """A token of the operator, over the owner's connection."""


@function
def narrow_channels(*, tenant: UUID, channels: list[str]) -> str:
    """Let the actor read only memory recorded in these channels; answers the context that was open before."""


@function
def speak_for(*, tenant: UUID, principal: str) -> str:
    """Let the actor ask on behalf of a principal, if its key may; answers the context that was open before."""
