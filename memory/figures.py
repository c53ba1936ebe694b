"""The daily figures of memory (governance/figures.py)."""

import uuid
from collections.abc import Mapping

from governance import figures
from memory.models import Chunk, Event


def count_records(tenant_id: uuid.UUID, first: uuid.UUID, end: uuid.UUID) -> Mapping[str, int]:
    """How many events and chunks were recorded."""
    span = {"tenant_id": tenant_id, "id__gte": first, "id__lt": end}
    return {"events": Event.objects.filter(**span).count(), "chunks": Chunk.objects.filter(**span).count()}


def register() -> None:
    """Register memory's figures; called once, when the app is ready."""
    figures.register(count_records)
