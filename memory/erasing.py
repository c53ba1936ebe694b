"""The data that memory derives from text, for erasures; the SQL side is `erasable_of_memory` and
`erase_copies_of_memory`."""

import uuid

from governance.erasure import keepers
from governance.models import Agent, ErasureItem
from memory import checkpoints
from memory.models import (
    AgentMemory,
    CheckpointRemoval,
    CheckpointState,
    Decision,
    EffectiveChunk,
    Embedding,
    EmbeddingSet,
    Event,
    RemovedValue,
    Rewording,
)
from memory.values import db
from suture_verify.entries import chain_of_agent


def checkpoints_removed(tenant_id: uuid.UUID, records: list[uuid.UUID], contents: list[uuid.UUID]) -> list[uuid.UUID]:
    """The checkpoints that an erasure of `records` removes or has removed."""
    erasures = ErasureItem.objects.filter(tenant_id=tenant_id, record_id__in=records).values("erasure_id")
    gone = CheckpointRemoval.objects.filter(tenant_id=tenant_id, erasure_id__in=erasures)
    going = [one.id for one in checkpoints.checkpoints_about(tenant=tenant_id, records=records) if one.is_certain]
    return sorted({*gone.values_list("checkpoint_id", flat=True), *going})


def checkpoints_to_check(tenant_id: uuid.UUID, records: list[uuid.UUID], contents: list[uuid.UUID]) -> list[uuid.UUID]:
    """The checkpoints that stay but may repeat `records`."""
    return [one.id for one in checkpoints.checkpoints_about(tenant=tenant_id, records=records) if not one.is_certain]


_REMOVED = keepers.Repeating(
    "checkpoints_removed",
    "Checkpoints that name one of these records, or whose agent recorded or received one in the session. The erasure"
    " removes them.",
    checkpoints_removed,
)
_TO_CHECK = keepers.Repeating(
    "checkpoints_to_check",
    "Checkpoints of agents that recorded or received one of these records in another session, and of a session with the"
    " same id as such an agent's. They stay, and may repeat its text.",
    checkpoints_to_check,
)


def register() -> None:
    """Register memory with erasures; called once, when the app is ready."""
    models = (EffectiveChunk, RemovedValue, Embedding, EmbeddingSet, CheckpointState)
    tables = tuple(model._meta.db_table for model in models)
    keepers.register(
        keepers.Keeper(
            "memory",
            tables,
            (_REMOVED, _TO_CHECK),
            chains=_chains,
            derived=Rewording._meta.db_table,
            texts_left=_texts_left,
        )
    )


def _texts_left(tenant_id: uuid.UUID, erasure_id: uuid.UUID) -> keepers.Left:
    found: keepers.Left = {}
    for row in db.texts_left_by(tenant=tenant_id, erasure=erasure_id):
        found.setdefault(row.erased_id, []).append((row.content_id, row.sha256))
    return found


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
