"""What memory derives from words, for erasures; the SQL side is `erasable_of_memory` and `erase_copies_of_memory`."""

import uuid

from governance.erasure import keepers
from governance.models import Agent
from governance.proof.entries import chain_of_agent
from memory.models import AgentMemory, Decision, EffectiveChunk, Embedding, Event, RemovedValue


def register() -> None:
    """Register memory with erasures; called once, when the app is ready."""
    tables = tuple(model._meta.db_table for model in (EffectiveChunk, RemovedValue, Embedding))
    keepers.register(keepers.Keeper("memory", tables, chains=_chains))


def _chains(tenant_id: uuid.UUID, records: list[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The chains that have entries about chunks and decisions."""
    own = AgentMemory.objects.filter(tenant_id=tenant_id, id__in=records).values_list("id", "agent_id")
    decided = Decision.objects.filter(tenant_id=tenant_id, id__in=records).values_list("id", "event_id")
    events = Event.objects.filter(
        tenant_id=tenant_id, id__in=[event for _, event in decided], recorder_kind="agent"
    ).values_list("id", "recorded_by")
    recorders = dict(events)
    agents = dict(own) | {decision: recorders[event] for decision, event in decided if event in recorders}
    slugs = dict(Agent.objects.filter(tenant_id=tenant_id, id__in=set(agents.values())).values_list("id", "slug"))
    return {record: chain_of_agent(slugs[agent]) for record, agent in agents.items() if agent in slugs}
