"""Chunks and decisions as targets of edits."""

import uuid
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Expression, F, Q
from django.db.models.lookups import IsNull

from governance import gate
from governance.edits import targets
from governance.edits.targets import TargetKind, TargetState
from governance.identity.principals import Principal
from governance.refusals import Conflict, register_constraint
from memory.models import EffectiveChunk, EffectiveDecision
from memory.reading.audience import audience, audience_anywhere, is_heard, why_hidden

#: Where an edit may hide a target.
FLAGS = ("is_retracted", "is_quarantined", "blocked_channels")


class RemovedValueReturns(Conflict):
    """An approved retract removed this text about the same subject. Propose to revert that retract instead."""


register_constraint("edit_brings_no_removed_value", RemovedValueReturns)


class RevertPreview:
    """The revert half of a target; its SQL side is `preview_<name>_revert`."""

    def read_revert(
        self: TargetKind, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal, channel: str | None
    ) -> tuple[TargetState, TargetState] | None:
        if not principal.reads_all_edits and self.read(target_id, principal, channel) is None:
            return None
        states = _reverted(self.name, target_id, edit_id, principal)
        if states is None or states[0].sensitivity not in audience(principal, channel).sensitivities:
            return None
        return states

    def review_revert(
        self: TargetKind, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal
    ) -> tuple[TargetState, TargetState] | None:
        return _reverted(self.name, target_id, edit_id, principal, using="review")


class ChunkTarget(RevertPreview):
    """A chunk; its SQL side is `refold_chunk` and `state_of_chunk`."""

    name = "chunk"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        rows = EffectiveChunk.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids)
        return _states(rows, principal, IsNull(F("superseded_by"), False))

    def read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState | None:
        return _read("get_chunks", "chunk_id", "text", target_id, principal, channel)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.is_retracted, x.is_quarantined,"
            " x.blocked_channels, x.superseded_by IS NOT NULL AS is_superseded, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, x.recorder, x.ts, span_of(c.body, x.span_start, x.span_end) AS text"
            " FROM memory_effectivechunk x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


class DecisionTarget(RevertPreview):
    """A decision; its SQL side is `refold_decision` and `state_of_decision`."""

    name = "decision"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return _states(EffectiveDecision.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids), principal)

    def read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState | None:
        return _read("get_decisions", "decision_id", "decision", target_id, principal, channel)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.is_retracted, x.is_quarantined,"
            " x.blocked_channels, false AS is_superseded, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, NULL AS recorder, x.ts, c.body AS text FROM memory_effectivedecision x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


def _states(rows: Any, principal: Principal, is_superseded: Expression | None = None) -> dict[uuid.UUID, TargetState]:
    """The states of the rows by id; to an agent, of those that it may hear in at least one of its channels."""
    if not principal.reads_all_edits:
        # nothing is heard in no channel
        heard = [Q(is_heard(audience(principal, channel))) for channel in principal.channels]
        rows = rows.filter(reduce(or_, heard, Q(id__in=[])))
    columns = ("id", "sensitivity", "edits_applied", "importance", *FLAGS)
    return {
        row["id"]: TargetState(
            row["id"],
            row["sensitivity"],
            row["edits_applied"],
            importance=str(row["importance"]),
            hidden=row["hidden"] or "",
            **_flags(row),
        )
        for row in rows.annotate(hidden=why_hidden(audience_anywhere(principal), is_superseded)).values(
            *columns, "hidden"
        )
    }


def _flags(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "is_retracted": row["is_retracted"],
        "is_quarantined": row["is_quarantined"],
        "blocked_channels": tuple(row["blocked_channels"]),
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
        is_superseded=row["is_superseded"],
        **_flags(row),
    )


def _reverted(
    name: str, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal, using: str = "default"
) -> tuple[TargetState, TargetState] | None:
    found = gate.call(f"preview_{name}_revert", principal.tenant_id, target_id, edit_id, using=using)
    if not found:
        return None
    now, reverted = (
        TargetState(
            target_id,
            row["sensitivity"],
            row["edits_applied"],
            text=row["text"],
            importance=str(row["importance"]),
            is_superseded=row["is_superseded"],
            **_flags(row),
        )
        for row in found
    )
    return now, reverted


def register() -> None:
    """Called once, when the app is ready."""
    targets.register(ChunkTarget())
    targets.register(DecisionTarget())
