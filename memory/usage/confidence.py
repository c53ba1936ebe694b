"""Confidence in a chunk, from 0 to 1 (docs/promotion.md)."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance import text
from governance.acting import gate
from governance.acting.principals import Principal
from governance.every_tenant import in_every_tenant
from governance.ledger import appending
from governance.refusals import Forbidden
from memory.models import ConfidenceChange, Outcome
from memory.queries.chunks import NoSuchChunk
from memory.usage import db
from memory.usage.db import ChunkUse
from suture_client.text.masking import mask

#: Chunks to check for decay in a transaction.
BATCH = 1_000
_FIRST = uuid.UUID(int=0)


class ConfidenceNotYours(Forbidden):
    """Only a reviewer or admin of the tenant can set the confidence in a memory. Agents report outcomes instead."""


@dataclass(frozen=True, slots=True)
class ChangedConfidence:
    """A manual change of the confidence in a chunk."""

    chunk_id: uuid.UUID
    before: Decimal
    confidence: Decimal
    at: datetime


@transaction.atomic(savepoint=False)
def set_confidence(chunk_id: uuid.UUID, confidence: Decimal, *, actor: Principal, reason: str) -> ChangedConfidence:
    """Set the confidence in a chunk, exactly and with a ledger entry. Secrets in the reason are masked.

    Raises ConfidenceNotYours for anybody but a reviewer or admin, NoSuchChunk for a chunk that they may not read.
    """
    if not actor.may_decide:
        raise ConfidenceNotYours
    reason = mask(text.REASON.require(reason, "/reason"))[0]
    gate.act_as(actor)
    made = db.set_confidence(tenant=actor.tenant_id, chunk=chunk_id, confidence=confidence, reason=reason)
    if made.changed_at is None or made.before is None:
        raise NoSuchChunk
    appending.record(
        "confidence.changed",
        actor=actor,
        metadata={"chunk": str(chunk_id), "before": str(made.before), "after": f"{confidence:.4f}", "reason": reason},
    )
    return ChangedConfidence(chunk_id, made.before, confidence, made.changed_at)


def find_use(principal: Principal, chunk_id: uuid.UUID) -> ChunkUse:
    """The usage of a chunk. Raises NoSuchChunk if the principal may not read it."""
    gate.act_as(principal)
    found = db.get_chunk_use(tenant=principal.tenant_id, chunk=chunk_id)
    if not found:
        raise NoSuchChunk
    return found[0]


def changes_of(
    principal: Principal, chunk_id: uuid.UUID, *, before: int | None = None, limit: int
) -> list[dict[str, Any]]:
    """Changes of the confidence in a chunk with a number below `before`, newest first. Reasons and notes are shown to
    people with a role and to their authors. Check with `find_use` that the principal may read the chunk."""
    rows = ConfidenceChange.objects.filter(tenant_id=principal.tenant_id, chunk_id=chunk_id)
    if before is not None:
        rows = rows.filter(number__lt=before)
    changes = list(rows.order_by("-number")[:limit])
    of = {
        one.id: one
        for one in Outcome.objects.filter(
            tenant_id=principal.tenant_id, id__in=[one.outcome_id for one in changes if one.outcome_id is not None]
        )
    }
    return [_change_json(principal, one, of.get(one.outcome_id) if one.outcome_id else None) for one in changes]


def _change_json(principal: Principal, one: ConfidenceChange, outcome: Outcome | None) -> dict[str, Any]:
    is_shown = principal.reads_all_edits or one.changed_by == principal.id
    said = one.reason if outcome is None else outcome.note
    return {
        "number": one.number,
        "kind": one.kind,
        "before": float(one.before),
        "after": float(one.after),
        "outcome": None if outcome is None else outcome.outcome,
        "session_id": outcome.session_id if outcome is not None and is_shown else None,
        "reason": said if is_shown and said else None,
        "changed_by_kind": one.changer_kind,
        "changed_by": one.changer,
        "at": one.at,
    }


def decay_confidence(now: datetime | None = None) -> int:
    """Decay the confidence in chunks without an outcome for 30 days, in every tenant, as is due at `now`; returns how
    many changes were recorded. Runs may overlap, and repeating a run records nothing. Raises the first tenant's failure
    after all have been tried."""
    moment = now or timezone.now()
    done, failures = in_every_tenant(
        lambda tenant_id: _decay(tenant_id, moment), complaint="the confidence in memory of %s did not decay"
    )
    if failures:
        raise failures[0]
    return done


def _decay(tenant_id: uuid.UUID, now: datetime) -> int:
    place: uuid.UUID | None = _FIRST
    changes = 0
    while place is not None:
        with gate.job(tenant_id, "confidence"):
            batch = db.decay_confidence(tenant=tenant_id, now=now, after=place, limit=BATCH)
        place = batch.last
        changes += batch.changes
    return changes
