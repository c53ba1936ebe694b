"""Capsules as targets of edits: their text is the note, and they also have risks."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from django.db.models import Exists, OuterRef, Q

from capsules import db, limits
from capsules.models import CapsuleAudience, EffectiveCapsule
from governance.acting import gate
from governance.acting.principals import Principal
from governance.database.typed_calls import select
from governance.edits import targets
from governance.edits.targets import TargetState, TextList
from memory.queries.audience import NO_CHANNEL, NOT_NAMED, audience, why_hidden
from memory.targets import ChannelTarget

RISKS = TextList(
    "risks",
    "risk",
    items_at_most=100,
    rule=limits.RISK,
    help_text="amend of a capsule: the complete new list of its risks",
)

#: The separator in an amend's text. No text in a request can contain it.
_RECORD_SEPARATOR = "\x1e"


@dataclass(frozen=True, slots=True)
class _ReviewRow:
    """A capsule as the review page shows it."""

    id: uuid.UUID
    sensitivity: str
    edits_applied: int
    scope: str
    subject_type: str
    subject_id: str
    author: str
    audience_count: int
    expires_at: datetime
    item_count: int
    importance: Decimal
    is_retracted: bool
    is_quarantined: bool
    blocked_channels: list[str]
    text: str | None
    risks: str | None


_REVIEW_SQL = (
    "SELECT x.id, x.sensitivity, x.edits_applied, x.scope, x.subject_type, x.subject_id, x.author, x.audience_count,"
    " x.expires_at, x.item_count, x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels,"
    " CASE WHEN x.note_id IS NULL THEN '' ELSE note_in(n.body) END AS text,"
    " CASE WHEN x.risks_id IS NULL THEN '[]' ELSE risks_in(r.body) END AS risks FROM capsules_effectivecapsule x"
    " LEFT JOIN governance_content n ON n.tenant_id = x.tenant_id AND n.id = x.note_id"
    " LEFT JOIN governance_content r ON r.tenant_id = x.tenant_id AND r.id = x.risks_id WHERE x.id = %s"
)


@dataclass(frozen=True, slots=True)
class CapsuleState(TargetState):
    """The state of a capsule. `risks` is None if they were erased."""

    risks: tuple[str, ...] | None = None

    @property
    def words(self) -> str | None:
        """The note, then one line for each risk. None if the note was erased."""
        if self.text is None or not self.risks:
            return self.text
        return "\n".join([*filter(None, [self.text]), *(f"Risk: {risk}" for risk in self.risks)])

    @property
    def fields(self) -> dict[str, Any]:
        """Note and risks, under the names of the patch fields."""
        return {"text": self.text, "risks": None if self.risks is None else list(self.risks)}

    def without_words(self) -> Self:
        """The state for readers who may not see the words."""
        return replace(self, text=None, risks=None, found_by=frozenset())


class CapsuleTarget(ChannelTarget):
    """A capsule."""

    name = "capsule"
    text_label = "Note"
    amended = limits.AMENDED_NOTE
    text_help = "Check the risks too: they may repeat what is wrong in the note."
    text_lists = (RISKS,)

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        """For an agent, its own and received capsules; nothing for any other id."""
        rows = EffectiveCapsule.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids)
        if not principal.reads_all_edits:
            given = CapsuleAudience.objects.filter(
                tenant_id=principal.tenant_id, agent_id=principal.id, capsule_id=OuterRef("id")
            )
            rows = rows.filter(Q(authored_by=principal.id) | Exists(given))
        return {
            row.id: TargetState(
                row.id,
                row.sensitivity,
                row.edits_applied,
                importance=str(row.importance),
                is_retracted=row.is_retracted,
                is_quarantined=row.is_quarantined,
                blocked_channels=tuple(row.blocked_channels),
                hidden=row.hidden or "",
            )
            for row in rows.annotate(
                hidden=why_hidden(audience(principal, None), channel=NO_CHANNEL, heard_by=NOT_NAMED)
            )
        }

    def made_by(self, recorder: str, since: datetime, principal: Principal, limit: int) -> list[uuid.UUID]:
        """For an agent, only its own capsules."""
        rows = EffectiveCapsule.objects.filter(
            tenant_id=principal.tenant_id, author=recorder, created_at__gte=since, is_retracted=False
        ).exclude(is_quarantined=True)
        if not principal.reads_all_edits:
            rows = rows.filter(authored_by=principal.id)
        return list(rows.order_by("id").values_list("id", flat=True)[:limit])

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        who = audience(principal, channel)
        gate.act_as(principal)
        row = db.read_capsule(
            tenant=principal.tenant_id,
            capsule=target_id,
            listening=who.listening,
        )
        return not (row.refusal or row.withheld)

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        return db.state_of_capsule(tenant=principal.tenant_id, capsule=target_id, lock=lock)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        for row in select(_ReviewRow, _REVIEW_SQL, [target_id], using="review"):
            summary = (
                f"{row.scope}, {row.subject_type} {row.subject_id}, from {row.author} to"
                f" {row.audience_count} agents until {row.expires_at:%Y-%m-%d %H:%M} UTC, {row.item_count} items"
            )
            return self.state(
                {"text": row.text, "risks": None if row.risks is None else json.loads(row.risks)},
                id=row.id,
                sensitivity=row.sensitivity,
                edits_applied=row.edits_applied,
                summary=summary,
                importance=str(row.importance),
                is_retracted=row.is_retracted,
                is_quarantined=row.is_quarantined,
                blocked_channels=tuple(row.blocked_channels),
            )
        return None

    def state(self, fields: Mapping[str, Any], **facts: Any) -> TargetState:
        """The state of a capsule with this note and these risks."""
        risks = fields.get("risks")
        return CapsuleState(text=fields.get("text"), risks=None if risks is None else tuple(risks), **facts)

    def body_of(self, fields: Mapping[str, Any]) -> str | None:
        """A JSON object with `text`, `risks` or both; absent fields stay as they are
        (docs/decisions/0007-amended-risks.md)."""
        if not fields:
            return None
        return _RECORD_SEPARATOR + json.dumps(dict(fields), ensure_ascii=False, separators=(",", ":"))

    def fields_in(self, body: str) -> dict[str, Any]:
        """The note, the risks or both, as the amend has them."""
        fields: dict[str, Any] = json.loads(body.removeprefix(_RECORD_SEPARATOR))
        return fields


def register() -> None:
    """Register capsules as targets; called once, when the app is ready."""
    targets.register(CapsuleTarget())
