"""The append-only guard, declared next to the fields that it protects."""

from typing import Any, NoReturn

import pgtrigger


class DenyChange(pgtrigger.Trigger):  # type: ignore[misc] # the package has no types
    """Refuse the operation. Unlike `pgtrigger.Protect`, no session setting disables it.

    A standard trigger function first checks `pgtrigger.ignore`, which any session may set; this one executes our own
    function instead. A migration sets it to ENABLE ALWAYS, so that a replica role is refused too.
    """

    when = pgtrigger.Before
    operation = pgtrigger.Update | pgtrigger.Delete

    def ignore(self, model: Any) -> NoReturn:
        raise RuntimeError("append-only guards cannot be ignored")

    def get_func(self, model: Any) -> str:
        return "RETURN NULL;"  # required by the compiler, never called

    def render_execute(self, model: Any) -> str:
        return "governance_deny_change()"


class DenyChangeUnlessErased(DenyChange):
    """Refuse the operation, except for a DELETE by the gate of a row that an approved erasure names."""

    def render_execute(self, model: Any) -> str:
        return "governance_deny_change_unless_erased()"


class DenyTruncate(DenyChange):
    """Refuse TRUNCATE, which does not fire row-level triggers."""

    operation = pgtrigger.Truncate
    level = pgtrigger.Statement


class NoteRecorded(pgtrigger.Trigger):  # type: ignore[misc] # the package has no types
    """Note the rows that a statement inserts, for the receipt of their transaction (governance/ledger/receipts.py)."""

    when = pgtrigger.After
    operation = pgtrigger.Insert
    level = pgtrigger.Statement
    referencing = pgtrigger.Referencing(new="recorded")

    def ignore(self, model: Any) -> NoReturn:
        raise RuntimeError("rows without a receipt are not sealed")

    def get_func(self, model: Any) -> str:
        return "RETURN NULL;"  # as above

    def render_execute(self, model: Any) -> str:
        return "governance_note_recorded()"
