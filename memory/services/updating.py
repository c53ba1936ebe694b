"""Records that update earlier ones: the earlier memory is superseded, and returns if the later one is hidden."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from governance.acting.principals import Principal
from governance.ledger.db import content_hashes
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint
from memory.drafts import EventDraft, RecordedEvent
from memory.models import Chunk, Decision, EffectiveChunk, Event
from memory.services import db
from memory.targets import ChunkTarget


class NothingToUpdate(NotFound):
    """The event or chunk that you want to update does not exist, or you may not read it."""


class UpdatesLaterRecord(Invalid):
    """An event can update only what was recorded before it: itself and later events of the same batch come after it."""


class UpdatesOwnMemory(Invalid):
    """This is an agent's own memory. The agent replaces it with memory_rethink, or a block with block_update."""


class UpdatesDecision(Invalid):
    """This is a decision. Record a decision that names it in content.supersedes."""


class UpdatesErasedRecord(Conflict):
    """The words of the record that you want to update were erased. Record yours without updates."""


class UpdatesReplacedRecord(Conflict):
    """Another memory has replaced the one that you want to update. Update its successor."""


class UpdatingNeedsApproval(Forbidden):
    """The policy requires approval to change this record, which is not yours. Record yours without updates, and propose
    to amend or retract the old one."""


register_constraint("update_of_current", UpdatesReplacedRecord)


@dataclass(frozen=True, slots=True)
class _Named:
    """What an id names: the chunks of an event, or a chunk without an event."""

    event: Event | None
    chunks: list[EffectiveChunk]


def check_updates(drafts: Sequence[EventDraft], actor: Principal) -> None:
    """Require that every record that the drafts update exists, that the actor may change it at once, and that nothing
    has replaced it. Raises the refusals of this module, each naming its place."""
    ids = [draft.id for draft in drafts]
    seen: set[uuid.UUID] = set()
    for place, draft in enumerate(drafts):
        if draft.updates is None:
            continue
        pointer = f"{draft.pointer}/updates"
        if draft.updates in ids[place:]:
            raise UpdatesLaterRecord(pointer=pointer)
        if draft.updates in ids[:place]:
            first = draft.updates
            if drafts[ids.index(first)].kind == "decision":
                raise UpdatesDecision(pointer=pointer)
        else:
            first = _check_recorded(draft.updates, actor, pointer)
        if first in seen:
            raise UpdatesReplacedRecord(pointer=pointer)
        seen.add(first)


def _check_recorded(named: uuid.UUID, actor: Principal, pointer: str) -> uuid.UUID:
    """Check a recorded memory; return the id of its first chunk."""
    found = _find(named, actor)
    if not ChunkTarget().find_many([one.id for one in found.chunks], actor):
        raise NothingToUpdate(pointer=pointer)
    first = found.chunks[0]
    if first.seq is not None:
        raise UpdatesOwnMemory(pointer=pointer)
    if found.event and Decision.objects.filter(tenant_id=actor.tenant_id, event_id=found.event.id).exists():
        raise UpdatesDecision(pointer=pointer)
    words = Chunk.objects.values_list("content_id", flat=True).get(tenant_id=actor.tenant_id, id=first.id)
    if not content_hashes(tenant=actor.tenant_id, ids=[words]):
        raise UpdatesErasedRecord(pointer=pointer)
    if any(one.is_superseded for one in found.chunks):
        by = first.superseded_by
        detail = f"Chunk {by} has replaced the one that you want to update. Update its successor." if by else ""
        raise UpdatesReplacedRecord(detail, pointer=pointer)
    if not all(db.may_replace(tenant=actor.tenant_id, chunk=one.id) for one in found.chunks):
        raise UpdatingNeedsApproval(pointer=pointer)
    return first.id


def _find(named: uuid.UUID, actor: Principal) -> _Named:
    within = EffectiveChunk.objects.filter(tenant_id=actor.tenant_id)
    chunk = within.filter(id=named).first()
    if chunk is not None and chunk.event_id is None:
        return _Named(None, [chunk])
    event_id = named if chunk is None or chunk.event_id is None else chunk.event_id
    event = Event.objects.filter(tenant_id=actor.tenant_id, id=event_id).first()
    if event is None:
        return _Named(None, [])
    ids = Chunk.objects.filter(tenant_id=actor.tenant_id, event_id=event.id).values_list("id", flat=True)
    return _Named(event, list(within.filter(id__in=list(ids)).order_by("chunk_index")))


def record_updates(
    drafts: Sequence[EventDraft], recorded: Sequence[RecordedEvent], actor: Principal
) -> list[RecordedEvent]:
    """Record what the recorded drafts update; return them with the chunks that they superseded."""
    rows = [
        {"chunk_id": one.chunk_ids[0], "updates": draft.updates, "key": draft.key}
        for draft, one in zip(drafts, recorded, strict=True)
        if draft.updates is not None or draft.key is not None
    ]
    if not rows:
        return list(recorded)
    superseded: dict[uuid.UUID, list[uuid.UUID]] = {}
    for pair in db.record_updates(tenant=actor.tenant_id, updates=json.dumps(rows, default=str)):
        superseded.setdefault(pair.later_id, []).append(pair.earlier_id)
    return [_with(one, superseded) for one in recorded]


def _with(one: RecordedEvent, superseded: Mapping[uuid.UUID, list[uuid.UUID]]) -> RecordedEvent:
    earlier = superseded.get(one.chunk_ids[0])
    return replace(one, superseded_chunk_ids=earlier) if earlier else one
