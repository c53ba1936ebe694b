"""The tables of memory."""

from memory.models.agent_memories import AgentMemory, ChunkAccess, Delivery, Supersession
from memory.models.bundles import ContextBundle, ContextBundleItem
from memory.models.checkpoints import (
    Checkpoint,
    CheckpointMemory,
    CheckpointRemoval,
    CheckpointState,
    CheckpointUsage,
    OperationDone,
    RunningSession,
    SessionShare,
    SessionTurn,
)
from memory.models.chunks import Chunk, EffectiveChunk, PendingContext, RemovedValue
from memory.models.duplicates import Duplicate
from memory.models.embeddings import Embedding, EmbeddingItem, EmbeddingModel, EmbeddingSet
from memory.models.events import Event
from memory.models.promotions import (
    ChunkSession,
    ConfidenceChange,
    Outcome,
    Promotion,
    PromotionCheck,
    PromotionDue,
)
from memory.models.records import Artifact, Decision, EffectiveDecision, EffectiveTask, Task
from memory.models.relations import Relation
from memory.models.scoped import RULE_SCOPES, Kind, Retention, Scope, ScopedModel, Tier
from memory.models.terms import Term, TermCount
from memory.models.values import Guard, PendingRewording, Rewording, Value

__all__ = [
    "RULE_SCOPES",
    "AgentMemory",
    "Artifact",
    "Checkpoint",
    "CheckpointMemory",
    "CheckpointRemoval",
    "CheckpointState",
    "CheckpointUsage",
    "Chunk",
    "ChunkAccess",
    "ChunkSession",
    "ConfidenceChange",
    "ContextBundle",
    "ContextBundleItem",
    "Decision",
    "Delivery",
    "Duplicate",
    "EffectiveChunk",
    "EffectiveDecision",
    "EffectiveTask",
    "Embedding",
    "EmbeddingItem",
    "EmbeddingModel",
    "EmbeddingSet",
    "Event",
    "Guard",
    "Kind",
    "OperationDone",
    "Outcome",
    "PendingContext",
    "PendingRewording",
    "Promotion",
    "PromotionCheck",
    "PromotionDue",
    "Relation",
    "RemovedValue",
    "Retention",
    "Rewording",
    "RunningSession",
    "Scope",
    "ScopedModel",
    "SessionShare",
    "SessionTurn",
    "Supersession",
    "Task",
    "Term",
    "TermCount",
    "Tier",
    "Value",
]
