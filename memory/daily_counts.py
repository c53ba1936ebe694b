"""The daily counts of memory (governance/daily_counts.py)."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from governance import daily_counts
from governance.daily_counts import Counted
from governance.models import first_id_of
from memory.models import Chunk, Event


def count_records(tenant_id: uuid.UUID, since: datetime, until: datetime) -> Iterable[Counted]:
    """Count the recorded events and chunks. The id of an imported event contains its own time, so events are counted by
    the time at which the server recorded them."""
    recorded = {"recorded_at__gte": since, "recorded_at__lt": until}
    yield Counted(Event.objects.filter(tenant_id=tenant_id, **recorded), "events")
    span = {"id__gte": first_id_of(since), "id__lt": first_id_of(until)}
    yield Counted(Chunk.objects.filter(tenant_id=tenant_id, **span), "chunks")


def register() -> None:
    """Register memory's counts; called once, when the app is ready."""
    daily_counts.register(count_records)
