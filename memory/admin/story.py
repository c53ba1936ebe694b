"""The acts that recorded a memory, for its story page in the admin site."""

from collections.abc import Iterable
from uuid import UUID

from django.urls import reverse

from governance.admin import rendering, story
from memory.models import Chunk, Decision, Event, Task


def recorded(tenant_id: UUID, what: UUID) -> Iterable[story.Act]:
    """The act that recorded a chunk, an event, a decision or a task. Ids and names, no words."""
    chunk = Chunk.objects.filter(tenant_id=tenant_id, id=what).select_related("event").first()
    if chunk is not None and chunk.event is None:
        yield story.Act(
            chunk.ts,
            f"{chunk.recorder_kind} {chunk.recorder}",
            f"recorded as {chunk.source}",
            rendering.shown(_place(chunk)),
            reverse("admin:memory_effectivechunk_change", args=[what]),
        )
    event = chunk.event if chunk is not None else _event(tenant_id, what)
    if event is not None:
        yield story.Act(
            event.recorded_at,
            f"{event.recorder_kind} {event.recorder}",
            f"recorded {event.kind}" if event.id == what else f"recorded with the event {event.kind}",
            rendering.shown(_place(event)),
            reverse("admin:memory_event_change", args=[event.id]),
        )


def _event(tenant_id: UUID, what: UUID) -> Event | None:
    """The event with this id, or the first event of the decision or task with this id."""
    made_of = (
        model.objects.filter(tenant_id=tenant_id, id=what).values_list("event_id", flat=True).first()
        for model in (Decision, Task)
    )
    event_id = next(filter(None, made_of), what)
    return Event.objects.filter(tenant_id=tenant_id, id=event_id).first()


def _place(record: Chunk | Event) -> str:
    about = (record.channel, record.session_id, record.subject_id, record.project_id)
    return ", ".join(filter(None, about))
