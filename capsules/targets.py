"""Capsules as targets of edits: their text is the note, and beside it they have risks."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from django.db.models import Exists, OuterRef, Q

from capsules import calls, limits
from capsules.models import CapsuleAudience, EffectiveCapsule
from governance import gate
from governance.database.calls import select
from governance.edits import targets
from governance.edits.targets import TargetState, TextList
from governance.identity.principals import Principal
from memory.reading.audience import audience, audience_anywhere, why_hidden
from memory.targets import HeardInAChannel

RISKS = TextList(
    "risks", "risk", items_at_most=100, rule=limits.RISK, help_text="amend of a capsule: all its risks anew"
)

#: What the words of an amend begin with: no text that is taken in holds this character.
_RECORD_SEPARATOR = "\x1e"


@dataclass(frozen=True, slots=True)
class _Reviewed:
    """A capsule as the reviewer's page shows it."""

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


_REVIEWED = (
    "SELECT x.id, x.sensitivity, x.edits_applied, x.scope, x.subject_type, x.subject_id, x.author, x.audience_count,"
    " x.expires_at, x.item_count, x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels,"
    " CASE WHEN x.note_id IS NULL THEN '' ELSE note_in(n.body) END AS text,"
    " CASE WHEN x.risks_id IS NULL THEN '[]' ELSE risks_in(r.body) END AS risks FROM capsules_effectivecapsule x"
    " LEFT JOIN governance_content n ON n.tenant_id = x.tenant_id AND n.id = x.note_id"
    " LEFT JOIN governance_content r ON r.tenant_id = x.tenant_id AND r.id = x.risks_id WHERE x.id = %s"
)


@dataclass(frozen=True, slots=True)
class CapsuleState(TargetState):
    """A capsule. `risks` is None where they were erased."""

    risks: tuple[str, ...] | None = None

    @property
    def words(self) -> str | None:
        """The note, then each risk on a line of its own. None where the note was erased."""
        if self.text is None or not self.risks:
            return self.text
        return "\n".join([*filter(None, [self.text]), *(f"Risk: {risk}" for risk in self.risks)])

    @property
    def said(self) -> dict[str, Any]:
        """Note and risks, by the names of the fields of a patch."""
        return {"text": self.text, "risks": None if self.risks is None else list(self.risks)}

    def without_words(self) -> Self:
        """The state as readers get it who get no words."""
        return replace(self, text=None, risks=None, found_by=frozenset())


class CapsuleTarget(HeardInAChannel):
    """A capsule."""

    name = "capsule"
    text_label = "Note"
    amended = limits.AMENDED_NOTE
    text_help = "Look at the risks too: they may repeat what is wrong in the note."
    text_lists = (RISKS,)

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        """An agent finds its own capsules and those that it was given: no other's id tells it anything."""
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
            for row in rows.annotate(hidden=why_hidden(audience_anywhere(principal)))
        }

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        who = audience(principal, channel)
        gate.act_as(principal)
        row = calls.read_capsule(
            tenant=principal.tenant_id,
            capsule=target_id,
            listening=who.listening,
        )
        return not (row.refusal or row.withheld)

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        return calls.state_of_capsule(tenant=principal.tenant_id, capsule=target_id, lock=lock)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        for row in select(_Reviewed, _REVIEWED, [target_id], using="review"):
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

    def state(self, said: Mapping[str, Any], **facts: Any) -> TargetState:
        """The state of a capsule with this note and these risks."""
        risks = said.get("risks")
        return CapsuleState(text=said.get("text"), risks=None if risks is None else tuple(risks), **facts)

    def body_of(self, said: Mapping[str, Any]) -> str | None:
        """A JSON object of `text`, `risks` or both, so that what is not in it stays as it is
        (docs/decisions/0007-amended-risks.md)."""
        if not said:
            return None
        return _RECORD_SEPARATOR + json.dumps(dict(said), ensure_ascii=False, separators=(",", ":"))

    def said_in(self, body: str) -> dict[str, Any]:
        """Note and risks, as far as the amend has them."""
        if body.startswith(_RECORD_SEPARATOR):
            said: dict[str, Any] = json.loads(body[1:])
            return said
        return {"text": body, "risks": []}  # an amend from before it could name risks: it takes them away


def register() -> None:
    """Called once, when the app is ready."""
    targets.register(CapsuleTarget())
