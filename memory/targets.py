"""Chunks and decisions as targets of edits."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Expression, F, Q
from django.db.models.lookups import IsNull

from governance.database.calls import select
from governance.edits import targets
from governance.edits.targets import TargetKind, TargetState
from governance.identity.principals import Principal
from governance.refusals import Conflict, register_constraint
from memory import calls
from memory.models import EffectiveChunk, EffectiveDecision
from memory.reading.audience import audience, audience_anywhere, is_heard, why_hidden
from memory.reading.calls import get_chunks, get_decisions

#: The columns by which an edit hides a target.
FLAGS = ("is_retracted", "is_quarantined", "blocked_channels")


class RemovedValueReturns(Conflict):
    """An approved retract removed what this text says. Propose to revert that retract instead."""


register_constraint("edit_brings_no_removed_value", RemovedValueReturns)


@dataclass(frozen=True, slots=True)
class _ReviewRow:
    """A target as the review page shows it."""

    id: uuid.UUID
    sensitivity: str
    edits_applied: int
    importance: Decimal
    is_retracted: bool
    is_quarantined: bool
    blocked_channels: list[str]
    is_superseded: bool
    scope: str
    subject_type: str | None
    subject_id: str | None
    session_id: str | None
    channel: str
    recorder: str | None
    ts: datetime
    text: str | None


class ChannelTarget(TargetKind):
    """A kind of target whose sensitivity decides the channels in which it can be read."""

    def may_hear(self, sensitivity: str, principal: Principal, channel: str | None) -> bool:
        return sensitivity in audience(principal, channel).labels


class ChunkTarget(ChannelTarget):
    """A chunk."""

    name = "chunk"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        rows = EffectiveChunk.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids)
        return _states(rows, principal, IsNull(F("superseded_by"), False))

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        who = audience(principal, channel)
        found = get_chunks(
            tenant=principal.tenant_id,
            ids=[target_id],
            listening=who.listening,
            include_quarantined=True,
        )
        return bool(found)

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        return calls.state_of_chunk(tenant=principal.tenant_id, chunk=target_id, lock=lock)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.is_retracted, x.is_quarantined,"
            " x.blocked_channels, x.superseded_by IS NOT NULL AS is_superseded, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, x.recorder, x.ts, span_of(c.body, x.span_start, x.span_end) AS text"
            " FROM memory_effectivechunk x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


class DecisionTarget(ChannelTarget):
    """A decision."""

    name = "decision"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return _states(EffectiveDecision.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids), principal)

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        who = audience(principal, channel)
        found = get_decisions(
            tenant=principal.tenant_id,
            ids=[target_id],
            listening=who.listening,
            include_quarantined=True,
        )
        return bool(found)

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        return calls.state_of_decision(tenant=principal.tenant_id, decision=target_id, lock=lock)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.is_retracted, x.is_quarantined,"
            " x.blocked_channels, false AS is_superseded, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, NULL AS recorder, x.ts, c.body AS text FROM memory_effectivedecision x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


def _states(rows: Any, principal: Principal, is_superseded: Expression | None = None) -> dict[uuid.UUID, TargetState]:
    """The states of the rows by id; for an agent, only those that at least one of its channels may see."""
    if not principal.reads_all_edits:
        # a key without channels sees nothing
        heard = [Q(is_heard(audience(principal, channel))) for channel in principal.channels]
        rows = rows.filter(reduce(or_, heard, Q(id__in=[])))
    rows = rows.annotate(hidden=why_hidden(audience_anywhere(principal), is_superseded))
    columns = ("id", "sensitivity", "edits_applied", "importance", "hidden", *FLAGS)
    return {
        target_id: TargetState(
            target_id,
            sensitivity,
            edits_applied,
            importance=str(importance),
            hidden=hidden or "",
            is_retracted=is_retracted,
            is_quarantined=is_quarantined,
            blocked_channels=tuple(blocked),
        )
        for target_id, sensitivity, edits_applied, importance, hidden, is_retracted, is_quarantined, blocked in (
            rows.values_list(*columns)
        )
    }


def _reviewed(sql: str, target_id: uuid.UUID) -> TargetState | None:
    for row in select(_ReviewRow, sql, [target_id], using="review"):
        subject = f"{row.subject_type} {row.subject_id}" if row.subject_id else "no subject"
        session = f"session {row.session_id}" if row.session_id else "no session"
        summary = f"{row.scope}, {subject}, {session}, channel {row.channel}"
        if row.recorder:
            summary += f", recorded by {row.recorder}"
        return TargetState(
            row.id,
            row.sensitivity,
            row.edits_applied,
            summary=summary,
            text=row.text,
            importance=str(row.importance),
            is_retracted=row.is_retracted,
            is_quarantined=row.is_quarantined,
            blocked_channels=tuple(row.blocked_channels),
            is_superseded=row.is_superseded,
        )
    return None


def register() -> None:
    """Register memory's targets; called once, when the app is ready."""
    targets.register(ChunkTarget())
    targets.register(DecisionTarget())
