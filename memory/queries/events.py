"""Events as readers see them, with the effective words."""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Func

from governance.acting.principals import Principal
from governance.refusals import NotFound
from memory.event_content import SCOPE_FIELDS
from memory.models import Event
from memory.queries import db
from memory.queries.audience import audience, hears_event
from memory.queries.rows import Derived, EventWords
from memory.usage.deliveries import deliver
from memory.usage.means import Means
from memory.values.reading import to_read


class NoSuchEvent(NotFound):
    """This event does not exist, or you may not read it."""


def render(
    principal: Principal,
    events: Iterable[Event],
    *,
    channel: str | None = None,
    include_quarantined: bool = False,
) -> list[dict[str, Any]]:
    """Events in the given order, with their content or the reason why it is withheld. The content is the words of
    their chunks, which are delivered. An event whose audience the reader does not hear is left out. Raises
    ChannelNotAllowed."""
    who = audience(principal, channel, include_quarantined=include_quarantined)
    events = list(events)
    ids = [event.id for event in events]
    words = {
        row.event_id: row
        for row in db.get_events(
            tenant=principal.tenant_id,
            ids=ids,
            listening=who.listening,
            include_quarantined=include_quarantined,
        )
    }
    events = [event for event in events if event.id in words]
    ids = [event.id for event in events]
    rows = db.derived_from(tenant=principal.tenant_id, events=ids)
    derived = _derived(rows, ids)
    deliver(
        principal,
        [
            (row.record_id, row.edits_applied)
            for row in rows
            if row.edits_applied is not None and not words[row.event_id].withheld
        ],
        means=Means.EVENT,
    )
    return [
        {
            "event_id": event.id,
            "ts": event.ts,
            "session_id": event.session_id,
            "channel": event.channel,
            "actor_type": event.actor_type,
            "actor_id": event.actor_id,
            "kind": event.kind,
            "sensitivity": event.sensitivity,
            "tags": words[event.id].tags,
            "refs": words[event.id].refs,
            "redacted": event.redacted,
            "retention": event.retention,
            "scope": event.scope,
            "subject_type": event.subject_type,
            "subject_id": event.subject_id,
            "project_id": event.project_id,
            "recorded_by": event.recorder,
            "content": _content(event, words[event.id]),
            "withheld": words[event.id].withheld,
            "edits_applied": words[event.id].edits_applied,
            **derived[event.id],
        }
        for event in events
    ]


def heard(principal: Principal, channel: str | None) -> Func:
    """The condition for events whose audience the principal hears. Raises ChannelNotAllowed."""
    return hears_event(audience(principal, channel))


def _content(event: Event, words: EventWords) -> dict[str, Any] | None:
    if words.withheld:
        return None
    content: dict[str, Any] = json.loads(words.fields) if words.fields else {}
    if words.text is not None:
        content = {"text": words.text, **content}
    content.update({name: getattr(event, name) for name in SCOPE_FIELDS if getattr(event, name) is not None})
    return content


def _derived(rows: Iterable[Derived], ids: list[uuid.UUID]) -> dict[uuid.UUID, dict[str, Any]]:
    """The ids of records derived from each event."""
    found: dict[uuid.UUID, dict[str, Any]] = {
        event_id: {"chunk_ids": [], "decision_id": None, "task_id": None, "artifact_id": None} for event_id in ids
    }
    for row in rows:
        if row.kind == "chunk":
            found[row.event_id]["chunk_ids"].append(row.record_id)
        else:
            found[row.event_id][f"{row.kind}_id"] = row.record_id
    return found


def of_chunks(principal: Principal, chunks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The events of chunks that were delivered to the principal, in their order, with only the text of these chunks.

    `chunks` have the form of a context bundle. Chunks without an event are omitted.
    """
    found: dict[uuid.UUID, list[Mapping[str, Any]]] = {}
    for chunk in chunks:
        if chunk["event_id"] is not None:
            found.setdefault(chunk["event_id"], []).append(chunk)
    rows = Event.by_ids(principal.tenant_id, found, ("sensitivity", "tags", "refs"))
    events = {event.id: event for event in rows}
    kept = to_read([[event.tags, event.refs] for event in events.values()], principal.tenant_id)
    for event, (tags, refs) in zip(events.values(), kept, strict=True):
        event.tags, event.refs = tags, refs
    return [_of_chunks(events[event_id], pieces) for event_id, pieces in found.items()]


_OF_CHUNK = (
    *("ts", "session_id", "channel", "actor_type", "actor_id", "kind", "recorder", "recorder_kind", "recorded_at"),
    *SCOPE_FIELDS,
)


def _of_chunks(event: Event, pieces: list[Mapping[str, Any]]) -> dict[str, Any]:
    first = pieces[0]
    about = {name: first[name] for name in SCOPE_FIELDS if first[name] is not None}
    return {
        "event_id": event.id,
        **{name: first[name] for name in _OF_CHUNK},
        "sensitivity": event.sensitivity,
        "tags": event.tags,
        "refs": event.refs,
        "content": {"text": "\n".join(piece["text"] for piece in pieces), **about},
        "chunk_ids": [piece["chunk_id"] for piece in pieces],
    }


def find(principal: Principal, event_id: uuid.UUID, **options: Any) -> dict[str, Any]:
    """One event; see render. Raises NoSuchEvent, even for one that was recorded in a channel outside the key's."""
    event = Event.objects.filter(tenant_id=principal.tenant_id, id=event_id, channel__in=principal.channels).first()
    if event is None:
        raise NoSuchEvent
    found = render(principal, [event], **options)
    if not found:
        raise NoSuchEvent
    return found[0]
