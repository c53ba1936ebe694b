"""Preview an edit without applying it: the fold in the database treats it as if it were applied last."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.acting.principals import Principal
from governance.edits import db, diffs, policies, readers, targets
from governance.edits.operations import effect_of
from governance.edits.patches import Patch, check_patch
from governance.edits.readers import ReadersChange
from governance.edits.targets import TargetState
from governance.ledger import access
from governance.models import Edit, EditState
from governance.refusals import Forbidden


class WordsNotInEffect(Forbidden):
    """This revert would restore text that is not in effect now. Before approval, only people with a role can read it.
    Propose the revert: its reviewer sees the text."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The target before and after, as the caller sees it; its text is None if no reader gets the target."""

    before: TargetState
    after: TargetState
    effect: str
    approvals_required: int
    #: For people with a role, if the audience changes.
    readers: ReadersChange | None = None

    @property
    def no_longer_found_by(self) -> list[str]:
        """The search words that would stop finding the target."""
        return sorted(self.before.found_by - self.after.found_by)

    @property
    def newly_found_by(self) -> list[str]:
        """The search words that would start finding the target."""
        return sorted(self.after.found_by - self.before.found_by)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The two sides of a recorded edit, with text: while it is in effect, the target without and with it; otherwise the
    target now and with the edit."""

    before: TargetState
    after: TargetState
    effect: str
    is_in_effect: bool
    readers: ReadersChange | None = None

    @property
    def replaced(self) -> tuple[str, str]:
        """The words that the edit takes out of answers, and the words that it puts in their place."""
        return diffs.replaced(*("" if one.is_in_no_answer else one.words or "" for one in (self.before, self.after)))


def preview_edit(
    *, actor: Principal, target_type: str, target_id: uuid.UUID, op: str, patch: Patch, channel: str | None = None
) -> Preview:
    """The target before and after one edit, and the search words that would stop or start finding it.

    Raises UnknownTargetType, NoSuchTarget if the caller may not see it, PatchDoesNotFit; for a revert Conflict if it
    would be refused, and WordsNotInEffect for an agent if it would restore text.
    """
    check_patch(op, patch, target_type=target_type)
    kind = targets.kind_of(target_type)
    # People with a role may read retracted and blocked memory, so they see the text that a revert restores.
    looks_after = op == Edit.Op.REVERT and actor.reads_all_edits
    states = None
    if looks_after or kind.may_read(target_id, actor, channel):
        if patch.audience is not None:
            patch = patch.about(targets.find(target_type, target_id, actor).subject)
        edit = _as_proposed(op, patch, target_type)
        states = targets.preview(target_type, target_id, edit, actor)
    if states is None or not kind.may_hear(states[0].sensitivity, actor, channel):
        raise targets.NoSuchTarget(f"There is no {target_type} {target_id} that you can read.", pointer="/target_id")
    before, after = (state.without_words() if state.is_in_no_answer else state for state in states)
    reverted = ""
    if op == Edit.Op.REVERT and (reverted_id := patch.edit_id):
        db.require_revertible(tenant=actor.tenant_id, target=target_id, edit=reverted_id)
        _require_readable(before, after, actor, target_type)
        reverted = Edit.objects.get(tenant_id=actor.tenant_id, id=reverted_id).op
    return Preview(
        before,
        after,
        effect_of(op, before, after, channel=patch.channel, reverted=reverted),
        policies.approvals_for(actor, edit, target_type, target_id, before.sensitivity),
        readers.change(target_type, before, after, actor, usersets=patch.audience),
    )


def review_edit(edit: Edit, principal: Principal) -> Reviewed | None:
    """The two sides of a recorded edit for a reviewer; None if there is no such target. Raises UnknownTargetType.
    Called within the tenant on `review`."""
    if edit.state.status == EditState.Status.APPROVED:
        cancelling = {"op": Edit.Op.REVERT, "reverts_id": edit.id}
        states = targets.preview(edit.target_type, edit.target_id, cancelling, principal, using="review")
        if states is not None and states[0].edits_applied != states[1].edits_applied:  # it was not reverted
            now, without = states
            change = readers.change(edit.target_type, without, now, principal, using="review")
            return Reviewed(without, now, "", True, change)
    states = targets.preview(edit.target_type, edit.target_id, _as_recorded(edit), principal, using="review")
    if states is None:
        return None
    reverted = edit.reverts.op if edit.reverts else ""
    effect = effect_of(edit.op, *states, channel=edit.channel, reverted=reverted)
    return Reviewed(*states, effect, False, readers.change(edit.target_type, *states, principal, using="review"))


def _as_proposed(op: str, patch: Patch, target_type: str) -> Mapping[str, Any]:
    """An unproposed edit, with its text as it would be stored."""
    stored = patch.without_secrets()
    return {
        "op": op,
        "body": stored.body(target_type),
        "importance": stored.importance,
        "importance_delta": stored.importance_delta,
        "channel": stored.channel,
        "usersets": stored.audience,
        "reverts_id": stored.edit_id,
    }


def _as_recorded(edit: Edit) -> Mapping[str, Any]:
    fields = ("op", "content_id", "importance", "importance_delta", "channel", "audience", "reverts_id")
    return {name: getattr(edit, name) for name in fields}


def _require_readable(before: TargetState, after: TargetState, actor: Principal, target_type: str) -> None:
    """Refuse to show an agent text that an amend has removed. An agent's revert may need approval, which a preview must
    not bypass; and even without approval it leaves a ledger entry, unlike a preview."""
    if after.text is None or after.fields == before.fields:
        return
    if not actor.reads_all_edits:
        raise WordsNotInEffect(pointer="/patch/edit_id")
    access.log("words.viewed", actor=actor, target_type=target_type, target_id=after.id)
