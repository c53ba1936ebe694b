"""Pending edits of a person: the count on the home page and next to the queue."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from governance import edits
from governance.acting.principals import Principal
from governance.models import Edit, EditState, Verdict

#: Counting stops here, because every page shows the count.
COUNTED_AT_MOST = 999


@dataclass(frozen=True, slots=True)
class Waiting:
    """`mine`: the person may decide these edits. Otherwise only others may.

    `count` is COUNTED_AT_MOST + 1 if there are more.
    """

    count: int
    oldest: datetime | None
    mine: bool

    @property
    def count_text(self) -> str:
        """The count as text."""
        return f"more than {COUNTED_AT_MOST}" if self.count > COUNTED_AT_MOST else str(self.count)


Rows = QuerySet[Edit]


def pending(rows: Rows) -> Rows:
    """The pending edits among `rows`."""
    return rows.filter(state__status=EditState.Status.PENDING)


def decidable(rows: Rows, principal: Principal) -> Rows:
    """The edits among `rows` that `principal` may approve: pending, not proposed by them or with a key that they
    issued, and not yet approved by them."""
    theirs = Verdict.objects.filter(tenant_id=principal.tenant_id, edit_id=OuterRef("id"), decided_by=principal.id)
    return pending(rows).exclude(proposed_by=principal.id).exclude(state__held_by=principal.id).exclude(Exists(theirs))


def stale(rows: Rows, principal: Principal) -> Rows:
    """The pending edits among `rows` whose target has changed since they were proposed."""
    since = Edit.objects.filter(
        tenant_id=principal.tenant_id,
        target_id=OuterRef("target_id"),
        state__status=EditState.Status.APPROVED,
        state__applied_at__gt=OuterRef("created_at"),
    )
    return pending(rows).filter(Exists(since))


def waiting_for(principal: Principal) -> Waiting:
    """The number of edits that `principal` may decide; for a person who may not decide, of all pending edits."""
    mine = principal.may_decide
    queue: Rows = edits.pending(principal.tenant_id)
    if mine:
        queue = decidable(queue, principal)
    oldest = queue.values_list("state__created_at", flat=True).first()
    count = queue.order_by()[: COUNTED_AT_MOST + 1].count() if oldest else 0
    return Waiting(count, oldest, mine)
