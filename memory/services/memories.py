"""Updating and forgetting memories, by the id of any version."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits.patches import Patch
from governance.edits.proposals import Proposal, propose_edits
from governance.models import Edit, EditState
from governance.refusals import Conflict
from memory.drafts import EventDraft
from memory.models import Event, Kind
from memory.queries import db, memories
from memory.queries.rows import MemoryRow
from memory.services import recording

#: What a new version takes from the one before.
_KEPT = (
    *("session_id", "channel", "actor_type", "actor_id", "sensitivity", "retention"),
    *("scope", "subject_type", "subject_id", "project_id"),
)
#: The statuses of a change.
APPLIED, PENDING = "applied", "pending"


class HasNoVersions(Conflict):
    """Only what was recorded as a message has a value, metadata and a time to live. Correct its text instead."""


class AudienceNotCarried(Conflict):
    """This memory is for those who are in each of several audiences, and a new version has one. Correct its text
    instead, or record it again with its key and one audience."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The result of a change: `pending` if any of the edits waits for a person. A new version has no edits."""

    status: str
    edit_ids: list[uuid.UUID]


@transaction.atomic(savepoint=False)
def update_memory(memory_id: uuid.UUID, *, actor: Principal, changes: Mapping[str, Any], reason: str) -> Changed:
    """Change a memory. A new text alone is an amend, under the tenant's policy. With a value, metadata or a time to
    live, or for a memory of several chunks, a new version replaces it: only who may change it at once can record that.

    Raises NoSuchMemory, HasNoVersions, AudienceNotCarried, and the refusals of propose_edits and record_events.
    """
    row = memories.find(actor, memory_id)
    if set(changes) == {"text"} and len(row.chunk_ids) == 1:
        return _propose(row.chunk_ids, Edit.Op.AMEND, Patch(text=changes["text"]), actor, reason)
    recording.record_events([_next_version(row, changes, actor)], actor=actor)
    return Changed(APPLIED, [])


@transaction.atomic(savepoint=False)
def forget_memory(memory_id: uuid.UUID, *, actor: Principal, reason: str) -> Changed:
    """Retract every version of a memory that the actor hears, under the tenant's policy: otherwise the version before
    would return. Raises NoSuchMemory and the refusals of propose_edits."""
    memories.find(actor, memory_id)
    gate.act_as(actor)
    chunks = db.versions_of_memory(tenant=actor.tenant_id, id=memory_id)
    return _propose(chunks, Edit.Op.RETRACT, Patch(), actor, reason)


def _propose(chunks: list[uuid.UUID], op: str, patch: Patch, actor: Principal, reason: str) -> Changed:
    proposals = [Proposal("chunk", chunk, op, reason, patch) for chunk in chunks]
    outcomes = [item.outcome for item in propose_edits(proposals, actor=actor).items if item.outcome]
    waits = any(one.status == EditState.Status.PENDING for one in outcomes)
    return Changed(PENDING if waits else APPLIED, [one.edit_id for one in outcomes])


def _next_version(row: MemoryRow, changes: Mapping[str, Any], actor: Principal) -> EventDraft:
    event = Event.objects.filter(tenant_id=actor.tenant_id, id=row.id).first()
    if event is None or event.kind != Kind.MESSAGE:
        raise HasNoVersions
    gate.act_as(actor)
    audiences = json.loads(db.usersets_of_memory(tenant=actor.tenant_id, chunk=row.chunk_id))
    if len(audiences) > 1:
        raise AudienceNotCarried
    # another recorder's key is another key
    own_key = row.key if (event.recorder_kind, event.recorded_by) == (actor.kind, actor.id) else None
    now = memories.as_json(row)
    content = {name: now[name] for name in ("text", "value", "metadata") if now[name] not in (None, {})}
    content |= {name: changes[name] for name in ("text", "value", "metadata", "ttl") if name in changes}
    return EventDraft(
        kind=Kind.MESSAGE.value,
        ts=timezone.now(),
        content=content,
        tags=tuple(row.tags),
        refs=tuple(event.refs),
        importance=row.importance,
        audience=tuple(audiences[0]) if audiences else (),
        key=own_key,
        updates=None if own_key else row.id,
        ttl_pointer="/ttl",
        **{name: getattr(event, name) for name in _KEPT},
    )
