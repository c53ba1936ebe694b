"""Which records of memory are sealed (governance/ledger/sealed.py)."""

from governance.ledger import sealed
from memory.models import (
    AgentMemory,
    Artifact,
    Capture,
    CaptureRemoval,
    Checkpoint,
    CheckpointRemoval,
    Chunk,
    ConfidenceChange,
    ContextBundle,
    Decision,
    Delivery,
    Event,
    FileVersion,
    OperationDone,
    Outcome,
    Promotion,
    Task,
)


def register() -> None:
    """Register memory's record to be sealed; the projections can be rebuilt from it."""
    sealed.register(
        *(
            sealed.SealedKind(name, model._meta.db_table)
            for name, model in (
                ("event", Event),
                ("chunk", Chunk),
                ("agent_memory", AgentMemory),
                ("decision", Decision),
                ("task", Task),
                ("artifact", Artifact),
                ("context_bundle", ContextBundle),
                ("delivery", Delivery),
                ("capture", Capture),
                ("capture_removal", CaptureRemoval),
                ("file_version", FileVersion),
                ("promotion", Promotion),
                ("checkpoint", Checkpoint),
                ("checkpoint_removal", CheckpointRemoval),
                ("operation_done", OperationDone),
                ("outcome", Outcome),
                ("confidence_change", ConfidenceChange),
            )
        )
    )
