"""Deleting captured memory: it is superseded, and its record stays."""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from capture import db
from capture.models import Capture, FileVersion
from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.refusals import Forbidden, NotFound
from memory.models.chunks import EffectiveChunk


class NoSuchCapture(NotFound):
    """No captured memory has this id, or you may not read it."""


class NotYourCapture(Forbidden):
    """Only the agent or person who captured a memory can delete it. To correct memory that others captured, propose to
    retract it."""


@transaction.atomic(savepoint=False)
def delete_captures(chunk_ids: Sequence[UUID], *, actor: Principal) -> int:
    """Delete captured chunks of the actor; returns how many were not deleted before. Raises NoSuchCapture and
    NotYourCapture, each with its position, and what ledger.require_writable raises."""
    appending.require_writable(actor.tenant_id)
    captured = set(Capture.objects.filter(tenant_id=actor.tenant_id, id__in=chunk_ids).values_list("id", flat=True))
    recorders = dict(
        EffectiveChunk.objects.filter(tenant_id=actor.tenant_id, id__in=captured).values_list("id", "recorded_by")
    )
    for place, chunk_id in enumerate(chunk_ids):
        if chunk_id not in recorders:
            raise NoSuchCapture(pointer=f"/chunk_ids/{place}")
        if recorders[chunk_id] != actor.id:
            raise NotYourCapture(pointer=f"/chunk_ids/{place}")
    gate.act_as(actor)
    return db.remove_captures(tenant=actor.tenant_id, chunks=list(dict.fromkeys(chunk_ids)))


@transaction.atomic(savepoint=False)
def delete_by_file_path(path: str, *, actor: Principal, session_id: str | None = None) -> int:
    """Delete the chunks of the actor's file with this path, in one or all sessions; returns the number. Raises what
    ledger.require_writable raises."""
    appending.require_writable(actor.tenant_id)
    versions = FileVersion.objects.filter(tenant_id=actor.tenant_id, recorded_by=actor.id, file_path=path)
    if session_id is not None:
        versions = versions.filter(session_id=session_id)
    gate.act_as(actor)
    sessions = versions.order_by("session_id").values_list("session_id", flat=True).distinct()
    removed = (
        db.change_file(tenant=actor.tenant_id, change="removed", session=session, path=path, new_path=None)
        for session in list(sessions)
    )
    return sum(filter(None, removed))
