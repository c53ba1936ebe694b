"""Which records of memory are sealed (governance/ledger/sealed.py)."""

from governance.ledger import sealed
from memory.models import Artifact, Chunk, ContextBundle, Decision, Event, Task


def register() -> None:
    """Register memory's record to be sealed; the projections can be rebuilt from it."""
    sealed.register(
        *(
            sealed.SealedKind(name, model._meta.db_table)
            for name, model in (
                ("event", Event),
                ("chunk", Chunk),
                ("decision", Decision),
                ("task", Task),
                ("artifact", Artifact),
                ("context_bundle", ContextBundle),
            )
        )
    )
