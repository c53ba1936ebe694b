"""Finds supersessions that do not match the memories of an agent.

The leaf and the signed entry of a memory contain the numbers that it superseded. The fold reads the ids of both
memories, and only this comparison checks whether these ids belong to those numbers.
"""

import uuid
from collections.abc import Iterator
from typing import Final

from governance.ledger.comparisons import Comparison
from memory.models import AgentMemory, Supersession
from suture_verify.findings import ROWS, Kind, Row

TABLE: Final = "memory_supersession"
#: Rows to read at a time.
PAGE = 2_000


def compare(comparison: Comparison) -> None:
    """Add a finding for every supersession whose ids do not match its numbers."""
    for id_, detail in find(comparison):
        comparison.findings.add(Kind.UNPROVEN_STATE, ROWS, None, f"{TABLE} {id_}: {detail}", row=Row(TABLE, str(id_)))


def find(comparison: Comparison) -> Iterator[tuple[uuid.UUID, str]]:
    """The supersessions whose ids do not match their numbers, with descriptions."""
    rows = Supersession.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id).order_by("id")
    after = uuid.UUID(int=0)
    while True:
        page = list(rows.filter(id__gt=after)[:PAGE])
        memories = _memories(comparison, {id_ for row in page for id_ in (row.successor_id, row.superseded_id)})
        for row in page:
            names = (row.successor_id, row.successor_seq), (row.superseded_id, row.superseded_seq)
            for memory, seq in names:
                if memories.get(memory) != (row.agent_id, seq):
                    yield row.id, f"{memory} is not memory {seq} of the agent {row.agent_id}"
        if len(page) < PAGE:
            return
        after = page[-1].id


def _memories(comparison: Comparison, ids: set[uuid.UUID]) -> dict[uuid.UUID, tuple[uuid.UUID, int]]:
    """The agents and numbers of these memories."""
    rows = AgentMemory.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id, id__in=ids)
    return {id_: (agent, seq) for id_, agent, seq in rows.values_list("id", "agent_id", "seq")}
