"""The operations of edits: the patch fields, the effect and the labels of each.

Each is implemented by a branch of `fold_edits` (governance/sql/functions/fold_edits.sql).
"""

from dataclasses import dataclass, replace

from governance.edits.targets import TargetState
from governance.models import Edit


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. It requires none (""), at least one ("+") or exactly one ("1") of its patch fields."""

    takes: frozenset[str]
    needs: str
    effect: str  # as part of a sentence; {channel} is the patch's, {readers} the new audience
    label: str
    explanation: str
    is_destructive: bool = False  # a person must confirm it


OPERATIONS: dict[str, Operation] = {
    Edit.Op.AMEND: Operation(
        frozenset({"text", "importance"}),
        "+",
        "answers contain the new {changed}",
        "Correct",
        "Readers get the new text. The record keeps the old text.",
    ),
    Edit.Op.ATTENUATE: Operation(
        frozenset({"importance", "importance_delta"}),
        "1",
        "answers contain the new importance",
        "Change the importance",
        "The memory ranks higher or lower in answers.",
    ),
    Edit.Op.BLOCK: Operation(
        frozenset({"channel"}),
        "1",
        "removed from all answers in the channel {channel}",
        "Block for a channel",
        "Readers in that channel no longer get the memory.",
    ),
    Edit.Op.AUDIENCE: Operation(
        frozenset({"audience"}),
        "1",
        "answers contain it {readers}",
        "Change the audience",
        "Only the readers in the new audience get the memory, and what was made from it.",
    ),
    Edit.Op.QUARANTINE: Operation(
        frozenset(),
        "",
        "removed from all answers except those that include quarantined memory",
        "Quarantine",
        "Only readers who ask for quarantined memory get the memory.",
    ),
    Edit.Op.RETRACT: Operation(
        frozenset(),
        "",
        "removed from all answers",
        "Retract",
        "No answer returns the memory. The record keeps it.",
        is_destructive=True,
    ),
    Edit.Op.REVERT: Operation(
        frozenset({"edit_id"}),
        "1",
        "answers are as if the {reverted} had not been applied",
        "Revert",
        "The edit is cancelled; other edits of the same target stay in effect. The record keeps both the edit and the"
        " revert.",
        is_destructive=True,
    ),
}


def effect_of(
    op: str, before: TargetState, after: TargetState, *, channel: str | None = None, reverted: str = ""
) -> str:
    """The effect of an edit on its target, as part of a sentence; `reverted` is the operation that a revert cancels."""
    if op == Edit.Op.REVERT:
        if replace(before, edits_applied=after.edits_applied) == after:
            return "no visible change: other edits have the same effect"
        if after.is_retracted:
            return OPERATIONS[Edit.Op.RETRACT].effect
        if after.is_superseded:
            return f"{OPERATIONS[Edit.Op.RETRACT].effect}: another record of the same memory is returned instead"
    same = before.importance == after.importance, before.fields == after.fields
    changed = {(True, True): "text and importance", (True, False): "text", (False, True): "importance"}
    return OPERATIONS[op].effect.format(
        channel=channel,
        reverted=reverted,
        changed=changed.get(same, "text and importance"),
        readers="only for its new audience" if after.audience else "for all readers of its channel",
    )
