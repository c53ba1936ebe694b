"""Notices for an agent: verdicts on its edits, and corrections of memory that it has received."""

from dataclasses import dataclass

from governance.acting.principals import Principal
from memory.usage import db

#: The most entries of the ledger that one call reads.
ENTRIES = 1_000


@dataclass(frozen=True, slots=True)
class Notices:
    """Notices, oldest first, and where the next call continues."""

    notices: list[db.Notice]
    last: int


def since(principal: Principal, last: int | None) -> Notices:
    """The notices for a principal after `last`, which an earlier call returned; None and unknown numbers are now."""
    *notices, end = db.notices_since(tenant=principal.tenant_id, after=last, limit=ENTRIES)
    return Notices(notices, end.seq)
