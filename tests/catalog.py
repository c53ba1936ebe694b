"""What tests ask the catalog of the database: tables, functions, and who may write what."""

from typing import Any

from capsules.models import EffectiveCapsule
from governance.acting import gate
from governance.models import AppendOnlyModel, Chain, EditState, ErasureState
from memory.models import (
    CheckpointMemory,
    CheckpointState,
    CheckpointUsage,
    ChunkAccess,
    ChunkSession,
    EffectiveChunk,
    EffectiveDecision,
    EffectiveTask,
    Embedding,
    EmbeddingItem,
    EmbeddingModel,
    EmbeddingSet,
    PendingContext,
    RemovedValue,
    RunningSession,
    SessionShare,
    SessionTurn,
)

TENANT_TABLES = """(
    SELECT c.oid, c.relname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
)"""
#: Functions of our own: not those of an extension.
OUR_FUNCTIONS = """(
    SELECT p.* FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
)"""


def descendants(model: type[Any]) -> list[type[Any]]:
    return [child for direct in model.__subclasses__() for child in (direct, *descendants(direct))]


APPEND_ONLY = sorted(model._meta.db_table for model in descendants(AppendOnlyModel) if not model._meta.abstract)
PROJECTIONS = sorted(
    model._meta.db_table
    for model in (
        Chain,
        CheckpointMemory,
        CheckpointState,
        CheckpointUsage,
        ChunkAccess,
        ChunkSession,
        EditState,
        EffectiveCapsule,
        EffectiveChunk,
        EffectiveDecision,
        EffectiveTask,
        Embedding,
        EmbeddingItem,
        EmbeddingModel,
        EmbeddingSet,
        ErasureState,
        PendingContext,
        RemovedValue,
        RunningSession,
        SessionShare,
        SessionTurn,
    )
)


def names(sql: str, params: Any = ()) -> list[Any]:
    """The only column of a statement's rows."""
    return [next(iter(row.values())) for row in gate.rows(sql, params)]


def writable_by(role: str, *privileges: str) -> dict[str, list[str]]:
    """The tables on which a role holds any of the privileges, on the whole or on a column."""
    found = {}
    for privilege in privileges:
        granted = f"has_table_privilege(%s, c.oid, '{privilege}')"
        if privilege not in ("DELETE", "TRUNCATE", "TRIGGER"):
            granted += f" OR has_any_column_privilege(%s, c.oid, '{privilege}')"
        sql = (
            "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm')"
            f" AND c.relnamespace = 'public'::regnamespace AND ({granted}) ORDER BY 1"
        )
        found[privilege] = names(sql, [role] * granted.count("%s"))
    return found
