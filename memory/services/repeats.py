"""Repeated events: an event whose recorder chose its id is recorded only once."""

import json
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from governance.acting.principals import Principal
from governance.refusals import Conflict, register_constraint
from memory.drafts import PreparedEvent, RecordedEvent
from memory.models import Event
from memory.services import db


class EventIdTaken(Conflict):
    """This id belongs to another event. Use a new id for every new event."""


register_constraint(f"{Event._meta.db_table}_pkey", EventIdTaken)


def find_repeats(prepared: Sequence[PreparedEvent], actor: Principal) -> dict[int, RecordedEvent]:
    """The repeated events, by their index in `prepared`: those that were recorded before, and duplicates within the
    list. They are locked until the transaction ends.

    Raises EventIdTaken if another event has the same id, recorded or earlier in the list.
    """
    named = {place: one for place, one in enumerate(prepared) if one.draft.is_named}
    if not named:
        return {}
    first: dict[UUID, PreparedEvent] = {}
    repeated: dict[int, RecordedEvent] = {}
    for place, one in named.items():
        earlier = first.setdefault(one.draft.id, one)
        if earlier.words != one.words:
            raise EventIdTaken(pointer=f"{one.draft.pointer}/id")
        if earlier is not one:
            repeated[place] = replace(earlier.recorded, is_repeated=True)
    for known in db.claim_named_events(tenant=actor.tenant_id, events=_json(first)):
        if not known.is_same:
            raise EventIdTaken(pointer=f"{first[known.event_id].draft.pointer}/id")
        was = RecordedEvent(
            known.event_id,
            known.ts,
            known.chunk_ids,
            is_repeated=True,
            redacted=first[known.event_id].recorded.redacted,
            decision_id=known.decision_id,
            task_id=known.task_id,
            artifact_id=known.artifact_id,
        )
        repeated |= {place: was for place, one in named.items() if one.draft.id == known.event_id}
    return repeated


def _json(first: dict[UUID, PreparedEvent]) -> str:
    names = ("session_id", "kind", "text", "fields")
    rows = [{"id": str(id), **dict(zip(names, one.words, strict=True))} for id, one in first.items()]
    return json.dumps(rows, ensure_ascii=False)
