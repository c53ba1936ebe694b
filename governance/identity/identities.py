"""Create and change tenants, people and keys; each change has a ledger entry."""

import contextlib
import json
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from governance.acting import gate
from governance.acting.changes import change
from governance.acting.credentials import FounderCredential, PersonCredential, system
from governance.acting.principals import Principal
from governance.edits import policies
from governance.identity import db, speaking, superusers
from governance.identity.agents import NoSuchAgent, create_agent, set_quarantine_reader
from governance.identity.changes import person_fields
from governance.identity.names import checked_name
from governance.identity.people import (
    Added,
    NotAMember,
    NothingToChange,
    PersonInactive,
    add_person,
    grant_role,
    make_account,
    withdraw_role,
)
from governance.ledger import appending, fingerprints
from governance.models import Agent, ApiKey, Membership, User, new_id
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint


class NoSuchTenant(NotFound):
    """There is no tenant with this name."""


class TenantExists(Conflict):
    """A tenant with this name already exists. Nothing was created."""


class NameIsKnown(Conflict):
    """A person with this username already has an account on this server. If you mean this person, select that they have
    an account. They keep their password."""


class NoSuchPerson(NotFound):
    """No person on this server has this username."""


class MadeBySuperusers(Forbidden):
    """Only a superuser can create a tenant."""


class NoSuchKey(NotFound):
    """The tenant has no key with this prefix."""


class KeyAlreadyRevoked(Conflict):
    """This key is already revoked."""


class KeyOfAnother(Forbidden):
    """Only this person can create a key for themselves, because the key acts as them."""


class DaysOutOfRange(Invalid):
    """A pending edit expires after 1 to 3650 days."""


class UnknownDefaultSensitivity(Invalid):
    """A default sensitivity needs a channel (private, public, team or agent) and a sensitivity (none, low, high or
    secret)."""


class UnknownSearchLanguage(Invalid):
    """The search language must have a text search configuration in PostgreSQL, such as english, german, spanish or
    arabic. For any other language, use simple."""


class EphemeralHoursOutOfRange(Invalid):
    """Ephemeral memory expires after 1 to 87,600 hours."""


class AgentLimitOutOfRange(Invalid):
    """The limits of an agent's edits are numbers from 0 to 100,000."""


class AlphaOutOfRange(Invalid):
    """The weight of meaning in a search is a number from 0 (words alone) to 1 (meaning alone)."""


register_constraint("governance_tenant_slug_key", TenantExists)
register_constraint("key_of_another", KeyOfAnother)
register_constraint("no_such_key", NoSuchKey)
register_constraint("key_already_revoked", KeyAlreadyRevoked)
register_constraint("days_out_of_range", DaysOutOfRange)
register_constraint("unknown_default_sensitivity", UnknownDefaultSensitivity)
register_constraint("unknown_search_language", UnknownSearchLanguage)
register_constraint("alpha_out_of_range", AlphaOutOfRange)
register_constraint("agent_limit_out_of_range", AgentLimitOutOfRange)
register_constraint("ephemeral_hours_out_of_range", EphemeralHoursOutOfRange)

#: Allowed days until a pending edit expires; change_tenant() in the database has the last word.
PENDING_DAYS = range(1, 3651)
#: Allowed hours until ephemeral memory of an agent expires: at most ten years.
EPHEMERAL_HOURS = range(1, 87_601)
#: Allowed limits of the edits of an agent.
AGENT_LIMIT = range(100_001)


@dataclass
class Provisioned:
    """The result of `provision`: secrets appear once, only here."""

    tenant: str
    agents: dict[str, dict[str, str]] = field(default_factory=dict)
    users: dict[str, dict[str, str]] = field(default_factory=dict)


def tenant_id_of(slug: str) -> uuid.UUID:
    """The id of a tenant by its slug. Raises NoSuchTenant."""
    try:
        return gate.tenants()[slug]
    except KeyError:
        raise NoSuchTenant(f"There is no tenant {slug!r}. To create it, run `manage.py provision {slug}`.") from None


@transaction.atomic
def issue_key(
    *,
    actor: Principal,
    agent: Agent | None = None,
    user: User | None = None,
    expires_at: datetime | None = None,
    speaks_for: Sequence[str] = (),
    must_speak_for: bool = False,
) -> str:
    """Create a key for an agent or a user in the actor's tenant and return it; only its hash is stored.

    Its requests may name the principals `speaks_for` (`*`, `type:*` or `type:id`), and have to name one if
    `must_speak_for`. Only the person or the operator can create a person's key. Raises ManagedByAdmins, AgentInactive,
    KeyOfAnother, MalformedSpeaksFor, MustSpeakForSome.
    """
    actor.require_manager()
    patterns = speaking.checked(speaks_for, must_speak_for=must_speak_for)
    prefix = secrets.token_hex(4)
    key = f"sut_{prefix}_{secrets.token_urlsafe(32)}"
    digest = gate.digest_of(key)
    of_agent, of_user = agent and agent.id, user and user.id
    issued = change(
        db.issue_key,
        actor=actor,
        agent=of_agent,
        user=of_user,
        prefix=prefix,
        digest=digest,
        expires_at=expires_at,
        speaks_for=patterns,
        must_speak_for=must_speak_for,
    )
    owner: dict[str, Any] = {"agent": str(agent.id), "owner": agent.slug} if agent else {}
    if user is not None:
        owner = {"user": str(user.id), "owner": user.username}
    metadata = {"key": str(issued.key_id), "prefix": prefix, "digest": digest.hex(), **owner}
    if expires_at is not None:
        metadata["expires_at"] = expires_at.isoformat()
    if patterns:
        metadata |= {"speaks_for": patterns, "must_speak_for": must_speak_for}
    appending.record("key.issued", actor=actor, metadata=metadata)
    return key


@transaction.atomic
def revoke_key(prefix: str, *, actor: Principal) -> ApiKey:
    """Revoke a key. Raises ManagedByAdmins, NoSuchKey, KeyAlreadyRevoked."""
    actor.require_manager()
    revoked = change(db.revoke_key, actor=actor, prefix=prefix)
    appending.record("key.revoked", actor=actor, metadata={"key": str(revoked.key_id), "prefix": prefix})
    return ApiKey.objects.get(tenant_id=actor.tenant_id, prefix=prefix)


@transaction.atomic
def rotate_key(prefix: str, *, actor: Principal, expires_at: datetime | None = None) -> str:
    """Revoke a key and issue its owner a new one, which speaks for the same principals and has the same expiry unless
    `expires_at` is given; returns the new key.

    Raises the same as revoke_key and issue_key.
    """
    old = revoke_key(prefix, actor=actor)
    return issue_key(
        actor=actor,
        agent=old.agent,
        user=old.user,
        expires_at=expires_at or old.expires_at,
        speaks_for=old.speaks_for,
        must_speak_for=old.must_speak_for,
    )


@transaction.atomic
def remove_person(user: User, *, actor: Principal) -> None:
    """Withdraw every role of a member in the actor's tenant, and revoke their keys of it permanently. Their account
    stays, and can be added again. Raises ManagedByAdmins, OwnRole, NotAMember, LastAdmin.
    """
    actor.require_manager()
    held = Membership.objects.filter(tenant_id=actor.tenant_id, user=user, is_active=True)
    roles = list(held.order_by("role").values_list("role", flat=True))
    if not roles:
        raise NotAMember
    for role in roles:
        withdraw_role(user, role, actor=actor)
    keys = ApiKey.objects.filter(tenant_id=actor.tenant_id, user=user, revoked_at__isnull=True)
    for prefix in list(keys.order_by("created_at").values_list("prefix", flat=True)):
        revoke_key(prefix, actor=actor)
    appending.record("person.removed", actor=actor, metadata=person_fields(user))


@transaction.atomic
def change_tenant(
    *,
    actor: Principal,
    pending_edit_days: int | None = None,
    default_sensitivities: Mapping[str, str] | None = None,
    search_language: str | None = None,
    hybrid_alpha: float | None = None,
    ephemeral_hours: int | None = None,
    agent_edits_per_hour: int | None = None,
    agent_pending_edits: int | None = None,
) -> None:
    """Change settings of the tenant; None leaves a setting unchanged.

    `pending_edit_days`: days until a pending edit expires. `default_sensitivities`: the default sensitivity of new
    records, by channel; other channels stay unchanged. `search_language`: the language of the words, one of
    SearchLanguage; a job reindexes existing records. `hybrid_alpha`: the weight of meaning in a search, from 0 to 1.
    `ephemeral_hours`: hours until ephemeral memory that an agent commits expires. `agent_edits_per_hour`: how many
    edits of others' memory an agent makes at once in an hour. `agent_pending_edits`: how many of its edits may be
    pending. Raises ManagedByAdmins, DaysOutOfRange, UnknownDefaultSensitivity, UnknownSearchLanguage, AlphaOutOfRange,
    EphemeralHoursOutOfRange, AgentLimitOutOfRange, NothingToChange.
    """
    actor.require_manager()
    changed = change(
        db.change_tenant,
        actor=actor,
        pending_edit_days=pending_edit_days,
        default_sensitivities=None if default_sensitivities is None else json.dumps(dict(default_sensitivities)),
        search_language=search_language,
        hybrid_alpha=hybrid_alpha,
        ephemeral_hours=ephemeral_hours,
        agent_edits_per_hour=agent_edits_per_hour,
        agent_pending_edits=agent_pending_edits,
    )
    settings, before = json.loads(changed.after or "{}"), json.loads(changed.before or "{}")
    appending.record("tenant.changed", actor=actor, metadata={**settings, "before": before})


def record_entered(*, actor: Principal) -> None:
    """Record that a superuser without a role in the actor's tenant enters it."""
    appending.record("tenant.entered", actor=actor, metadata={"user": str(actor.id)})


@transaction.atomic
def make_tenant(slug: str, *, policy: str, admin: str, is_known: bool, actor: User) -> Added:
    """Create a tenant with a policy preset and a first admin, who may be the superuser that creates it. `is_known`
    says that the admin has an account: then they need not accept, since superusers manage every account of the server.
    Its ledger names the superuser, who has no role in it.

    Raises MadeBySuperusers, InvalidName, TenantExists, UnknownPolicy, NoSuchPerson, NameIsKnown, PersonInactive.
    """
    if not (actor.is_superuser and actor.is_active):
        raise MadeBySuperusers
    if checked_name(slug) in gate.tenants(PersonCredential(actor.id)):
        raise TenantExists
    tenant_id = new_id()
    # Until it has an admin, its creator acts as one.
    maker = Principal(
        tenant_id=tenant_id,
        tenant_slug=slug,
        kind="human",
        id=actor.id,
        name=actor.username,
        roles=frozenset({Membership.Role.ADMIN.value}),
        credential=FounderCredential(actor.id),
    )
    before = gate.acting_in()
    gate.act_as(maker)
    _found_tenant(slug, policy, actor=maker)
    added = _first_admin(admin, is_known=is_known, maker=maker)
    if before is not None:
        gate.act_as(before)
    return added


def _first_admin(name: str, *, is_known: bool, maker: Principal) -> Added:
    user = User.objects.filter(username=name).first()
    if not is_known:
        if user is not None:
            raise NameIsKnown
        return add_person(name, [Membership.Role.ADMIN], actor=maker)
    if user is None:
        raise NoSuchPerson
    if not user.is_active:
        raise PersonInactive
    grant_role(user, Membership.Role.ADMIN, actor=maker)
    return Added(user)


def _found_tenant(slug: str, policy: str, *, actor: Principal) -> None:
    change(db.found_tenant, actor=actor, slug=slug)
    appending.record(
        "tenant.created",
        actor=actor,
        metadata={"slug": slug, "superusers": superusers.superuser_ids()},
    )
    fingerprints.record_in_new_tenant(actor=actor)
    policies.use_preset(actor.tenant_id, policy, actor=actor)


@transaction.atomic
def provision(
    slug: str,
    *,
    agents: Sequence[tuple[str, Sequence[str]]] = (),
    people: Sequence[tuple[str, str]] = (),
    quarantine_readers: Sequence[str] = (),
    policy: str | None = None,
    default_sensitivities: Mapping[str, str] | None = None,
    search_language: str | None = None,
    hybrid_alpha: float | None = None,
    ephemeral_hours: int | None = None,
    expires_at: datetime | None = None,
) -> Provisioned:
    """Create or extend a tenant: `agents` are (slug, channels), `people` (username, role); the agents named in
    `quarantine_readers` may read quarantined memory; `default_sensitivities`, `search_language`, `hybrid_alpha` and
    `ephemeral_hours` are those of change_tenant. New keys expire at `expires_at`, or never.

    Idempotent: existing objects stay unchanged, and only new ones appear with key and password. A username is one
    person on this server: an existing person gets the role here, and a key if they are new to the tenant.
    """
    checked_name(slug)
    tenant_id = gate.tenants().get(slug)
    is_new = tenant_id is None
    if tenant_id is None:
        tenant_id = new_id()
    actor = system(tenant_id, "provision")
    gate.act_as(actor)
    if is_new:
        _found_tenant(slug, policy or "standard", actor=actor)
    elif policy is not None:
        policies.use_preset(tenant_id, policy, actor=actor)
    if default_sensitivities or search_language or hybrid_alpha is not None or ephemeral_hours is not None:
        with contextlib.suppress(NothingToChange):
            change_tenant(
                actor=actor,
                default_sensitivities=default_sensitivities or None,
                search_language=search_language,
                hybrid_alpha=hybrid_alpha,
                ephemeral_hours=ephemeral_hours,
            )
    made = Provisioned(tenant=slug)
    for name, channels in agents:
        if not Agent.objects.filter(tenant_id=tenant_id, slug=name).exists():
            agent = create_agent(name, channels, actor=actor)
            made.agents[name] = {"key": issue_key(actor=actor, agent=agent, expires_at=expires_at)}
    for name in quarantine_readers:
        reader = Agent.objects.filter(tenant_id=tenant_id, slug=name).first()
        if reader is None:
            raise NoSuchAgent(f"The tenant has no agent {name!r}. Create it with --agent.")
        with contextlib.suppress(NothingToChange):
            set_quarantine_reader(reader, is_allowed=True, actor=actor)
    for name, role in people:
        user = User.objects.filter(username=name).first()
        secrets_made: dict[str, str] = {}
        if user is None:
            added = make_account(name, has_one_time_password=False, actor=actor)
            user, secrets_made["password"] = added.user, added.password
        known_here = Membership.objects.filter(tenant_id=tenant_id, user=user).exists()
        grant_role(user, role, actor=actor)
        if not known_here:
            secrets_made = {"key": issue_key(actor=actor, user=user, expires_at=expires_at), **secrets_made}
        if secrets_made:
            made.users.setdefault(name, {}).update(secrets_made)
    return made


def list_keys(tenant_id: uuid.UUID) -> list[ApiKey]:
    """Every key of the tenant with its owner, newest first; call within the tenant."""
    keys = ApiKey.objects.filter(Q(tenant_id=tenant_id)).select_related("agent", "user")
    return list(keys.order_by("-created_at"))
