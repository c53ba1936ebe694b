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


class HeardInAChannel(TargetKind):
    """What a channel's sensitivities decide: the kinds of target that memory and what builds on it have."""

    def may_hear(self, sensitivity: str, principal: Principal, channel: str | None) -> bool:
        return sensitivity in audience(principal, channel).sensitivities


class ChunkTarget(HeardInAChannel):
    """A chunk."""

    name = "chunk"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        rows = EffectiveChunk.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids)
        return _states(rows, principal, IsNull(F("superseded_by"), False))

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        return _may_read("get_chunks", target_id, principal, channel)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.is_retracted, x.is_quarantined,"
            " x.blocked_channels, x.superseded_by IS NOT NULL AS is_superseded, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, x.recorder, x.ts, span_of(c.body, x.span_start, x.span_end) AS text"
            " FROM memory_effectivechunk x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


class DecisionTarget(HeardInAChannel):
    """A decision."""

    name = "decision"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return _states(EffectiveDecision.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids), principal)

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        return _may_read("get_decisions", target_id, principal, channel)

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


def _may_read(function: str, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
    who = audience(principal, channel)
    return bool(gate.call(function, principal.tenant_id, [target_id], who.listening, who.sensitivities, True))


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


def register() -> None:
    """Called once, when the app is ready."""
    targets.register(ChunkTarget())
    targets.register(DecisionTarget())
