"""What a reviewer sees of one edit: the proposal, the memory now and as it would be, and what happened before."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from governance import diffs, gate, targets
from governance.admin import rendering
from governance.models import Content, Edit, Verdict
from governance.principals import Principal
from governance.refusals import Invalid
from governance.targets import TargetState

#: Earlier edits of the same target on one page.
HISTORY_AT_MOST = 20

APPROVALS = {0: "no approval", 1: "one approval", 2: "two approvals"}


@dataclass(frozen=True, slots=True)
class Effect:
    """A memory as it would be. `text` is None where it cannot be told from here."""

    text: str | None
    importance: Decimal | None
    note: str


def effect_of(edit: Edit, now: TargetState, proposed: str | None) -> Effect:
    """What `edit` would make of its target as it is now: approved now, it comes last in the fold."""
    importance = Decimal(now.importance) if now.importance is not None else None
    match edit.op:
        case Edit.Op.RETRACT:
            return Effect("", importance, "Taken out of every answer. The record keeps it.")
        case Edit.Op.QUARANTINE:
            return Effect(now.text, importance, "Held back, except from readers who ask for quarantined memory.")
        case Edit.Op.BLOCK:
            return Effect(now.text, importance, f"Never given to the {edit.channel} channel.")
        case Edit.Op.ATTENUATE:
            if edit.importance is None and edit.importance_delta is not None and importance is not None:
                return Effect(now.text, max(Decimal(0), min(Decimal(1), importance + edit.importance_delta)), "")
            return Effect(now.text, edit.importance, "")
        case Edit.Op.AMEND:
            new = now.text if proposed is None else proposed
            return Effect(new, importance if edit.importance is None else edit.importance, "")
    cancelled: Edit = edit.reverts
    if cancelled.op == Edit.Op.AMEND:
        return Effect(None, None, "Back to the text and importance before the amendment that it cancels.")
    if cancelled.op == Edit.Op.ATTENUATE:
        return Effect(now.text, None, "Back to the importance before the edit that it cancels.")
    return Effect(now.text, importance, f"The {cancelled.op} that it cancels no longer holds.")


def context_of(edit: Edit, principal: Principal) -> dict[str, Any]:
    """The page's facts. Words come over the `review` connection, which alone may select them."""
    # Before the words are read: if an edit is applied in between, the verdict is refused rather than misled.
    state = _state(edit, principal)
    now, proposed = _words(edit, principal)
    pending = edit.state.status == "pending"
    verdicts = list(Verdict.objects.filter(tenant_id=principal.tenant_id, edit_id=edit.id).order_by("decided_at"))
    own = edit.proposed_by == principal.id
    decided_before = any(verdict.decided_by == principal.id for verdict in verdicts)
    return {
        "edit": edit,
        "reason": rendering.shown(edit.reason),
        "approvals_required": APPROVALS[edit.approvals_required],
        "now": now,
        "summary": rendering.shown(now.summary) if now else None,
        **_sides(edit, now, proposed),
        "verdicts": [(verdict, rendering.shown(verdict.reason)) for verdict in verdicts],
        "history": [(other, rendering.shown(other.reason)) for other in _history(edit)],
        "own": own,
        "decided_before": decided_before,
        "may_decide": pending and principal.may_decide and not own and not decided_before and now is not None,
        "patch_sha256": bytes(edit.patch_sha256).hex(),
        "target_state": state,
    }


def _state(edit: Edit, principal: Principal) -> str:
    try:
        return targets.state_of(edit.target_type, edit.target_id, principal)
    except Invalid:  # a kind of target whose app is not there
        return ""


def _words(edit: Edit, principal: Principal) -> tuple[TargetState | None, str | None]:
    """The target with its effective text, and the proposed text."""
    with gate.tenant(principal.tenant_id, using="review"):
        try:
            now = targets.kind_of(edit.target_type).review(edit.target_id)
        except Invalid:  # a kind of target whose app is not there
            now = None
        proposed = None
        if edit.content_id is not None:
            contents = Content.objects.using("review").filter(tenant_id=principal.tenant_id, id=edit.content_id)
            proposed = contents.values_list("body", flat=True).first()
    return now, proposed


def _sides(edit: Edit, now: TargetState | None, proposed: str | None) -> dict[str, Any]:
    """Both columns. Once decided, the right one shows what was proposed, not what would follow from it."""
    if now is None:
        return {"effect": None, "before": None, "after": rendering.shown(proposed or "")}
    effect = effect_of(edit, now, proposed)
    before: SafeString | None = None if now.text is None else rendering.shown(now.text)
    after: SafeString | None = None if effect.text is None else rendering.shown(effect.text)
    decided = edit.state.status != "pending"
    if now.text is not None and effect.text is not None and not (decided and edit.op == Edit.Op.RETRACT):
        pieces = diffs.word_diff(now.text, effect.text)
        before, after = rendering.before_side(pieces), rendering.after_side(pieces)
    return {"effect": effect, "before": before, "after": after, "erased": now.text is None}


def _history(edit: Edit) -> QuerySet[Edit]:
    """The other edits of the same target, newest first."""
    others = Edit.objects.filter(tenant_id=edit.tenant_id, target_id=edit.target_id).exclude(id=edit.id)
    return others.select_related("state").order_by("-created_at", "-id")[:HISTORY_AT_MOST]
