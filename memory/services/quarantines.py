"""Ledger entries for memory that was quarantined on recording."""

import uuid
from collections.abc import Sequence

from governance.acting.principals import Principal
from governance.ledger import appending
from memory.drafts import Quarantine
from memory.services.db import QuarantinedChunk


def record_quarantines(quarantined: Sequence[QuarantinedChunk], actor: Principal) -> dict[uuid.UUID, Quarantine]:
    """Append the ledger entries of quarantines on recording; returns the quarantines by chunk. Skips chunks that are
    held, whose edits owe their own entries (record_holds)."""
    drafts = [
        appending.Draft(
            "edit.approved",
            {
                "edit": str(row.edit_id),
                "op": "quarantine",
                "target_type": "chunk",
                "target_id": str(row.chunk_id),
                "patch_sha256": row.patch_sha256.hex(),
                "reason": f"Recorded again after edit {row.retracted_by} removed it.",
                "decided_by": "policy:removed-value",
                "in_effect": True,
            },
        )
        for row in quarantined
        if row.patch_sha256 is not None
    ]
    appending.record_all(drafts, actor=actor)
    return {
        row.chunk_id: Quarantine(row.chunk_id, row.edit_id, row.retracted_by)
        for row in quarantined
        if row.edit_id is not None and row.retracted_by is not None
    }
