"""What memory derives from words, for erasures; the SQL side is `erasable_of_memory` and `erase_copies_of_memory`."""

from governance.erasure import keepers
from memory.models import EffectiveChunk, Embedding, RemovedValue


def register() -> None:
    """Register memory with erasures; called once, when the app is ready."""
    tables = tuple(model._meta.db_table for model in (EffectiveChunk, RemovedValue, Embedding))
    keepers.register(keepers.Keeper("memory", tables))
