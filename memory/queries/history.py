"""The history of one chunk, for people who may read what was corrected."""

import uuid
from dataclasses import dataclass

from django.db.models import Q

from governance.acting.principals import Principal
from governance.ledger import access
from governance.models import Edit
from governance.refusals import Forbidden
from memory.models import Chunk, Decision, Relation
from memory.queries import db
from memory.queries.chunks import NoSuchChunk
from memory.queries.rows import ChunkState


class HistoryNotAllowed(Forbidden):
    """You may not read the history of a chunk. Only reviewers, auditors and admins may, because it shows what was
    retracted."""


@dataclass(frozen=True, slots=True)
class History:
    """A chunk's record, its edits and its states."""

    chunk: Chunk
    edits: list[Edit]
    states: list[ChunkState]
    #: What it updates or repeats, and what updates or repeats it.
    relations: list[Relation]


def history(principal: Principal, chunk_id: uuid.UUID) -> History:
    """The record, every edit of the chunk or of its decision, and the state after each edit that was applied. Writes an
    access record, because the history shows words that were removed.

    Raises HistoryNotAllowed, NoSuchChunk.
    """
    if not principal.reads_all_edits:
        raise HistoryNotAllowed
    chunk = Chunk.objects.filter(tenant_id=principal.tenant_id, id=chunk_id).first()
    if chunk is None:
        raise NoSuchChunk
    access.log("words.viewed", actor=principal, target_type="chunk", target_id=chunk_id)
    states = db.get_chunk_history(tenant=principal.tenant_id, chunk=chunk_id)
    targets = [chunk_id, *_decisions_of(chunk)]
    edits = (
        Edit.objects.filter(tenant_id=principal.tenant_id, target_id__in=targets)
        .select_related("state")
        .prefetch_related("verdicts")
        .order_by("created_at", "id")
    )
    return History(chunk, list(edits), states, relations_of(principal.tenant_id, chunk_id))


def relations_of(tenant_id: uuid.UUID, chunk_id: uuid.UUID) -> list[Relation]:
    """The relations of a chunk to earlier and later ones, oldest first."""
    either = Q(later_id=chunk_id, earlier_id__isnull=False) | Q(earlier_id=chunk_id)
    return list(Relation.objects.filter(either, tenant_id=tenant_id).order_by("at", "id"))


def _decisions_of(chunk: Chunk) -> list[uuid.UUID]:
    if chunk.event_id is None:
        return []
    return list(
        Decision.objects.filter(tenant_id=chunk.tenant_id, event_id=chunk.event_id).values_list("id", flat=True)
    )
