"""Values as targets of edits: a retract forgets a value everywhere, an amend replaces it, a revert allows it again."""

import uuid
from collections.abc import Sequence
from typing import Any, ClassVar

from governance.acting.principals import Principal
from governance.database.typed_calls import select
from governance.edits import targets
from governance.edits.targets import TargetKind, TargetState
from governance.models import Edit
from governance.refusals import Conflict, Invalid, register_constraint
from governance.text import TextRule
from memory.models import Value
from memory.values import db

#: A value, and the words that replace it.
VALUE_TEXT = TextRule(2_000)


class _UnfitValue(Invalid):
    def __init__(self, detail: str = "", **where: Any) -> None:
        super().__init__(detail, **{"pointer": "/value", **where})


class ValueSaysNothing(_UnfitValue):
    """A value needs at least two letters or digits, and a word that is not a stop word such as "the"."""


class ValueTooLong(_UnfitValue):
    """A value has at most 100 words."""


class NotAnEditOfValues(Invalid):
    """You can forget a value (retract), replace it (amend with a text) and allow it again (revert), nothing else."""


class ReplacementSaysValue(Invalid):
    """The new words say the value that they replace, so it would never be gone. Choose other words, or forget the
    value."""


class ValueNotForgotten(Conflict):
    """This value is not forgotten yet, so its texts cannot be erased. Forget it first (POST /values): its edit may wait
    for approval, its guard may have ended, or a job may still be rewriting memory (`waiting` in GET /values)."""


class ValueWasErased(Conflict):
    """The words of this value were erased. You can only allow it again, by reverting the edit that forgot it."""


class ReplacementIsGuarded(Conflict):
    """Another value that is forgotten or replaced is in the new words. Choose other words, or revert that edit first
    (GET /values lists them)."""


register_constraint("value_says_nothing", ValueSaysNothing)
register_constraint("value_too_long", ValueTooLong)
register_constraint("not_an_edit_of_values", NotAnEditOfValues)
register_constraint("replacement_says_value", ReplacementSaysValue)
register_constraint("value_not_forgotten", ValueNotForgotten)
register_constraint("value_was_erased", ValueWasErased)
register_constraint("replacement_is_guarded", ReplacementIsGuarded)


class ValueTarget(TargetKind):
    """A value. Its text is what readers get in its place."""

    name = "value"
    op_names: ClassVar = {Edit.Op.RETRACT: "forget", Edit.Op.AMEND: "replace", Edit.Op.REVERT: "allow again"}
    amended = VALUE_TEXT
    text_label = "Replace it by"

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        return {row.id: TargetState(row.id, "none", 0) for row in Value.by_ids(principal.tenant_id, target_ids)}

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        found = self.find_many([target_id], principal)
        return bool(found) and principal.reads_all_edits

    def may_hear(self, sensitivity: str, principal: Principal, channel: str | None) -> bool:
        return True

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        return db.state_of_value(tenant=principal.tenant_id, value=target_id, lock=lock)

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        sql = (
            "SELECT c.body FROM memory_value v LEFT JOIN governance_content c ON c.tenant_id = v.tenant_id"
            " AND c.id = v.content_id WHERE v.id = %s"
        )
        for body in select(str, sql, [target_id], using="review"):
            return TargetState(target_id, "none", 0, summary="value", text=body, importance="0.0000")
        return None

    def cut(self, texts: Sequence[Any], principal: Principal) -> list[Any] | None:
        return None


def register() -> None:
    """Register values as targets; called once, when the app is ready."""
    targets.register(ValueTarget())
