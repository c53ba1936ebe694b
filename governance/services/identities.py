"""Tenants, agents, people and their keys: made, changed, ended; each with its ledger entry."""

import re
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from governance import gate
from governance.models import Agent, ApiKey, Channel, Membership, Tenant, User, new_id
from governance.models.people import all_channels
from governance.principals import Principal, system
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint
from governance.services import ledger, policies

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")


class InvalidName(Invalid):
    """A name is 1 to 50 of a-z, 0-9, - and _, and starts with a letter or digit."""


class UnknownChannel(Invalid):
    """The channels are private, public, team and agent."""


class NoSuchTenant(NotFound):
    """There is no tenant of this name."""


class NoSuchKey(NotFound):
    """There is no key of this prefix in the tenant."""


class KeyAlreadyRevoked(Conflict):
    """This key is revoked already."""


class ManagedByAdmins(Forbidden):
    """Only an admin of the tenant manages its agents, keys, roles and settings."""


class AgentExists(Conflict):
    """There is an agent of this name already; a deactivated one can be activated again."""


class AgentInactive(Conflict):
    """This agent is not active. Activate it first."""


class AlreadySo(Conflict):
    """Nothing to change: it is so already."""


class KeyOfAnother(Forbidden):
    """A person's key acts as that person: nobody else is given one. They make it themselves."""


class OwnRole(Forbidden):
    """Nobody changes their own roles. Ask another admin."""


class NoRole(Invalid):
    """Choose a role: without one nobody gets in."""


class NameIsKnown(Conflict):
    """A person of this name is on this server already. If it is them, say so: they keep their password."""


class NoSuchPerson(NotFound):
    """Nobody on this server has this name."""


class PersonInactive(Conflict):
    """This person's account was deactivated."""


class NotAMember(NotFound):
    """There is no such person with a role in this tenant."""


class LastAdmin(Conflict):
    """The tenant's last admin stays. Make somebody else an admin first."""


class DaysOutOfRange(Invalid):
    """A pending edit expires after 1 to 3650 days."""


register_constraint("agent_slug", AgentExists)
register_constraint("governance_user_username_key", NameIsKnown)

PENDING_DAYS = range(1, 3651)


@dataclass
class Provisioned:
    """What `provision` made: secrets appear once, here, and nowhere else."""

    tenant: str
    agents: dict[str, dict[str, str]] = field(default_factory=dict)
    users: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Added:
    """Who was added. `password` is good until its owner chooses another; empty for a person who had one."""

    user: User
    password: str = ""


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidName(f"{name!r}: {InvalidName.__doc__}")
    return name


def tenant_id_of(slug: str) -> uuid.UUID:
    """The id of a tenant by its slug. Raises NoSuchTenant."""
    try:
        return gate.tenants()[slug]
    except KeyError:
        raise NoSuchTenant(f"There is no tenant {slug!r}. `manage.py provision {slug}` makes it.") from None


def issue_key(
    *,
    actor: Principal,
    agent: Agent | None = None,
    user: User | None = None,
    expires_at: datetime | None = None,
) -> str:
    """Make a key for an agent or a user in the actor's tenant and return it; it is stored as its hash only.

    A person's key is made by themselves, or by the operator. Raises ManagedByAdmins, AgentInactive, KeyOfAnother.
    """
    _require_manager(actor)
    if agent is not None and not agent.is_active:
        raise AgentInactive
    if user is not None and actor.kind != "system" and user.id != actor.id:
        raise KeyOfAnother
    prefix = secrets.token_hex(4)
    key = f"sut_{prefix}_{secrets.token_urlsafe(32)}"
    row = ApiKey.objects.create(
        tenant_id=actor.tenant_id,
        agent=agent,
        user=user,
        prefix=prefix,
        digest=gate.digest_of(key),
        expires_at=expires_at,
    )
    owner = agent.slug if agent else user.username if user else ""
    ledger.record("key.issued", actor=actor, metadata={"key": str(row.id), "prefix": prefix, "owner": owner})
    return key


def revoke_key(prefix: str, *, actor: Principal, at: datetime | None = None) -> ApiKey:
    """Revoke a key from this moment. Raises ManagedByAdmins, NoSuchKey, KeyAlreadyRevoked."""
    _require_manager(actor)
    key = ApiKey.objects.filter(tenant_id=actor.tenant_id, prefix=prefix).first()
    if key is None:
        raise NoSuchKey
    changed = ApiKey.objects.filter(tenant_id=actor.tenant_id, id=key.id, revoked_at__isnull=True).update(
        revoked_at=at or timezone.now()
    )
    if not changed:
        raise KeyAlreadyRevoked
    ledger.record("key.revoked", actor=actor, metadata={"key": str(key.id), "prefix": prefix})
    return key


@transaction.atomic
def rotate_key(prefix: str, *, actor: Principal) -> str:
    """Revoke a key and issue its owner a new one, with the same expiry; returns the new key.

    Raises what revoke_key and issue_key raise.
    """
    old = revoke_key(prefix, actor=actor)
    return issue_key(actor=actor, agent=old.agent, user=old.user, expires_at=old.expires_at)


def create_agent(slug: str, channels: Sequence[str], *, actor: Principal) -> Agent:
    """Make an agent that speaks in `channels` (all, when empty).

    Raises ManagedByAdmins, InvalidName, UnknownChannel; AgentExists comes from the database (agent_slug).
    """
    _require_manager(actor)
    wanted = list(channels) or all_channels()
    unknown = set(wanted) - set(Channel.values)
    if unknown:
        raise UnknownChannel(f"Unknown channel {sorted(unknown)[0]!r}. {UnknownChannel.__doc__}")
    agent = Agent.objects.create(tenant_id=actor.tenant_id, slug=_checked_name(slug), channels=wanted)
    ledger.record(
        "agent.created",
        actor=actor,
        metadata={"agent": str(agent.id), "slug": slug, "channels": wanted},
    )
    return agent


def deactivate_agent(agent: Agent, *, actor: Principal) -> None:
    """End an agent: its keys are refused from now on, what it recorded stays. Raises ManagedByAdmins, AlreadySo."""
    _set_active(agent, is_active=False, actor=actor)


def activate_agent(agent: Agent, *, actor: Principal) -> None:
    """Let a deactivated agent act again, with the keys that it has. Raises ManagedByAdmins, AlreadySo."""
    _set_active(agent, is_active=True, actor=actor)


@transaction.atomic
def _set_active(agent: Agent, *, is_active: bool, actor: Principal) -> None:
    _require_manager(actor)
    rows = Agent.objects.filter(tenant_id=actor.tenant_id, id=agent.id).exclude(is_active=is_active)
    if not rows.update(is_active=is_active):
        raise AlreadySo
    ledger.record(
        "agent.activated" if is_active else "agent.deactivated",
        actor=actor,
        metadata={"agent": str(agent.id), "slug": agent.slug},
    )


@transaction.atomic
def grant_role(user: User, role: str, *, actor: Principal) -> bool:
    """Give a user a role in the actor's tenant, also one that was withdrawn; False when they hold it already.

    Raises ManagedByAdmins, OwnRole.
    """
    _require_manager(actor)
    if user.id == actor.id:
        raise OwnRole
    membership, created = Membership.objects.get_or_create(tenant_id=actor.tenant_id, user=user, role=role)
    rows = Membership.objects.filter(tenant_id=actor.tenant_id, id=membership.id, is_active=False)
    granted = created or bool(rows.update(is_active=True))
    if granted:
        ledger.record("role.granted", actor=actor, metadata={"user": str(user.id), "role": role})
    return granted


@transaction.atomic
def add_person(name: str, roles: Sequence[str], *, is_known: bool, actor: Principal) -> Added:
    """Give somebody roles in the actor's tenant. `is_known` says that they have an account on this server, which other
    tenants may share; else one is made, with a password to be changed at the first login.

    Raises ManagedByAdmins, NoRole, InvalidName, NoSuchPerson, NameIsKnown, PersonInactive, OwnRole, AlreadySo.
    """
    _require_manager(actor)
    if not roles:
        raise NoRole
    user = User.objects.filter(username=_checked_name(name)).first()
    password = ""
    if user is None:
        if is_known:
            raise NoSuchPerson
        user, password = _make_person(name, has_one_time_password=True)
        ledger.record("person.added", actor=actor, metadata={"user": str(user.id), "name": name})
    elif not is_known:
        raise NameIsKnown
    elif not user.is_active:
        raise PersonInactive
    granted = [role for role in roles if grant_role(user, role, actor=actor)]
    if not granted:
        raise AlreadySo
    return Added(user, password)


def _make_person(name: str, *, has_one_time_password: bool) -> tuple[User, str]:
    """An account with a password of ours, which is returned."""
    password = secrets.token_urlsafe(12)
    user = User.objects.create_user(name, password=password, is_staff=True, has_one_time_password=has_one_time_password)
    return user, password


@transaction.atomic
def withdraw_role(user: User, role: str, *, actor: Principal) -> None:
    """Take a role from a member, from their next request on. Raises ManagedByAdmins, OwnRole, NotAMember, LastAdmin."""
    _require_manager(actor)
    if user.id == actor.id:
        raise OwnRole
    held = Membership.objects.filter(tenant_id=actor.tenant_id, role=role, is_active=True)
    # Two admins who withdraw each other wait here: the second finds itself no more, and only one left.
    holders = set(held.select_for_update().order_by("id").values_list("user_id", flat=True))
    if user.id not in holders:
        raise NotAMember
    if role == Membership.Role.ADMIN and not User.objects.filter(id__in=holders - {user.id}, is_active=True).exists():
        raise LastAdmin
    held.filter(user=user).update(is_active=False)
    ledger.record("role.withdrawn", actor=actor, metadata={"user": str(user.id), "role": role})


@transaction.atomic
def change_tenant(*, pending_edit_days: int, actor: Principal) -> None:
    """Change after how many days a pending edit expires. Raises ManagedByAdmins, DaysOutOfRange, AlreadySo."""
    _require_manager(actor)
    if pending_edit_days not in PENDING_DAYS:
        raise DaysOutOfRange
    tenant = Tenant.objects.select_for_update().get(id=actor.tenant_id)
    if tenant.pending_edit_days == pending_edit_days:
        raise AlreadySo
    Tenant.objects.filter(id=tenant.id).update(pending_edit_days=pending_edit_days)
    ledger.record(
        "tenant.changed",
        actor=actor,
        metadata={"pending_edit_days": pending_edit_days, "before": tenant.pending_edit_days},
    )


def note_entered(*, actor: Principal) -> None:
    """Record that somebody without a role of their own looks into the actor's tenant."""
    ledger.record("tenant.entered", actor=actor, metadata={"user": str(actor.id)})


@transaction.atomic
def provision(
    slug: str,
    *,
    agents: Sequence[tuple[str, Sequence[str]]] = (),
    people: Sequence[tuple[str, str]] = (),
    policy: str | None = None,
) -> Provisioned:
    """Create or extend a tenant: `agents` are (slug, channels), `people` (username, role).

    Idempotent: what exists stays, and only what was made now appears with its key and password. A username is one
    person on this server; naming one who exists gives them the role here, and a key if they were new to the tenant.
    """
    _checked_name(slug)
    tenant_id = gate.tenants().get(slug)
    is_new = tenant_id is None
    if tenant_id is None:
        tenant_id = new_id()
    gate.enter(tenant_id)
    actor = system(tenant_id, "provision")
    if is_new:
        Tenant.objects.create(id=tenant_id, slug=slug)
        ledger.record("tenant.created", actor=actor, metadata={"slug": slug})
    if is_new or policy is not None:
        policies.use_preset(tenant_id, policy or "standard", actor=actor)
    made = Provisioned(tenant=slug)
    for name, channels in agents:
        if not Agent.objects.filter(tenant_id=tenant_id, slug=name).exists():
            agent = create_agent(name, channels, actor=actor)
            made.agents[name] = {"key": issue_key(actor=actor, agent=agent)}
    for name, role in people:
        user = User.objects.filter(username=_checked_name(name)).first()
        secrets_made: dict[str, str] = {}
        if user is None:
            user, secrets_made["password"] = _make_person(name, has_one_time_password=False)
        known_here = Membership.objects.filter(tenant_id=tenant_id, user=user).exists()
        grant_role(user, role, actor=actor)
        if not known_here:
            secrets_made = {"key": issue_key(actor=actor, user=user), **secrets_made}
        if secrets_made:
            made.users.setdefault(name, {}).update(secrets_made)
    return made


def list_keys(tenant_id: uuid.UUID) -> list[ApiKey]:
    """Every key of the tenant with its owner, newest first; call within the tenant."""
    keys = ApiKey.objects.filter(Q(tenant_id=tenant_id)).select_related("agent", "user")
    return list(keys.order_by("-created_at"))


def _require_manager(actor: Principal) -> None:
    if not actor.may_manage:
        raise ManagedByAdmins
