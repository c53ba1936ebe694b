"""Ledger entries of edits that the database makes: it holds a target until it is approved (hold_target)."""

import uuid
from dataclasses import dataclass

from governance.acting.principals import Principal
from governance.edits import db
from governance.ledger import appending


@dataclass(frozen=True, slots=True)
class Held:
    """A target that is hidden until `release` is approved, a pending revert."""

    target_type: str
    target_id: uuid.UUID
    release: uuid.UUID


def record_holds(actor: Principal) -> list[Held]:
    """Append the missing entries of the holds that the open transaction has made so far, and return these holds.
    Without the entries the transaction cannot commit. Raises the exceptions of appending.record_all."""
    drafts, held = drafts_of_holds(actor)
    appending.record_all(drafts, actor=actor)
    return held


def drafts_of_holds(actor: Principal) -> tuple[list[appending.Draft], list[Held]]:
    """The entries and holds of record_holds, for a service that appends them with its own entries."""
    entries, held = [], []
    recorded = appending.held_values("edit")
    for edit in db.owed_edits(tenant=actor.tenant_id):
        if str(edit.edit_id) in recorded:
            continue
        facts = {
            "edit": str(edit.edit_id),
            "op": edit.op,
            "target_type": edit.target_type,
            "target_id": str(edit.target_id),
            "patch_sha256": edit.patch_sha256.hex(),
            "reason": edit.reason,
        }
        if edit.is_in_effect:
            entries.append(
                appending.Draft("edit.approved", {**facts, "decided_by": f"policy:{edit.policy}", "in_effect": True})
            )
        else:
            asked = {"policy": edit.policy, "approvals_required": edit.approvals_required}
            entries.append(appending.Draft("edit.proposed", {**facts, **asked}))
            held.append(Held(edit.target_type, edit.target_id, edit.edit_id))
    return entries, held
