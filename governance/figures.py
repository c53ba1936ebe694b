"""Counts per day for the charts of the admin. Each app registers what it counts."""

import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Count
from django.utils import timezone

from governance import gate
from governance.models import DayFigure, Edit, Verdict, first_id_of

#: How far back charts look.
DAYS = 30

#: Counts by name of the rows whose ids lie in [first, end), within the tenant: a walk of the primary key.
Counter = Callable[[uuid.UUID, uuid.UUID, uuid.UUID], Mapping[str, int]]

_counters: list[Counter] = []


def register(counter: Counter) -> None:
    """Have something counted every day; called once by an app's `ready()`."""
    _counters.append(counter)


def roll_up(tenant_id: uuid.UUID, *, at: datetime | None = None) -> int:
    """Count today, yesterday and the last counted day again, and each of the last DAYS days that was never counted.
    Returns the number of days.

    Safe to run twice at once: each figure is replaced by the same count.
    """
    today = (at or timezone.now()).astimezone(UTC).date()
    with gate.job(tenant_id, "count-days"):
        since = today - timedelta(days=DAYS)
        known = set(
            DayFigure.objects.filter(tenant_id=tenant_id, day__gte=since).values_list("day", flat=True).distinct()
        )
        days = [today - timedelta(days=back) for back in range(DAYS)]
        # The day counted last was perhaps not over then.
        last = max(known, default=None)
        wanted = [day for back, day in enumerate(days) if back < 2 or day == last or day not in known]
        for day in wanted:
            _count(tenant_id, day)
    return len(wanted)


def series(tenant_id: uuid.UUID, *, days: int = DAYS, at: datetime | None = None) -> dict[str, dict[date, int]]:
    """The counts of the last days by name and day. Called within the tenant."""
    since = (at or timezone.now()).astimezone(UTC).date() - timedelta(days=days - 1)
    found: dict[str, dict[date, int]] = {}
    rows = DayFigure.objects.filter(tenant_id=tenant_id, day__gte=since).values_list("name", "day", "value")
    for name, day, value in rows:
        found.setdefault(name, {})[day] = value
    return found


def _count(tenant_id: uuid.UUID, day: date) -> None:
    begin = datetime.combine(day, time(), UTC)
    first, end = first_id_of(begin), first_id_of(begin + timedelta(days=1))
    # A day on which nothing happened is known too: it is not counted again.
    figures = {"counted": 1}
    for counter in _counters:
        figures.update(counter(tenant_id, first, end))
    DayFigure.objects.bulk_create(
        [DayFigure(tenant_id=tenant_id, day=day, name=name, value=value) for name, value in figures.items()],
        update_conflicts=True,
        unique_fields=["tenant", "day", "name"],
        update_fields=["value"],
    )


def count_edits(tenant_id: uuid.UUID, first: uuid.UUID, end: uuid.UUID) -> Mapping[str, int]:
    """Proposals by operation, and verdicts by operation and decision."""
    span = {"tenant_id": tenant_id, "id__gte": first, "id__lt": end}
    proposed = Edit.objects.filter(**span).order_by().values_list("op").annotate(Count("id"))
    decided = Verdict.objects.filter(**span).order_by().values_list("edit__op", "decision").annotate(Count("id"))
    return {
        **{f"edits {op} proposed": count for op, count in proposed},
        **{f"edits {op} {decision}": count for op, decision, count in decided},
    }
