"""Chunks and decisions as targets of edits."""

import uuid
from typing import Any

from governance import gate, targets
from governance.principals import Principal
from governance.targets import TargetState
from memory.models import EffectiveChunk, EffectiveDecision
from memory.reading.audience import audience


class ChunkTarget:
    """A chunk; its SQL side is `refold_chunk` and `state_of_chunk`."""

    name = "chunk"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return _states(EffectiveChunk.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids))

    def read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState | None:
        return _read("get_chunks", "chunk_id", "text", target_id, principal, channel)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, x.recorder, x.ts, span_of(c.body, x.span_start, x.span_end) AS text"
            " FROM memory_effectivechunk x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


class DecisionTarget:
    """A decision; its SQL side is `refold_decision` and `state_of_decision`."""

    name = "decision"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return _states(EffectiveDecision.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids))

    def read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState | None:
        return _read("get_decisions", "decision_id", "decision", target_id, principal, channel)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, NULL AS recorder, x.ts, c.body AS text FROM memory_effectivedecision x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


def _states(rows: Any) -> dict[uuid.UUID, TargetState]:
    columns = rows.values_list("id", "sensitivity", "edits_applied", "importance")
    return {
        target_id: TargetState(target_id, sensitivity, edits, importance=str(importance))
        for target_id, sensitivity, edits, importance in columns
    }


def _read(
    function: str, id_column: str, text_column: str, target_id: uuid.UUID, principal: Principal, channel: str | None
) -> TargetState | None:
    who = audience(principal, channel)
    found = gate.call(function, principal.tenant_id, [target_id], who.listening, who.sensitivities, True)
    if not found:
        return None
    row = found[0]
    return TargetState(
        row[id_column], "", row["edits_applied"], text=row[text_column], importance=str(row["importance"])
    )


def _reviewed(sql: str, target_id: uuid.UUID) -> TargetState | None:
    found = gate.rows(sql, [target_id], using="review")
    if not found:
        return None
    row = found[0]
    subject = f"{row['subject_type']} {row['subject_id']}" if row["subject_id"] else "no subject"
    summary = f"{row['scope']}, {subject}, session {row['session_id']}, channel {row['channel']}"
    if row["recorder"]:
        summary += f", recorded by {row['recorder']}"
    return TargetState(
        row["id"],
        row["sensitivity"],
        row["edits_applied"],
        summary=summary,
        text=row["text"],
        importance=str(row["importance"]),
    )


def register() -> None:
    """Called once, when the app is ready."""
    targets.register(ChunkTarget())
    targets.register(DecisionTarget())
