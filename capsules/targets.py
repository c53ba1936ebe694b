"""Capsules as targets of edits: their text is the note, and beside it they have risks."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Exists, OuterRef, Q

from capsules.models import CapsuleAudience, EffectiveCapsule
from governance import gate
from governance.edits import targets
from governance.edits.targets import TargetState
from governance.identity.principals import Principal
from memory.reading.audience import audience, audience_anywhere, why_hidden
from memory.targets import RevertPreview

_REVIEWED = (
    "SELECT x.*, CASE WHEN x.note_id IS NULL THEN '' ELSE note_in(n.body) END AS text,"
    " CASE WHEN x.risks_id IS NULL THEN '[]' ELSE risks_in(r.body) END AS risks FROM capsules_effectivecapsule x"
    " LEFT JOIN governance_content n ON n.tenant_id = x.tenant_id AND n.id = x.note_id"
    " LEFT JOIN governance_content r ON r.tenant_id = x.tenant_id AND r.id = x.risks_id WHERE x.id = %s"
)


class CapsuleTarget(RevertPreview):
    """A capsule; its SQL side is `refold_capsule`, `state_of_capsule` and `preview_capsule_revert`."""

    name = "capsule"

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

    def read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState | None:
        who = audience(principal, channel)
        row = gate.call(
            "read_capsule", principal.tenant_id, target_id, principal.kind, principal.id, who.listening,
            who.sensitivities,
        )[0]  # fmt: skip
        if row["refusal"] or row["withheld"]:
            return None
        return TargetState(
            target_id,
            "",
            row["edits_applied"],
            text=row["note"] or "",
            risks=tuple(json.loads(row["risks"] or "[]")),
            importance=str(row["importance"]),
        )

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        found = gate.rows(_REVIEWED, [target_id], using="review")
        if not found:
            return None
        row = found[0]
        summary = (
            f"{row['scope']}, {row['subject_type']} {row['subject_id']}, from {row['author']} to"
            f" {row['audience_count']} agents until {row['expires_at']:%Y-%m-%d %H:%M} UTC, {row['item_count']} items"
        )
        return TargetState(
            row["id"],
            row["sensitivity"],
            row["edits_applied"],
            summary=summary,
            text=row["text"],
            risks=_risks(row),
            importance=str(row["importance"]),
            is_retracted=row["is_retracted"],
            is_quarantined=row["is_quarantined"],
            blocked_channels=tuple(row["blocked_channels"]),
        )

    def read_revert(
        self, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal, channel: str | None
    ) -> tuple[TargetState, TargetState] | None:
        states = super().read_revert(target_id, edit_id, principal, channel)
        return states and _with_risks(states, edit_id, principal, "default")

    def review_revert(
        self, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal
    ) -> tuple[TargetState, TargetState] | None:
        states = super().review_revert(target_id, edit_id, principal)
        return states and _with_risks(states, edit_id, principal, "review")


def _with_risks(
    states: tuple[TargetState, TargetState], edit_id: uuid.UUID, principal: Principal, using: str
) -> tuple[TargetState, TargetState]:
    """The two sides of a revert with the risks that memory's half of a target knows nothing of."""
    rows = gate.call("preview_capsule_revert", principal.tenant_id, states[0].id, edit_id, using=using)
    now, reverted = (replace(state, risks=_risks(row)) for state, row in zip(states, rows, strict=True))
    return now, reverted


def _risks(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    return None if row["risks"] is None else tuple(json.loads(row["risks"]))


def register() -> None:
    """Called once, when the app is ready."""
    targets.register(CapsuleTarget())
