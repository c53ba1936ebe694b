"""Tenants, agents, people and their keys: made, extended, revoked; each with its ledger entry."""

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
from governance.refusals import Conflict, Invalid, NotFound
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


@dataclass
class Provisioned:
    """What `provision` made: secrets appear once, here, and nowhere else."""

    tenant: str
    agents: dict[str, dict[str, str]] = field(default_factory=dict)
    users: dict[str, dict[str, str]] = field(default_factory=dict)


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
    """Make a key for an agent or a user in the actor's tenant and return it; it is stored as its hash only."""
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
    """Revoke a key from this moment. Raises NoSuchKey, KeyAlreadyRevoked."""
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


def rotate_key(prefix: str, *, actor: Principal) -> str:
    """Revoke a key and issue its owner a new one, with the same expiry; returns the new key."""
    old = revoke_key(prefix, actor=actor)
    return issue_key(actor=actor, agent=old.agent, user=old.user, expires_at=old.expires_at)


def create_agent(slug: str, channels: Sequence[str], *, actor: Principal) -> Agent:
    """Make an agent that speaks in `channels` (all, when empty). Raises InvalidName, UnknownChannel."""
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


def grant_role(user: User, role: str, *, actor: Principal) -> bool:
    """Give a user a role in the actor's tenant; False when they hold it already."""
    _, created = Membership.objects.get_or_create(tenant_id=actor.tenant_id, user=user, role=role)
    if created:
        ledger.record("role.granted", actor=actor, metadata={"user": str(user.id), "role": role})
    return created


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
            password = secrets.token_urlsafe(12)
            user = User.objects.create_user(name, password=password, is_staff=True)
            secrets_made["password"] = password
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
