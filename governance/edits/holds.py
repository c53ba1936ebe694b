"""The ledger's entries of edits that the database made by itself: what it holds until it is approved (hold_target)."""

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
    """Append the entries of the holds that the open transaction has made so far and that were not recorded, and answer
    these. Without their entries the transaction cannot commit. Raises what appending.record_all raises."""
    drafts, held = drafts_of_holds(actor)
    appending.record_all(drafts, actor=actor)
    return held


def drafts_of_holds(actor: Principal) -> tuple[list[appending.Draft], list[Held]]:
    """What record_holds appends and answers, for a service that appends it with its own entries."""
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
