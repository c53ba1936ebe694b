"""Daily counts for the charts of the admin. Each app registers what it counts.

The worker counts whole days every two minutes. Rows recorded since then are counted when the page is loaded.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone

from governance.acting import gate
from governance.models import DayFigure, Edit, Verdict, first_id_of

#: How far back charts look.
DAYS = 30
#: How far back, and over how many rows of each kind, a page counts rows that the worker has not counted yet.
LIVE_FOR = timedelta(hours=1)
LIVE_AT_MOST = 1_000
#: The worker counts every two minutes. After this long without a count, something is wrong with it.
LATE_AFTER = timedelta(minutes=10)
#: The figure of every counted day: the time at which it was counted, in microseconds since 1970.
COUNTED = "counted"


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows of a time span, and the name of their figure with a placeholder for each column."""

    rows: QuerySet[Any]
    name: str
    columns: tuple[str, ...] = ()

    def totals(self) -> Mapping[str, int]:
        """The number of rows by the name of the figure."""
        if not self.columns:
            return {self.name: self.rows.count()}
        grouped = self.rows.order_by().values_list(*self.columns).annotate(Count("pk"))
        return {self.name.format(*values): count for *values, count in grouped}

    def newest(self) -> Mapping[str, int]:
        """The same for at most LIVE_AT_MOST rows."""
        rows = self.rows.order_by().values_list(*(self.columns or ("pk",)))[:LIVE_AT_MOST]
        return Counter(self.name.format(*values) for values in rows)


#: Counts rows of a tenant recorded in [since, until). Called within the tenant.
Source = Callable[[uuid.UUID, datetime, datetime], Iterable[Counted]]

_sources: list[Source] = []


def register(source: Source) -> None:
    """Register a source of daily counts; called once by an app's `ready()`."""
    _sources.append(source)


def roll_up(tenant_id: uuid.UUID, *, at: datetime | None = None) -> int:
    """Recount today, yesterday and the last counted day, and count the missing ones of the last DAYS days. Returns the
    number of days.

    Safe to run twice at once: each run writes the same counts.
    """
    now = (at or timezone.now()).astimezone(UTC)
    today = now.date()
    with gate.job(tenant_id, "count-days"):
        since = today - timedelta(days=DAYS)
        known = set(
            DayFigure.objects.filter(tenant_id=tenant_id, day__gte=since).values_list("day", flat=True).distinct()
        )
        days = [today - timedelta(days=back) for back in range(DAYS)]
        # The last counted day may not have been over then.
        last = max(known, default=None)
        wanted = [day for back, day in enumerate(days) if back < 2 or day == last or day not in known]
        for day in wanted:
            _count(tenant_id, day, now)
    return len(wanted)


def series(tenant_id: uuid.UUID, *, days: int = DAYS, at: datetime | None = None) -> dict[str, dict[date, int]]:
    """The counts of the last days by name and day. Called within the tenant."""
    since = (at or timezone.now()).astimezone(UTC).date() - timedelta(days=days - 1)
    found: dict[str, dict[date, int]] = {}
    rows = DayFigure.objects.filter(tenant_id=tenant_id, day__gte=since).values_list("name", "day", "value")
    for name, day, value in rows:
        found.setdefault(name, {})[day] = value
    return found


def days_of(tenant_id: uuid.UUID, name: str, *, days: int) -> list[int]:
    """One count for each of the last days, the last one today's. Called within the tenant."""
    found = series(tenant_id, days=days).get(name, {})
    today = timezone.now().astimezone(UTC).date()
    return [found.get(today - timedelta(days=back), 0) for back in reversed(range(days))]


@dataclass(frozen=True, slots=True)
class Recent:
    """The counts of the last days by name and day, with the rows recorded since the worker counted. `is_late`: the
    worker has counted nothing for LATE_AFTER, so rows may be missing."""

    daily: dict[str, dict[date, int]]
    is_late: bool


def recent(tenant_id: uuid.UUID) -> Recent:
    """The figures as they are now. Called within the tenant."""
    daily = series(tenant_id)
    now = timezone.now().astimezone(UTC)
    counted = daily.pop(COUNTED, {})
    counted_at = datetime.fromtimestamp(max(counted.values()) / 1e6, UTC) if counted else None
    since = max(filter(None, (counted_at, now - LIVE_FOR)))
    midnight = datetime.combine(now.date(), time(), UTC)
    for begin, end in ((since, midnight), (max(since, midnight), now + timedelta(days=1))):
        for one in _counted(tenant_id, begin, end) if begin < end else ():
            for name, count in one.newest().items():
                days = daily.setdefault(name, {})
                days[begin.date()] = days.get(begin.date(), 0) + count
    return Recent(daily, is_late=counted_at is None or now - counted_at > LATE_AFTER)


def _counted(tenant_id: uuid.UUID, begin: datetime, end: datetime) -> Iterable[Counted]:
    return (one for source in _sources for one in source(tenant_id, begin, end))


def _count(tenant_id: uuid.UUID, day: date, now: datetime) -> None:
    begin = datetime.combine(day, time(), UTC)
    # Only until now: pages count later rows themselves.
    end = max(begin, min(begin + timedelta(days=1), now))
    # Mark days without rows too, so that they are not counted again.
    figures = {COUNTED: int(now.timestamp() * 1e6)}
    for one in _counted(tenant_id, begin, end):
        figures.update(one.totals())
    DayFigure.objects.bulk_create(
        [DayFigure(tenant_id=tenant_id, day=day, name=name, value=value) for name, value in figures.items()],
        update_conflicts=True,
        unique_fields=["tenant", "day", "name"],
        update_fields=["value"],
    )


def count_edits(tenant_id: uuid.UUID, since: datetime, until: datetime) -> Iterable[Counted]:
    """Proposals by operation, and verdicts by operation and decision."""
    span = {"tenant_id": tenant_id, "id__gte": first_id_of(since), "id__lt": first_id_of(until)}
    yield Counted(Edit.objects.filter(**span), "edits {} proposed", ("op",))
    yield Counted(Verdict.objects.filter(**span), "edits {} {}", ("edit__op", "decision"))
