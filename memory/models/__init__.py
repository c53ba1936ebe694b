"""The tables of memory, one module a noun."""

from memory.models.chunks import Chunk, EffectiveChunk, RemovedValue
from memory.models.events import Event
from memory.models.records import Artifact, Decision, EffectiveDecision, EffectiveTask, Task
from memory.models.scoped import Kind, Scope, ScopedModel, Tier

__all__ = [
    "Artifact",
    "Chunk",
    "Decision",
    "EffectiveChunk",
    "EffectiveDecision",
    "EffectiveTask",
    "Event",
    "Kind",
    "RemovedValue",
    "Scope",
    "ScopedModel",
    "Task",
    "Tier",
]
