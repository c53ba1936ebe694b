"""The page of one edit: the proposal, the memory now and after the edit, and its earlier edits."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from governance import edits
from governance.acting import gate
from governance.acting.principals import Principal
from governance.admin import queue, rendering, verdicts
from governance.edits import Reviewed, diffs, provenance, targets
from governance.edits.provenance import Origin, Use
from governance.edits.readers import ReadersChange
from governance.edits.targets import TargetState
from governance.ledger import access
from governance.models import Content, Edit, EditState, Verdict
from governance.refusals import Invalid

#: Earlier edits of the same target on one page.
HISTORY_AT_MOST = 20
#: Search words of each kind on one page.
SEARCH_WORDS_AT_MOST = 40
#: Names of readers of each kind on one page.
READERS_AT_MOST = 100

APPROVALS = {0: "no approval", 1: "one approval", 2: "two approvals"}


@dataclass(frozen=True, slots=True)
class Effect:
    """The right column: the importance, and who gets the memory."""

    importance: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Words:
    """The text that the `review` connection reads for a page: the target now, the two sides of the edit, and the
    proposed text if the target no longer exists."""

    now: TargetState | None
    sides: Reviewed | None = None
    proposed: str = ""


def visibility_note(state: TargetState) -> str:
    """Which readers do not get the memory; empty if all do."""
    notes = []
    if state.is_retracted:
        notes.append("Retracted: no answer returns it.")
    elif state.is_superseded:
        notes.append("Superseded: no answer returns it, because another record of the same memory does.")
    if state.is_quarantined:
        notes.append("Quarantined: only readers who ask for quarantined memory get it.")
    if state.blocked_channels:
        notes.append(f"Blocked in {', '.join(state.blocked_channels)}.")
    return " ".join(notes)


def context_of(edit: Edit, principal: Principal, seen_text: str | None = None) -> dict[str, Any]:
    """The page's context; the access log records the viewer. `seen_text` is the text that they saw before: if it has
    changed, the context has the difference."""
    # Before the text is read: if an edit is applied in between, the verdict is refused.
    state = _state(edit, principal)
    words, origin = _words(edit, principal), _origin(edit, principal)
    now = words.now
    pending = edit.state.status == EditState.Status.PENDING
    given = list(Verdict.objects.filter(tenant_id=principal.tenant_id, edit_id=edit.id).order_by("decided_at"))
    own = edit.proposed_by == principal.id
    decided_before = any(verdict.decided_by == principal.id for verdict in given)
    before, after = queue.neighbours(edit, principal)
    uses = provenance.uses_of(edit.target_type, edit.target_id, principal)
    said_before = words.sides.replaced[0] if words.sides else ""
    log_looking(edit, principal)
    return {
        **compared(edit, words),
        "approvals_required": APPROVALS[edit.approvals_required],
        "verdicts": [(verdict, rendering.shown(verdict.reason)) for verdict in given],
        "history": [(other, rendering.shown(other.reason)) for other in _history(edit)],
        "origin": [(name, rendering.shown(value)) for name, value in origin.facts],
        "around": [(one, rendering.shown(one.what), rendering.shown(one.text or "")) for one in origin.around],
        "uses": [replace(use, name=rendering.shown(use.name)) for use in uses],
        "replaced": rendering.shown(said_before),
        "elsewhere": provenance.elsewhere(edit, said_before, principal),
        "uses_at_most": provenance.USES_AT_MOST if _is_cut(uses) else None,
        "found_by": _found_by(words.sides) if pending and words.sides else [],
        "own": own,
        "held": edit.state.held_by == principal.id and not own,
        "decided_before": decided_before,
        "may_decide": pending and principal.may_decide and not own and not decided_before and now is not None,
        "patch_sha256": bytes(edit.patch_sha256).hex(),
        "target_state": state,
        # As ASCII: forms convert line ends, and the page's source must have no invisible characters.
        "seen_text": json.dumps(now.words if now else None),
        "since": _changes_since(seen_text, now),
        "before_id": before,
        "after_id": after,
    }


def _is_cut(uses: list[Use]) -> bool:
    """Whether there may be more uses of a kind than the page lists."""
    return any(count >= provenance.USES_AT_MOST for count in Counter(use.what for use in uses).values())


def items_of(chosen: list[Edit], principal: Principal) -> list[dict[str, Any]]:
    """Several edits for one page, each with its two sides and the fields that a verdict must contain."""
    items = []
    with gate.acting_as(principal, using="review"):
        for edit in chosen:
            state = _state(edit, principal)
            log_looking(edit, principal)
            seen = f"{edit.id}:{bytes(edit.patch_sha256).hex()}:{state}"
            items.append({**compared(edit, _words(edit, principal)), "seen": seen})
    return items


def log_looking(edit: Edit, principal: Principal) -> None:
    """Record in the access log that `principal` saw the target's text, including removed text."""
    access.log("words.viewed", actor=principal, target_type=edit.target_type, target_id=edit.target_id)


def compared(edit: Edit, words: Words) -> dict[str, Any]:
    """The proposal and its two sides."""
    now = words.now
    return {
        "edit": edit,
        "op_name": verdicts.op_name(edit),
        "reason": rendering.shown(edit.reason),
        "now": now,
        "summary": rendering.shown(now.summary) if now else None,
        "visibility_note": visibility_note(now) if now else "",
        **_sides(edit, words),
    }


def _changes_since(seen: str | None, now: TargetState | None) -> dict[str, Any] | None:
    """The difference between the text that the reviewer saw and the current text; None if there is none."""
    try:
        text = json.loads(seen or "null")
    except ValueError:
        return None
    if not isinstance(text, str) or now is None or now.words is None or text == now.words:
        return None
    pieces = diffs.word_diff(text, now.words)
    return {"before": rendering.before_side(pieces), "after": rendering.after_side(pieces)}


def _found_by(sides: Reviewed) -> list[tuple[str, SafeString]]:
    """The search words that would stop and start finding the target."""
    before, after = sides.before.found_by, sides.after.found_by
    changes = [("No longer found by", sorted(before - after)), ("Newly found by", sorted(after - before))]
    return [(title, rendering.shown(", ".join(found[:SEARCH_WORDS_AT_MOST]))) for title, found in changes if found]


def _origin(edit: Edit, principal: Principal) -> Origin:
    with gate.acting_as(principal, using="review"):
        return provenance.origin_of(edit.target_type, edit.target_id)


def _state(edit: Edit, principal: Principal) -> str:
    try:
        return targets.state_of(edit.target_type, edit.target_id, principal)
    except Invalid:  # a kind of target whose app is not installed
        return ""


def _words(edit: Edit, principal: Principal) -> Words:
    """The target with its effective text, and the two sides of the edit."""
    with gate.acting_as(principal, using="review"):
        try:
            kind = targets.kind_of(edit.target_type)
        except Invalid:  # a kind of target whose app is not installed
            return Words(None, proposed=_proposed(edit, principal, targets.TargetKind()))
        now = kind.review(edit.target_id)
        if now is None:
            return Words(None, proposed=_proposed(edit, principal, kind))
        return Words(now, edits.review_edit(edit, principal))


def _proposed(edit: Edit, principal: Principal, kind: targets.TargetKind) -> str:
    if edit.content_id is None:
        return ""
    contents = Content.objects.using("review").filter(tenant_id=principal.tenant_id, id=edit.content_id)
    fields = edits.words_in(contents.values_list("body", flat=True).first(), edit.target_type)
    return kind.state(fields, id=edit.target_id, sensitivity="", edits_applied=0).words or ""


def _sides(edit: Edit, words: Words) -> dict[str, Any]:
    """Both columns. While an edit is pending, they are the target now and with the edit; while it is in effect, the
    target without and with it. For any other decided edit, the right column shows the proposal."""
    if words.now is None or words.sides is None:
        return {"effect": None, "before": None, "after": rendering.shown(words.proposed), "readers": []}
    sides, now = words.sides, words.now
    shown: list[SafeString | None] = [
        None if text is None else rendering.shown(text) for text in (sides.before.words, sides.after.words)
    ]
    before_text, after_text = _read_text(sides.before, sides.after), _read_text(sides.after, sides.before)
    is_kept = edit.state.status != EditState.Status.PENDING and edit.op == Edit.Op.RETRACT and not sides.is_in_effect
    if before_text is not None and after_text is not None and not is_kept:
        pieces = diffs.word_diff(before_text, after_text)
        shown = [rendering.before_side(pieces), rendering.after_side(pieces)]
    sides_shown = {
        "before": shown[0],
        "after": shown[1],
        "erased": now.text is None,
        "readers": _readers(sides.readers),
    }
    if sides.is_in_effect:
        return {
            **sides_shown,
            "effect": Effect(sides.after.importance, visibility_note(sides.after)),
            "without": sides.before,
            "visibility_note": visibility_note(sides.before),
        }
    note = f"{sides.effect[:1].upper()}{sides.effect[1:]}."
    if not sides.after.is_in_no_answer:
        note = f"{note} {visibility_note(sides.after)}".strip()
    return {**sides_shown, "effect": Effect(sides.after.importance, note)}


def _readers(change: ReadersChange | None) -> list[tuple[str, SafeString]]:
    """What an edit of the audience changes for readers, and who has received the target already."""
    if change is None:
        return []
    rows = [
        ("Added to the audience", change.added, len(change.added)),
        ("Removed from the audience", change.removed, len(change.removed)),
        ("With it only, now", change.gaining, change.gain),
        ("Without it only, now", change.losing, change.lose),
        ("Received already by", change.received_by, len(change.received_by)),
    ]
    return [(title, rendering.shown(_named(names, count))) for title, names, count in rows]


def _named(names: list[str], count: int) -> str:
    shown = names[:READERS_AT_MOST]
    more = f" and {count - len(shown):,} more" if count > len(shown) else ""
    return f"{', '.join(shown)}{more}" if shown else "nobody"


def _read_text(state: TargetState, other: TargetState) -> str | None:
    """The text of one side: None if readers do not get it, unless the other side has none either."""
    return "" if state.is_in_no_answer and not other.is_in_no_answer else state.words


def _history(edit: Edit) -> QuerySet[Edit]:
    """The other edits of the same target, newest first."""
    others = Edit.objects.filter(tenant_id=edit.tenant_id, target_id=edit.target_id).exclude(id=edit.id)
    return others.select_related("state").order_by("-created_at", "-id")[:HISTORY_AT_MOST]
