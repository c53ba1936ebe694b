"""Chunks and decisions as targets of edits."""

import uuid

from governance import gate, targets
from governance.principals import Principal
from governance.targets import TargetState
from memory.models import EffectiveChunk, EffectiveDecision


class ChunkTarget:
    """A chunk; its SQL side is `refold_chunk`."""

    name = "chunk"

    def find(self, target_id: uuid.UUID, principal: Principal) -> TargetState | None:
        chunk = EffectiveChunk.objects.filter(tenant_id=principal.tenant_id, id=target_id).first()
        if chunk is None:
            return None
        return TargetState(chunk.id, chunk.sensitivity, chunk.edits_applied, importance=str(chunk.importance))

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        found = gate.rows(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, x.recorder, x.ts, span_of(c.body, x.span_start, x.span_end) AS text"
            " FROM memory_effectivechunk x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            [target_id],
            using="review",
        )
        return _reviewed(found)


class DecisionTarget:
    """A decision; its SQL side is `refold_decision`."""

    name = "decision"

    def find(self, target_id: uuid.UUID, principal: Principal) -> TargetState | None:
        decision = EffectiveDecision.objects.filter(tenant_id=principal.tenant_id, id=target_id).first()
        if decision is None:
            return None
        return TargetState(
            decision.id, decision.sensitivity, decision.edits_applied, importance=str(decision.importance)
        )

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        found = gate.rows(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, NULL AS recorder, x.ts, c.body AS text FROM memory_effectivedecision x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            [target_id],
            using="review",
        )
        return _reviewed(found)


def _reviewed(found: list[dict[str, object]]) -> TargetState | None:
    if not found:
        return None
    row = found[0]
    subject = f"{row['subject_type']} {row['subject_id']}" if row["subject_id"] else "no subject"
    summary = f"{row['scope']}, {subject}, session {row['session_id']}, channel {row['channel']}"
    if row["recorder"]:
        summary += f", recorded by {row['recorder']}"
    return TargetState(
        id=row["id"],  # type: ignore[arg-type]
        sensitivity=str(row["sensitivity"]),
        edits_applied=int(str(row["edits_applied"])),
        summary=summary,
        text=str(row["text"]) if row["text"] is not None else None,
        importance=str(row["importance"]),
    )


def register() -> None:
    """Called once, when the app is ready."""
    targets.register(ChunkTarget())
    targets.register(DecisionTarget())
