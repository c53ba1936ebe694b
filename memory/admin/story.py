"""How a record of memory came to be, for the page that tells its whole story."""

from collections.abc import Iterable
from uuid import UUID

from django.urls import reverse

from governance.admin import rendering, story
from memory.models import Chunk, Event


def recorded(tenant_id: UUID, what: UUID) -> Iterable[story.Act]:
    """The act that recorded a chunk or an event. Ids and names, no words."""
    chunk = Chunk.objects.filter(tenant_id=tenant_id, id=what).select_related("event").first()
    if chunk is not None and chunk.event is None:
        yield story.Act(
            chunk.ts,
            f"{chunk.recorder_kind} {chunk.recorder}",
            f"recorded as {chunk.source}",
            rendering.shown(_place(chunk)),
            reverse("admin:memory_effectivechunk_change", args=[what]),
        )
    event = chunk.event if chunk is not None else Event.objects.filter(tenant_id=tenant_id, id=what).first()
    if event is not None:
        yield story.Act(
            event.recorded_at,
            f"{event.recorder_kind} {event.recorder}",
            f"recorded with the event {event.kind}" if chunk is not None else f"recorded {event.kind}",
            rendering.shown(_place(event)),
            reverse("admin:memory_event_change", args=[event.id]),
        )


def _place(record: Chunk | Event) -> str:
    about = (record.channel, record.session_id, record.subject_id, record.project_id)
    return ", ".join(filter(None, about))
