"""What an edit would do, without writing anything."""

import uuid
from dataclasses import dataclass
from decimal import Decimal

from governance import gate, targets
from governance.principals import Principal
from governance.services import policies
from governance.services.edits.patches import Patch, PatchDoesNotFit, check_patch


@dataclass(frozen=True, slots=True)
class Preview:
    """Before and after as the caller sees them. `after_text` is None where nobody would find the target any more."""

    before_text: str
    after_text: str | None
    before_importance: Decimal
    after_importance: Decimal
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

    Raises UnknownTargetType, NoSuchTarget where the caller may not see it, PatchDoesNotFit (a revert has no preview).
    """
    check_patch(op, patch)
    if op == "revert":
        raise PatchDoesNotFit("A revert has no preview; the target's history shows the state before.", pointer="/op")
    patch = patch.without_secrets()
    seen = targets.read(target_type, target_id, actor, channel)
    sensitivity = targets.find(target_type, target_id, actor).sensitivity
    before_text, before = seen.text or "", Decimal(seen.importance or 0)
    after_text = None if op == "retract" else patch.text if patch.text is not None else before_text
    after = patch.importance if patch.importance is not None else before + (patch.importance_delta or 0)
    words_before, words_after = _lexemes(before_text), _lexemes(after_text or "")
    return Preview(
        before_text=before_text,
        after_text=after_text,
        before_importance=before,
        after_importance=min(max(after, Decimal(0)), Decimal(1)),
        effect=EFFECTS.get(op) or f"out of every answer in the channel {patch.channel}",
        no_longer_found_by=sorted(words_before - words_after),
        newly_found_by=sorted(words_after - words_before),
        approvals_required=policies.approvals_for(actor, op, sensitivity),
    )


def _lexemes(text: str) -> set[str]:
    """The words that full text finds `text` by, in their stems; of a very long text, those of its beginning."""
    beginning = text[:LEXEMES_OF]
    return set(gate.rows("SELECT tsvector_to_array(to_tsvector('english', %s)) AS words", [beginning])[0]["words"])
