"""Who gains and who loses a target by an edit that changes its audience."""

from collections.abc import Sequence
from dataclasses import dataclass

from governance.acting.principals import Principal
from governance.edits import db, targets
from governance.edits.targets import TargetState


@dataclass(frozen=True, slots=True)
class ReadersChange:
    """The usersets that only one of the two audiences has; the principals that hear only one of them now, at most 100,
    and how many they are; and who has received the target already."""

    added: list[str]
    removed: list[str]
    gaining: list[str]
    gain: int
    losing: list[str]
    lose: int
    received_by: list[str]


def change(
    target_type: str,
    before: TargetState,
    after: TargetState,
    principal: Principal,
    *,
    usersets: Sequence[str] | None = None,
    using: str = "default",
) -> ReadersChange | None:
    """What changes for readers, for people with a role; None if the audience stays. `usersets` are those of a proposed
    audience. Called within the tenant on `using`."""
    if before.audience == after.audience or not principal.reads_all_edits:
        return None
    found = db.compare_audiences.on(using)(
        tenant=principal.tenant_id,
        before=list(before.audience),
        after=list(after.audience),
        usersets=None if usersets is None else list(usersets),
    )
    return ReadersChange(
        found.added,
        found.removed,
        found.gaining,
        found.gain,
        found.losing,
        found.lose,
        targets.kind_of(target_type).received_by(before.id),
    )
