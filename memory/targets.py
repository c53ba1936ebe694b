"""Chunks and decisions as targets of edits."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from governance.acting.principals import Principal
from governance.database.typed_calls import select
from governance.edits import targets
from governance.edits.targets import TargetKind, TargetState
from governance.refusals import Conflict, register_constraint
from memory import db
from memory.queries.audience import audience
from memory.queries.db import get_chunks, get_decisions
from memory.values import cutting


class RemovedValueReturns(Conflict):
    """An approved retract removed this text. Propose to revert that retract instead."""


register_constraint("edit_brings_no_removed_value", RemovedValueReturns)


#: The reader with the given labels and the audiences of `r` (reader_with).
READER = "ROW(%s::text[], r.hears_all, r.audiences)::reader"
#: Whether neither a label nor a block hides a row from an audience.
_HEARD = (
    "why_hidden(x.audience, false, false, x.blocked_channels, x.is_quarantined, x.channel, x.sensitivity, %s::text[],"
    f" {READER}, true) IS NULL"
)


@dataclass(frozen=True, slots=True)
class _StateRow:
    """A target's state for a proposal."""

    id: uuid.UUID
    sensitivity: str
    edits_applied: int
    importance: Decimal
    hidden: str | None
    is_retracted: bool
    is_quarantined: bool
    blocked_channels: list[str]
    audience: list[int] | None
    subject: str


@dataclass(frozen=True, slots=True)
class _ReviewRow:
    """A target's state for the review page."""

    id: uuid.UUID
    sensitivity: str
    edits_applied: int
    importance: Decimal
    is_retracted: bool
    is_quarantined: bool
    blocked_channels: list[str]
    is_superseded: bool
    audience: list[int] | None
    scope: str
    subject_type: str | None
    subject_id: str | None
    session_id: str | None
    channel: str
    recorder: str | None
    ts: datetime
    text: str | None


#: By whom chunks were received: an agent's deliveries name the principal on whose behalf it asked.
_RECEIVED = (
    "SELECT DISTINCT d.receiver || coalesce(' for ' || d.on_behalf_of, '') FROM memory_delivery d"
    " WHERE d.tenant_id = context_tenant() AND d.chunk_id IN ({chunks}) ORDER BY 1"
)


class ChannelTarget(TargetKind):
    """A kind of target whose sensitivity decides the channels in which it can be read."""

    def may_hear(self, sensitivity: str, principal: Principal, channel: str | None) -> bool:
        return sensitivity in audience(principal, channel).labels

    def cut(self, texts: Sequence[Any], principal: Principal) -> list[Any] | None:
        return cutting.cut(texts, actor=principal)


class ChunkTarget(ChannelTarget):
    """A chunk."""

    name = "chunk"
    has_audience = True

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return _states("memory_effectivechunk", target_ids, principal, is_superseded="x.superseded_by IS NOT NULL")

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        who = audience(principal, channel)
        found = get_chunks(
            tenant=principal.tenant_id,
            ids=[target_id],
            listening=who.listening,
            include_quarantined=principal.reads_quarantined,
        )
        return bool(found)

    def received_by(self, target_id: uuid.UUID) -> list[str]:
        return _received("%s", target_id)

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        return db.state_of_chunk(tenant=principal.tenant_id, chunk=target_id, lock=lock)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.is_retracted, x.is_quarantined,"
            " x.blocked_channels, x.superseded_by IS NOT NULL AS is_superseded, x.audience, x.scope, x.subject_type,"
            " x.subject_id, x.session_id, x.channel, x.recorder, x.ts,"
            " span_of(c.body, x.span_start, x.span_end) AS text FROM memory_effectivechunk x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


class DecisionTarget(ChannelTarget):
    """A decision."""

    name = "decision"
    has_audience = True

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return _states("memory_effectivedecision", target_ids, principal)

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        who = audience(principal, channel)
        found = get_decisions(
            tenant=principal.tenant_id,
            ids=[target_id],
            listening=who.listening,
            include_quarantined=principal.reads_quarantined,
        )
        return bool(found)

    def received_by(self, target_id: uuid.UUID) -> list[str]:
        chunks = (
            "SELECT c.id FROM memory_decision m"
            " JOIN memory_chunk c ON c.tenant_id = m.tenant_id AND c.event_id = m.event_id"
            " WHERE m.tenant_id = context_tenant() AND m.id = %s"
        )
        return _received(chunks, target_id)

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        return db.state_of_decision(tenant=principal.tenant_id, decision=target_id, lock=lock)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        return _reviewed(
            "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, x.is_retracted, x.is_quarantined,"
            " x.blocked_channels, false AS is_superseded, x.audience, x.scope, x.subject_type, x.subject_id,"
            " x.session_id, x.channel, NULL AS recorder, x.ts, c.body AS text FROM memory_effectivedecision x"
            " LEFT JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id WHERE x.id = %s",
            target_id,
        )


def _received(chunks: str, target_id: uuid.UUID) -> list[str]:
    return select(str, _RECEIVED.format(chunks=chunks), [target_id])


def _states(
    table: str, target_ids: list[uuid.UUID], principal: Principal, is_superseded: str = "false"
) -> dict[uuid.UUID, TargetState]:
    """The states of the rows of `table` by id; for an agent, only those that at least one of its channels may see.

    Every proposal runs this: as SQL text, it takes a third of a queryset's time.
    """
    anywhere = audience(principal, None)
    tenant = principal.tenant_id
    params: list[Any] = [anywhere.listening, anywhere.labels, tenant, anywhere.labels, tenant, target_ids]
    heard = ""
    if not principal.reads_all_edits:
        # a key without channels sees nothing
        heard = f" AND ({' OR '.join(['false', *[_HEARD] * len(principal.channels)])})"
        for channel in principal.channels:
            who = audience(principal, channel)
            params += [who.listening, who.labels]
    columns = (
        "SELECT x.id, x.sensitivity, x.edits_applied, x.importance, why_hidden(x.audience, x.is_retracted,"
        f" {is_superseded}, x.blocked_channels, x.is_quarantined, x.channel, x.sensitivity, %s::text[],"
        f" {READER}, false) AS hidden, x.is_retracted, x.is_quarantined, x.blocked_channels, x.audience,"
        " coalesce(x.subject_type || ':' || x.subject_id, '') AS subject"
    )
    sql = (
        f"{columns} FROM {table} x CROSS JOIN reader_with(%s, %s::text[]) r"
        f" WHERE x.tenant_id = %s AND x.id = ANY (%s::uuid[]){heard}"
    )
    return {
        row.id: TargetState(
            row.id,
            row.sensitivity,
            row.edits_applied,
            importance=str(row.importance),
            hidden=row.hidden or "",
            is_retracted=row.is_retracted,
            is_quarantined=row.is_quarantined,
            blocked_channels=tuple(row.blocked_channels),
            audience=tuple(row.audience or ()),
            subject=row.subject,
        )
        for row in select(_StateRow, sql, params)
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
            audience=tuple(row.audience or ()),
        )
    return None


def register() -> None:
    """Register memory's targets; called once, when the app is ready."""
    targets.register(ChunkTarget())
    targets.register(DecisionTarget())
