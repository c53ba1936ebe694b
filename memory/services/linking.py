"""Links between chunks that say the same, made by the job that embeds them."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from governance.acting import gate
from memory import duplicates
from memory.db import duplicate_candidates, link_duplicates


def link(tenant_id: UUID, chunks: Sequence[UUID]) -> int:
    """Link each of `chunks` to chunks that say the same about the same subject (memory/duplicates.py); returns the
    number of new links. Texts are compared here, and checked again when the links are stored: an edit in between
    wins."""
    if not chunks:
        return 0
    with gate.job(tenant_id, "embedding"):
        candidates = duplicate_candidates(tenant=tenant_id, chunks=list(chunks))
    rows = []
    for one in candidates:
        likeness = duplicates.likeness(one.text, one.other_text)
        if likeness is not None:
            known = {name: value for name, value in asdict(one).items() if name not in ("text", "other_text")}
            rows.append({**known, "likeness": likeness})
    if not rows:
        return 0
    with gate.job(tenant_id, "embedding"):
        return link_duplicates(tenant=tenant_id, rows=json.dumps(rows, default=str))
