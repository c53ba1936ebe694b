"""Capsules as targets of edits: their text is the note."""

import json
import uuid

from django.db.models import Exists, OuterRef, Q

from capsules.models import CapsuleAudience, EffectiveCapsule
from governance import gate, targets
from governance.principals import Principal
from governance.targets import TargetState
from memory.reading.audience import audience
from memory.targets import RevertPreview

_REVIEWED = (
    "SELECT x.*, n.body AS note, r.body AS risks FROM capsules_effectivecapsule x"
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
            )
            for row in rows
        }

    def read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState | None:
        who = audience(principal, channel)
        row = gate.call(
            "read_capsule", principal.tenant_id, target_id, principal.kind, principal.id, who.listening,
            who.sensitivities,
        )[0]  # fmt: skip
        if row["refusal"] or row["withheld"]:
            return None
        importance = str(row["importance"])
        return TargetState(target_id, "", row["edits_applied"], text=row["note"] or "", importance=importance)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        found = gate.rows(_REVIEWED, [target_id], using="review")
        if not found:
            return None
        row = found[0]
        summary = (
            f"{row['scope']}, {row['subject_type']} {row['subject_id']}, from {row['author']} to"
            f" {row['audience_count']} agents until {row['expires_at']:%Y-%m-%d %H:%M} UTC, {row['item_count']} items"
        )
        if row["risks"]:
            summary += f". Risks: {'; '.join(json.loads(row['risks']))}"
        return TargetState(
            row["id"],
            row["sensitivity"],
            row["edits_applied"],
            summary=summary,
            text=row["note"] or "",
            importance=str(row["importance"]),
            is_retracted=row["is_retracted"],
            is_quarantined=row["is_quarantined"],
            blocked_channels=tuple(row["blocked_channels"]),
        )


def register() -> None:
    """Called once, when the app is ready."""
    targets.register(CapsuleTarget())
