"""What an edit would do, without doing it."""

import uuid
from dataclasses import dataclass, replace
from decimal import Decimal

from governance import gate
from governance.edits import policies, targets
from governance.edits.patches import Patch, check_patch
from governance.edits.targets import TargetState
from governance.identity.principals import Principal
from governance.ledger import access
from governance.models import Edit
from governance.refusals import Forbidden


class WordsNotInEffect(Forbidden):
    """This revert would bring back words that are not in effect now; only people with a role read them before it is
    approved. Propose the revert: who decides it sees them."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The target before and after, as the caller sees it; its words are None where nobody would read the target."""

    before: TargetState
    after: TargetState
    effect: str
    no_longer_found_by: list[str]
    newly_found_by: list[str]
    approvals_required: int


EFFECTS = {
    "retract": "out of every answer",
    "quarantine": "out of every answer that does not ask for quarantined memory",
    "amend": "answers with the new text and importance",
    "attenuate": "answers with the new importance",
}

#: Characters: PostgreSQL refuses to make a search vector of more than a megabyte.
LEXEMES_OF = 25_000


def preview_edit(
    *, actor: Principal, target_type: str, target_id: uuid.UUID, op: str, patch: Patch, channel: str | None = None
) -> Preview:
    """Before and after of one edit, and the search words that would stop or start finding the target.

    Raises UnknownTargetType, NoSuchTarget where the caller may not see it, PatchDoesNotFit; for a revert Conflict
    where it would be refused, WordsNotInEffect for an agent where it would bring words back.
    """
    check_patch(op, patch, target_type=target_type)
    if op == Edit.Op.REVERT and patch.edit_id is not None:
        before, after = _reverted(actor, target_type, target_id, patch.edit_id, channel)
        effect = _effect_of_revert(actor, patch.edit_id, before, after)
    else:
        seen = targets.read(target_type, target_id, actor, channel)
        before = replace(targets.find(target_type, target_id, actor), text=seen.text, risks=seen.risks)
        after = _edited(before, op, patch.without_secrets())
        effect = EFFECTS.get(op) or f"out of every answer in the channel {patch.channel}"
    words_before, words_after = _lexemes(before.text or ""), _lexemes(after.text or "")
    return Preview(
        before=before,
        after=after,
        effect=effect,
        no_longer_found_by=sorted(words_before - words_after),
        newly_found_by=sorted(words_after - words_before),
        approvals_required=policies.approvals_for(actor, op, before.sensitivity),
    )


def _edited(before: TargetState, op: str, patch: Patch) -> TargetState:
    """The target once an edit other than a revert comes last in its fold."""
    after = replace(before, edits_applied=before.edits_applied + 1)
    match op:
        case Edit.Op.RETRACT:
            return replace(after, text=None, risks=None, is_retracted=True)
        case Edit.Op.QUARANTINE:
            return replace(after, is_quarantined=True)
        case Edit.Op.BLOCK:
            return replace(after, blocked_channels=tuple(sorted({*before.blocked_channels, str(patch.channel)})))
    now = Decimal(before.importance or 0)
    importance = patch.importance if patch.importance is not None else now + (patch.importance_delta or 0)
    return replace(
        after,
        text=before.text if patch.text is None else patch.text,
        risks=before.risks if patch.risks is None else tuple(patch.risks),
        importance=str(min(max(importance, Decimal(0)), Decimal(1))),
    )


def _reverted(
    actor: Principal, target_type: str, target_id: uuid.UUID, edit_id: uuid.UUID, channel: str | None
) -> tuple[TargetState, TargetState]:
    """The target now and without the edit, as the fold has it. Raises NoSuchTarget, Conflict, WordsNotInEffect."""
    before, after = (
        replace(state, text=None, risks=None) if state.is_in_no_answer else state
        for state in targets.read_revert(target_type, target_id, edit_id, actor, channel)
    )
    gate.call("require_revertible", actor.tenant_id, target_id, edit_id)
    # What was amended away may be what must not be read. An agent's revert waits for approval, which a preview must
    # not go around; and even where it does not wait, it leaves an entry, which a preview does not.
    if after.text not in (None, before.text) or after.risks not in (None, before.risks):
        if not actor.reads_all_edits:
            raise WordsNotInEffect(pointer="/patch/edit_id")
        access.log("words.viewed", actor=actor, target_type=target_type, target_id=target_id)
    return before, after


def _effect_of_revert(actor: Principal, edit_id: uuid.UUID, before: TargetState, after: TargetState) -> str:
    if replace(before, edits_applied=after.edits_applied) == after:
        return "nothing that readers see: other edits have the same effect"
    if after.is_retracted:
        return EFFECTS["retract"]
    if after.is_superseded:
        return "out of every answer: another record of its memory says it"
    cancelled = Edit.objects.get(tenant_id=actor.tenant_id, id=edit_id)
    return f"answers as without the {cancelled.op}"


def _lexemes(text: str) -> set[str]:
    """The words that full text finds `text` by, in their stems; of a very long text, those of its beginning."""
    beginning = text[:LEXEMES_OF]
    return set(gate.rows("SELECT tsvector_to_array(to_tsvector('english', %s)) AS words", [beginning])[0]["words"])
