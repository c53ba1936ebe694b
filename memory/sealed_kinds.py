"""The records of memory that are sealed (governance/ledger/sealed_kinds.py)."""

from governance.ledger import sealed_kinds
from memory import leaf_forms as forms
from memory.models import (
    AgentMemory,
    Artifact,
    Checkpoint,
    CheckpointRemoval,
    Chunk,
    ConfidenceChange,
    ContextBundle,
    Decision,
    Delivery,
    Event,
    OperationDone,
    Outcome,
    Promotion,
    Relation,
    Task,
    Value,
)


def register() -> None:
    """Register memory's records to be sealed; the projections can be rebuilt from them."""
    sealed_kinds.register(
        *(
            sealed_kinds.SealedKind(name, model._meta.db_table, form)
            for name, model, form in (
                ("event", Event, forms.EVENT),
                ("chunk", Chunk, forms.CHUNK),
                ("agent_memory", AgentMemory, forms.AGENT_MEMORY),
                ("decision", Decision, forms.DECISION),
                ("task", Task, forms.TASK),
                ("artifact", Artifact, forms.ARTIFACT),
                ("context_bundle", ContextBundle, forms.CONTEXT_BUNDLE),
                ("delivery", Delivery, forms.DELIVERY),
                ("promotion", Promotion, forms.PROMOTION),
                ("checkpoint", Checkpoint, forms.CHECKPOINT),
                ("checkpoint_removal", CheckpointRemoval, forms.CHECKPOINT_REMOVAL),
                ("operation_done", OperationDone, forms.OPERATION_DONE),
                ("outcome", Outcome, forms.OUTCOME),
                ("confidence_change", ConfidenceChange, forms.CONFIDENCE_CHANGE),
                ("relation", Relation, forms.RELATION),
                ("value", Value, forms.VALUE),
            )
        )
    )
