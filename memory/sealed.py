"""Which records of memory are sealed (governance/ledger/sealed.py)."""

from governance.ledger import sealed
from memory.models import Artifact, Chunk, ContextBundle, Decision, Event, Task


def register() -> None:
    """Have memory's record sealed; its projections can be made again from it."""
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
