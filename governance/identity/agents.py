"""Create, change, deactivate and activate agents; each change has a ledger entry."""

import uuid
from collections.abc import Sequence

from django.db import transaction

from governance.acting.changes import change
from governance.acting.principals import Principal
from governance.identity import db
from governance.identity.names import checked_name
from governance.ledger import appending
from governance.models import Agent, Channel
from governance.models.people import all_channels
from governance.refusals import Conflict, Invalid, NotFound, register_constraint
from suture_verify.entries import chain_of_agent


class UnknownChannel(Invalid):
    """The channel must be private, public, team or agent."""


class AgentExists(Conflict):
    """An agent with this name already exists. If it is deactivated, you can activate it again."""


class NoSuchAgent(NotFound):
    """The tenant has no agent with this name."""


class AgentInactive(Conflict):
    """This agent is not active. Activate it first."""


register_constraint("agent_slug", AgentExists)
register_constraint("agent_inactive", AgentInactive)


@transaction.atomic
def create_agent(slug: str, channels: Sequence[str], *, actor: Principal) -> Agent:
    """Create an agent that uses `channels` (all if empty).

    Raises ManagedByAdmins, InvalidName, UnknownChannel; AgentExists comes from the database (agent_slug).
    """
    actor.require_manager()
    wanted = list(channels) or all_channels()
    unknown = set(wanted) - set(Channel.values)
    if unknown:
        raise UnknownChannel(f"Unknown channel {sorted(unknown)[0]!r}. {UnknownChannel.__doc__}")
    agent_id = change(db.create_agent, actor=actor, slug=checked_name(slug), channels=wanted)
    appending.record(
        "agent.created",
        actor=actor,
        metadata={"agent": str(agent_id), "slug": slug, "channels": wanted},
    )
    appending.open_chain(chain_of_agent(slug), actor=actor)
    return Agent.objects.get(tenant_id=actor.tenant_id, id=agent_id)


def find_agent(slug: str, tenant_id: uuid.UUID) -> Agent:
    """The agent of this name, within the tenant. Raises NoSuchAgent."""
    found = Agent.objects.filter(tenant_id=tenant_id, slug=slug).first()
    if found is None:
        raise NoSuchAgent(f"The tenant has no agent {slug!r}. Create it with `manage.py provision`.")
    return found


def deactivate_agent(agent: Agent, *, actor: Principal) -> None:
    """Deactivate an agent: its keys are refused from now on, its records stay. Raises ManagedByAdmins,
    NothingToChange."""
    _set_active(agent, is_active=False, actor=actor)


def activate_agent(agent: Agent, *, actor: Principal) -> None:
    """Activate a deactivated agent, with its existing keys. Raises ManagedByAdmins, NothingToChange."""
    _set_active(agent, is_active=True, actor=actor)


@transaction.atomic
def _set_active(agent: Agent, *, is_active: bool, actor: Principal) -> None:
    actor.require_manager()
    change(db.set_agent_active, actor=actor, agent=agent.id, active=is_active)
    appending.record(
        "agent.activated" if is_active else "agent.deactivated",
        actor=actor,
        metadata={"agent": str(agent.id), "slug": agent.slug},
    )


@transaction.atomic
def set_quarantine_reader(agent: Agent, *, is_allowed: bool, actor: Principal) -> None:
    """Allow or forbid an agent to request quarantined memory. Raises ManagedByAdmins, NothingToChange."""
    actor.require_manager()
    change(db.set_quarantine_reader, actor=actor, agent=agent.id, allowed=is_allowed)
    appending.record(
        "agent.quarantine_allowed" if is_allowed else "agent.quarantine_refused",
        actor=actor,
        metadata={"agent": str(agent.id), "slug": agent.slug},
    )
