"""The database functions about tenants, agents, keys, people and their accounts.

Those that change something return the name of a refusal, which governance.acting.changes raises.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class HeldRole:
    """One role of a user in one tenant."""

    tenant_id: UUID
    tenant_slug: str
    role: str


@dataclass(frozen=True, slots=True)
class ChangedTenant:
    """All settings before and after, as JSON."""

    before: str | None
    after: str | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class ChangedKey:
    key_id: UUID | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class GrantedRole:
    was_granted: bool
    refusal: str | None


@dataclass(frozen=True, slots=True)
class MadeInvitation:
    invitation_id: UUID | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    """An invitation that its person can accept."""

    id: UUID
    tenant_id: UUID
    tenant_slug: str
    roles: list[str]
    inviter: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class AnsweredInvitation:
    """`granted` are the roles that the person did not have before."""

    tenant: UUID | None
    granted: list[str] | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class ChangedAccount:
    """`tenants` are those whose ledgers need an entry; empty with a refusal."""

    tenants: list[UUID]
    refusal: str | None


@dataclass(frozen=True, slots=True)
class ChangedFactor:
    """`tenants` are those whose ledgers need an entry."""

    was_done: bool
    tenants: list[UUID]


@function
def list_memberships(*, token: str) -> list[HeldRole]:
    """The roles of the token's person, by the tenant's slug. Needs no tenant."""


@function
def found_tenant(*, tenant: UUID, slug: str) -> None:
    """Create the tenant of the context."""


@function
def change_tenant(
    *,
    tenant: UUID,
    pending_edit_days: int | None,
    default_sensitivities: str | None,
    search_language: str | None,
    hybrid_alpha: float | None,
    ephemeral_hours: int | None,
    agent_edits_per_hour: int | None,
    agent_pending_edits: int | None,
) -> ChangedTenant:
    """Change the settings that are not None; `default_sensitivities` is a JSON object."""


@function
def create_agent(*, tenant: UUID, slug: str, channels: list[str]) -> UUID:
    """Create an agent that uses `channels`; returns its id."""


@function
def set_agent_active(*, tenant: UUID, agent: UUID, active: bool) -> str | None:
    """Activate or deactivate an agent; returns the refusal."""


@function
def set_quarantine_reader(*, tenant: UUID, agent: UUID, allowed: bool) -> str | None:
    """Allow or forbid an agent to read quarantined memory; returns the refusal."""


@function
def issue_key(
    *,
    tenant: UUID,
    agent: UUID | None,
    user: UUID | None,
    prefix: str,
    digest: bytes,
    expires_at: datetime | None,
    speaks_for: list[str],
    must_speak_for: bool,
) -> ChangedKey:
    """Store a new key of an agent or a person, whose requests may or must speak for these principals."""


@function
def revoke_key(*, tenant: UUID, prefix: str) -> ChangedKey:
    """Revoke a key, found by its prefix."""


@function
def invite_person(*, tenant: UUID, name: str, roles: list[str]) -> MadeInvitation:
    """Invite the owner of an account to roles in the tenant."""


@function
def withdraw_invitation(*, tenant: UUID, invitation: UUID) -> str | None:
    """Withdraw a pending invitation; returns the refusal."""


@function
def list_invitations(*, token: str) -> list[OpenInvitation]:
    """The invitations that the token's person can accept. Needs no tenant."""


@function
def answer_invitation(*, token: str, invitation: UUID, accepts: bool) -> AnsweredInvitation:
    """Accept or decline an invitation of the token's person."""


@function
def make_account(*, tenant: UUID, name: str, password: str, one_time_until: datetime | None) -> UUID:
    """Create an account with the hash of its password; returns the person's id."""


@function
def grant_role(*, tenant: UUID, user: UUID, role: str) -> GrantedRole:
    """Grant a person a role, also one that was withdrawn before."""


@function
def withdraw_role(*, tenant: UUID, user: UUID, role: str) -> str | None:
    """Withdraw a role from a person; returns the refusal."""


@function
def set_account_active(*, tenant: UUID, user: UUID, active: bool) -> ChangedAccount:
    """Activate or deactivate an account on the whole server."""


@function
def give_password(*, tenant: UUID, user: UUID, password: str, until: datetime | None) -> ChangedAccount:
    """Set the password hash of another person, valid until then."""


@function
def remove_second_factor(*, tenant: UUID, user: UUID) -> ChangedAccount:
    """Turn off the second factor of another person."""


@function
def set_own_password(*, token: str, password: str, is_new: bool) -> None:
    """Store the password hash of the token's person: of a new password, or a new hash of the same one."""


@function
def begin_second_factor(*, token: str, key: str) -> bool:
    """Store a new secret, unconfirmed until its first code; False if the second factor is already on."""


@function
def confirm_second_factor(*, token: str, codes: list[str]) -> ChangedFactor:
    """Turn on the second factor, with recovery codes."""


@function
def renew_recovery_codes(*, token: str, codes: list[str]) -> None:
    """Replace the recovery codes."""


@function
def turn_off_second_factor(*, token: str) -> ChangedFactor:
    """Turn off the second factor."""
