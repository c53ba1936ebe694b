"""What waits for a person: the count on the home page and beside the queue."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet

from governance.models import Edit
from governance.principals import Principal
from governance.services import edits


@dataclass(frozen=True, slots=True)
class Waiting:
    """`mine`: the person may decide them. Otherwise they wait for others, and are shown to whoever looks on."""

    count: int
    oldest: datetime | None
    mine: bool


def decidable(principal: Principal) -> QuerySet[Edit]:
    """The pending edits that `principal` may decide: not their own, nor those that they have approved already."""
    queue: QuerySet[Edit] = edits.pending(principal.tenant_id)
    return queue.exclude(proposed_by=principal.id).exclude(verdicts__decided_by=principal.id)


def waiting_for(principal: Principal) -> Waiting:
    """How many edits wait for `principal`; for one who decides nothing, how many wait at all."""
    mine = principal.may_decide
    queue = decidable(principal) if mine else edits.pending(principal.tenant_id)
    found = queue.order_by().aggregate(count=Count("id"), oldest=Min("state__created_at"))
    return Waiting(found["count"], found["oldest"], mine)
