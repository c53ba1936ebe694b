"""The functions of the database about tenants, agents, keys, people and their accounts.

Those that change something answer a refusal by its name (governance.acting.changes raises it).
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
    """`granted` are the roles that the person did not hold before."""

    tenant: UUID | None
    granted: list[str] | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class ChangedAccount:
    """`tenants` are those whose ledgers must say so; empty with a refusal."""

    tenants: list[UUID]
    refusal: str | None


@dataclass(frozen=True, slots=True)
class ChangedFactor:
    """`tenants` are those whose ledgers must say so."""

    was_done: bool
    tenants: list[UUID]


@function
def list_memberships(*, token: str) -> list[HeldRole]:
    """The roles of the token's person, by the tenant's slug. Needs no tenant."""


@function
def found_tenant(*, tenant: UUID, slug: str) -> None:
    """Make the tenant of the context, which is not there yet."""


@function
def change_tenant(
    *,
    tenant: UUID,
    pending_edit_days: int | None,
    default_sensitivities: str | None,
    search_language: str | None,
    hybrid_alpha: float | None,
    ephemeral_hours: int | None,
) -> ChangedTenant:
    """Change the settings that are not None; `default_sensitivities` is a JSON object."""


@function
def create_agent(*, tenant: UUID, slug: str, channels: list[str]) -> UUID:
    """Make an agent that speaks in `channels`; answers its id."""


@function
def set_agent_active(*, tenant: UUID, agent: UUID, active: bool) -> str | None:
    """Activate or deactivate an agent; answers the refusal."""


@function
def set_quarantine_reader(*, tenant: UUID, agent: UUID, allowed: bool) -> str | None:
    """Allow an agent to read quarantined memory, or not any more; answers the refusal."""


@function
def issue_key(
    *, tenant: UUID, agent: UUID | None, user: UUID | None, prefix: str, digest: bytes, expires_at: datetime | None
) -> ChangedKey:
    """Keep a new key of an agent or of a person."""


@function
def revoke_key(*, tenant: UUID, prefix: str) -> ChangedKey:
    """Revoke a key, found by its prefix."""


@function
def invite_person(*, tenant: UUID, name: str, roles: list[str]) -> MadeInvitation:
    """Invite the owner of an account to roles in the tenant."""


@function
def withdraw_invitation(*, tenant: UUID, invitation: UUID) -> str | None:
    """Withdraw an invitation that waits for its answer; answers the refusal."""


@function
def list_invitations(*, token: str) -> list[OpenInvitation]:
    """The invitations that the token's person can accept. Needs no tenant."""


@function
def answer_invitation(*, token: str, invitation: UUID, accepts: bool) -> AnsweredInvitation:
    """Accept or decline an invitation of the token's person."""


@function
def make_account(*, tenant: UUID, name: str, password: str, one_time_until: datetime | None) -> UUID:
    """Make an account, with the hash of its password; answers the person's id."""


@function
def grant_role(*, tenant: UUID, user: UUID, role: str) -> GrantedRole:
    """Give a person a role, also one that was withdrawn."""


@function
def withdraw_role(*, tenant: UUID, user: UUID, role: str) -> str | None:
    """Take a role from a person; answers the refusal."""


@function
def set_account_active(*, tenant: UUID, user: UUID, active: bool) -> ChangedAccount:
    """Activate or deactivate an account on the whole server."""


@function
def give_password(*, tenant: UUID, user: UUID, password: str, until: datetime | None) -> ChangedAccount:
    """Give somebody else a password, by its hash, that is good until then."""


@function
def remove_second_factor(*, tenant: UUID, user: UUID) -> ChangedAccount:
    """Switch off the second factor of somebody else."""


@function
def set_own_password(*, token: str, password: str, is_new: bool) -> None:
    """Keep the hash of the password of the person whose token it is: of a new one, or another hash of the old."""


@function
def begin_second_factor(*, token: str, key: str) -> bool:
    """Keep a new secret, which waits for its first code; False where logging in asks for a code already."""


@function
def confirm_second_factor(*, token: str, codes: list[str]) -> ChangedFactor:
    """Switch the second factor on, with recovery codes."""


@function
def renew_recovery_codes(*, token: str, codes: list[str]) -> None:
    """Put recovery codes in place of the old ones."""


@function
def turn_off_second_factor(*, token: str) -> ChangedFactor:
    """Let the person log in with the password alone."""
