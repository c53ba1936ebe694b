"""Which records of memory are sealed (governance/ledger/sealed.py)."""

from governance.ledger import sealed
from memory.models import AgentMemory, Artifact, Chunk, ContextBundle, Decision, Delivery, Event, Task


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
            )
        )
    )
