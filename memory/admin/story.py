"""The acts that recorded a memory, for its story page in the admin."""

from collections.abc import Iterable
from uuid import UUID

from django.urls import reverse

from governance.admin import rendering, story
from memory.models import AgentMemory, Chunk, Decision, Event, Relation, Supersession, Task
from memory.queries import history

#: What a memory did with an earlier one, and what a later one did with it.
_VERBS = {
    Relation.Kind.UPDATE: ("updated an earlier one", "updated by a later one"),
    Relation.Kind.COPY: ("repeated a memory that its recorder had received", "repeated by its receiver"),
    Relation.Kind.QUOTE: ("quoted a memory that its recorder had received", "quoted by its receiver"),
}


def recorded(tenant_id: UUID, what: UUID) -> Iterable[story.Act]:
    """The act that recorded a chunk, event, decision or task. Ids and names, no text."""
    chunk = Chunk.objects.filter(tenant_id=tenant_id, id=what).select_related("event").first()
    if chunk is not None and chunk.event is None:
        yield story.Act(
            chunk.ts,
            f"{chunk.recorder_kind} {chunk.recorder}",
            f"recorded as {chunk.source}",
            rendering.shown("; ".join(filter(None, [_in_chain(tenant_id, what), _place(chunk)]))),
            reverse("admin:memory_effectivechunk_change", args=[what]),
        )
        yield from _superseded(tenant_id, chunk)
    if chunk is not None:
        yield from _related(tenant_id, chunk)
    event = chunk.event if chunk is not None else _event(tenant_id, what)
    if event is not None:
        yield story.Act(
            event.recorded_at,
            f"{event.recorder_kind} {event.recorder}",
            f"recorded {event.kind}" if event.id == what else f"recorded with the event {event.kind}",
            rendering.shown(_place(event)),
            reverse("admin:memory_event_change", args=[event.id]),
        )


def _in_chain(tenant_id: UUID, what: UUID) -> str:
    """For an agent's own memory: its number, and the numbers that it supersedes."""
    memory = AgentMemory.objects.filter(tenant_id=tenant_id, id=what).first()
    if memory is None:
        return ""
    below = Supersession.objects.filter(tenant_id=tenant_id, successor_id=what).order_by("superseded_seq")
    numbers = ", ".join(map(str, below.values_list("superseded_seq", flat=True)))
    return f"memory {memory.seq}" + (f", replacing {numbers}" if numbers else "")


def _superseded(tenant_id: UUID, chunk: Chunk) -> Iterable[story.Act]:
    """The acts by which its agent replaced this memory."""
    later = Supersession.objects.filter(tenant_id=tenant_id, superseded_id=chunk.id).order_by("successor_seq")
    for one in later:
        by = Chunk.objects.get(tenant_id=tenant_id, id=one.successor_id)
        yield story.Act(
            by.ts,
            f"{by.recorder_kind} {by.recorder}",
            f"superseded by {one.kind} {one.successor_seq}",
            rendering.shown(_place(by)),
            reverse("admin:memory_effectivechunk_change", args=[by.id]),
        )


def _related(tenant_id: UUID, chunk: Chunk) -> Iterable[story.Act]:
    """The acts by which it updated or repeated an earlier memory, or a later one did so with it."""
    for one in history.relations_of(tenant_id, chunk.id):
        other = one.earlier_id if one.later_id == chunk.id else one.later_id
        verb = _VERBS[Relation.Kind(one.kind)][one.later_id != chunk.id]
        yield story.Act(
            one.at,
            f"{one.recorder_kind} {one.recorder}",
            verb,
            rendering.shown(f"chunk {other}"),
            reverse("admin:memory_effectivechunk_change", args=[other]),
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
