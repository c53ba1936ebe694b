"""The ledger entry for promotions."""

import json
import uuid
from collections.abc import Sequence

from governance.ledger.appending import Draft
from governance.ledger.entry_types import LIST, NUMBER, OBJECT, TEXT, EntryType, Field

PROMOTION = "promotion"

TYPES = (
    EntryType(
        PROMOTION,
        "Memory promoted",
        "memory moves to another tier: by the job, up to 200 chunks in one entry, or by hand",
        (
            Field("kind", TEXT, "`automatic` or `manual`"),
            Field("reason", TEXT, "the reason of a move by hand; else empty"),
            Field("count", NUMBER, "how many chunks moved"),
            Field("chunks", LIST, "their ids"),
            Field("moves", LIST, "for each, in the same order: `from`, `to` and `evidence`"),
            Field("thresholds", OBJECT, "the thresholds at that time"),
        ),
        ("chunks",),
    ),
)


def draft_of(moves: Sequence[tuple[uuid.UUID, str, str, str]], kind: str, reason: str = "") -> Draft:
    """The entry for moves at one time: for each the chunk, the tiers before and after, and its evidence as JSON."""
    listed = []
    thresholds: dict[str, float] = {}
    for _, before, after, evidence in moves:
        facts = json.loads(evidence)
        thresholds = facts.pop("thresholds")
        listed.append({"from": before, "to": after, "evidence": facts})
    metadata = {
        "kind": kind,
        "reason": reason,
        "count": len(moves),
        "chunks": [str(chunk_id) for chunk_id, *_ in moves],
        "moves": listed,
        "thresholds": thresholds,
    }
    return Draft(PROMOTION, metadata)
