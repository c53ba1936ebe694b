"""What a reviewer sees of one edit: the proposal, the memory now and as it would be, and what happened before."""

import json
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.db import Error as DatabaseFailure
from django.db import transaction
from django.db.models import QuerySet
from django.utils.safestring import SafeString

from governance import edits, gate
from governance.admin import queue, rendering
from governance.edits import Patch, diffs, provenance, targets
from governance.edits.provenance import Origin
from governance.edits.targets import TargetState
from governance.identity.principals import Principal
from governance.ledger import access
from governance.models import Content, Edit, EditState, Verdict
from governance.refusals import Invalid, Refusal

#: Earlier edits of the same target on one page.
HISTORY_AT_MOST = 20
#: Search words of each kind on one page.
SEARCH_WORDS_AT_MOST = 40

APPROVALS = {0: "no approval", 1: "one approval", 2: "two approvals"}


@dataclass(frozen=True, slots=True)
class Effect:
    """A memory as it would be. `text` is None where the words were erased."""

    text: str | None
    importance: Decimal | None
    note: str


@dataclass(frozen=True, slots=True)
class Words:
    """What the `review` connection reads for a page: the target now, the proposed words, what a revert would leave, and
    the target as it would be without an edit that is in effect."""

    now: TargetState | None
    proposed: dict[str, Any] = field(default_factory=dict)
    reverted: TargetState | None = None
    without: TargetState | None = None


def standing(state: TargetState) -> str:
    """Who does not get the memory; empty where nothing hides it."""
    notes = []
    if state.is_retracted:
        notes.append("Retracted: in no answer.")
    elif state.is_superseded:
        notes.append("In no answer: another record of its memory says it.")
    if state.is_quarantined:
        notes.append("Quarantined: only for readers who ask for it.")
    if state.blocked_channels:
        notes.append(f"Blocked for {', '.join(state.blocked_channels)}.")
    return " ".join(notes)


def effect_of(edit: Edit, now: TargetState, words: Words) -> Effect:
    """What `edit` would make of its target as it is now: approved now, it comes last in the fold."""
    importance = Decimal(now.importance) if now.importance is not None else None
    match edit.op:
        case Edit.Op.RETRACT:
            return Effect("", importance, "Taken out of every answer. The record keeps it.")
        case Edit.Op.QUARANTINE:
            return Effect(now.words, importance, "Held back, except from readers who ask for quarantined memory.")
        case Edit.Op.BLOCK:
            return Effect(now.words, importance, f"Never given to the {edit.channel} channel.")
        case Edit.Op.ATTENUATE:
            if edit.importance is None and edit.importance_delta is not None and importance is not None:
                return Effect(now.words, max(Decimal(0), min(Decimal(1), importance + edit.importance_delta)), "")
            return Effect(now.words, edit.importance, "")
        case Edit.Op.AMEND:
            new = replace(now, **words.proposed)
            return Effect(new.words, importance if edit.importance is None else edit.importance, "")
    note = f"The {edit.reverts.op} that it cancels no longer holds. "
    reverted = words.reverted or now
    return Effect(_read_text(reverted, now), Decimal(reverted.importance or 0), (note + standing(reverted)).strip())


def context_of(edit: Edit, principal: Principal, seen_text: str | None = None) -> dict[str, Any]:
    """The page's facts; that somebody looks at the words is logged. `seen_text` is what they saw before: where the
    memory says something else by now, the difference is among the facts."""
    # Before the words are read: if an edit is applied in between, the verdict is refused rather than misled.
    state = _state(edit, principal)
    words, origin = _words(edit, principal), _origin(edit, principal)
    now = words.now
    pending = edit.state.status == EditState.Status.PENDING
    verdicts = list(Verdict.objects.filter(tenant_id=principal.tenant_id, edit_id=edit.id).order_by("decided_at"))
    own = edit.proposed_by == principal.id
    decided_before = any(verdict.decided_by == principal.id for verdict in verdicts)
    before, after = queue.neighbours(edit, principal)
    log_looking(edit, principal)
    return {
        **compared(edit, words),
        "approvals_required": APPROVALS[edit.approvals_required],
        "verdicts": [(verdict, rendering.shown(verdict.reason)) for verdict in verdicts],
        "history": [(other, rendering.shown(other.reason)) for other in _history(edit)],
        "origin": [(name, rendering.shown(value)) for name, value in origin.facts],
        "around": [(one, rendering.shown(one.what), rendering.shown(one.text or "")) for one in origin.around],
        "uses": provenance.uses_of(edit.target_type, edit.target_id, principal),
        "found_by": _found_by(edit, words, principal) if pending else [],
        "own": own,
        "decided_before": decided_before,
        "may_decide": pending and principal.may_decide and not own and not decided_before and now is not None,
        "patch_sha256": bytes(edit.patch_sha256).hex(),
        "target_state": state,
        # As ASCII: a form changes line ends, and what cannot be seen stays out of the page's source.
        "seen_text": json.dumps(now.words if now else None),
        "since": _since(seen_text, now),
        "before_id": before,
        "after_id": after,
    }


def items_of(chosen: list[Edit], principal: Principal) -> list[dict[str, Any]]:
    """Several edits for one page, each with its two sides and with what a verdict on it must carry."""
    items = []
    with gate.tenant(principal.tenant_id, using="review"):
        for edit in chosen:
            state = _state(edit, principal)
            log_looking(edit, principal)
            seen = f"{edit.id}:{bytes(edit.patch_sha256).hex()}:{state}"
            items.append({**compared(edit, _words(edit, principal)), "seen": seen})
    return items


def log_looking(edit: Edit, principal: Principal) -> None:
    """Note that `principal` was shown the target's words as they are, corrected ones among them."""
    access.log("words.viewed", actor=principal, target_type=edit.target_type, target_id=edit.target_id)


def compared(edit: Edit, words: Words) -> dict[str, Any]:
    """The proposal and its two sides."""
    now = words.now
    return {
        "edit": edit,
        "reason": rendering.shown(edit.reason),
        "now": now,
        "summary": rendering.shown(now.summary) if now else None,
        "standing": standing(now) if now else "",
        **_sides(edit, words),
    }


def _since(seen: str | None, now: TargetState | None) -> dict[str, Any] | None:
    """What the memory says by now beside what the page says was seen of it; None where it says the same."""
    try:
        text = json.loads(seen or "null")
    except ValueError:
        return None
    if not isinstance(text, str) or now is None or now.words is None or text == now.words:
        return None
    pieces = diffs.word_diff(text, now.words)
    return {"before": rendering.before_side(pieces), "after": rendering.after_side(pieces)}


def _found_by(edit: Edit, words: Words, principal: Principal) -> list[tuple[str, SafeString]]:
    """Which searches would stop and start finding the target; nothing where that cannot be told."""
    patch = Patch(
        **words.proposed,
        importance=edit.importance,
        importance_delta=edit.importance_delta,
        channel=edit.channel,
        edit_id=edit.reverts_id,
    )
    try:
        with transaction.atomic():
            preview = edits.preview_edit(
                actor=principal, target_type=edit.target_type, target_id=edit.target_id, op=edit.op, patch=patch
            )
    except (Refusal, DatabaseFailure):  # the target is in no answer, or the revert has nothing to cancel
        return []
    changes = [("No longer found by", preview.no_longer_found_by), ("Newly found by", preview.newly_found_by)]
    return [(title, rendering.shown(", ".join(found[:SEARCH_WORDS_AT_MOST]))) for title, found in changes if found]


def _origin(edit: Edit, principal: Principal) -> Origin:
    with gate.tenant(principal.tenant_id, using="review"):
        return provenance.origin_of(edit.target_type, edit.target_id)


def _state(edit: Edit, principal: Principal) -> str:
    try:
        return targets.state_of(edit.target_type, edit.target_id, principal)
    except Invalid:  # a kind of target whose app is not there
        return ""


def _words(edit: Edit, principal: Principal) -> Words:
    """The target with its effective words, and those that the edit would give it."""
    with gate.tenant(principal.tenant_id, using="review"):
        try:
            kind = targets.kind_of(edit.target_type)
        except Invalid:  # a kind of target whose app is not there
            return Words(None, _proposed(edit, principal))
        if edit.reverts_id is None:
            return Words(kind.review(edit.target_id), _proposed(edit, principal), without=_without(edit, principal))
        states = kind.review_revert(edit.target_id, edit.reverts_id, principal)
        return Words(kind.review(edit.target_id), reverted=states[1] if states else None)


def _without(edit: Edit, principal: Principal) -> TargetState | None:
    """The target as the fold would leave it without an edit that is in effect; None for any other edit."""
    if edit.state.status != EditState.Status.APPROVED:
        return None
    states = targets.kind_of(edit.target_type).review_revert(edit.target_id, edit.id, principal)
    if states is None or states[0].edits_applied == states[1].edits_applied:  # it was reverted
        return None
    return states[1]


def _proposed(edit: Edit, principal: Principal) -> dict[str, Any]:
    if edit.content_id is None:
        return {}
    contents = Content.objects.using("review").filter(tenant_id=principal.tenant_id, id=edit.content_id)
    return edits.words_in(contents.values_list("body", flat=True).first(), edit.target_type)


def _sides(edit: Edit, words: Words) -> dict[str, Any]:
    """Both columns. Once decided, the right one shows what was proposed, not what would follow from it; and while that
    is in effect, what it does: the target without it, and with it."""
    now = words.now
    if now is None:
        proposed = TargetState(edit.target_id, "", 0, **words.proposed).words
        return {"effect": None, "before": None, "after": rendering.shown(proposed or "")}
    if words.without is not None:
        return _in_effect(words.without, now)
    effect = effect_of(edit, now, words)
    now_text = now.words if words.reverted is None else _read_text(now, words.reverted)
    before: SafeString | None = None if now_text is None else rendering.shown(now_text)
    after: SafeString | None = None if effect.text is None else rendering.shown(effect.text)
    decided = edit.state.status != "pending"
    if now_text is not None and effect.text is not None and not (decided and edit.op == Edit.Op.RETRACT):
        pieces = diffs.word_diff(now_text, effect.text)
        before, after = rendering.before_side(pieces), rendering.after_side(pieces)
    return {"effect": effect, "before": before, "after": after, "erased": now.text is None}


def _in_effect(without: TargetState, now: TargetState) -> dict[str, Any]:
    """Both columns of an edit that is in effect."""
    sides: list[SafeString | None] = [
        None if text is None else rendering.shown(text) for text in (without.words, now.words)
    ]
    before_text, after_text = _read_text(without, now), _read_text(now, without)
    if before_text is not None and after_text is not None:
        pieces = diffs.word_diff(before_text, after_text)
        sides = [rendering.before_side(pieces), rendering.after_side(pieces)]
    importance = None if now.importance is None else Decimal(now.importance)
    return {
        "effect": Effect(now.words, importance, standing(now)),
        "before": sides[0],
        "after": sides[1],
        "without": without,
        "standing": standing(without),
        "erased": now.text is None,
    }


def _read_text(state: TargetState, other: TargetState) -> str | None:
    """One side of a revert: no words where readers get none, unless they get none on the other side either."""
    return "" if state.is_in_no_answer and not other.is_in_no_answer else state.words


def _history(edit: Edit) -> QuerySet[Edit]:
    """The other edits of the same target, newest first."""
    others = Edit.objects.filter(tenant_id=edit.tenant_id, target_id=edit.target_id).exclude(id=edit.id)
    return others.select_related("state").order_by("-created_at", "-id")[:HISTORY_AT_MOST]
