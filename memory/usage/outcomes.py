"""Outcomes: whether using a chunk was a success, as reported by its user."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction

from governance import text
from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.redaction import refuse_secrets
from governance.refusals import Invalid
from memory.queries.chunks import NoSuchChunk
from memory.usage import db
from suture_client.text.masking import mask


class SessionMissing(Invalid):
    """An outcome belongs to a session: send its session_id, or the header X-Session-Id."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A recorded outcome with its time `at`, and the current confidence in the chunk. `is_repeated`: the actor had
    already reported it in this session."""

    chunk_id: uuid.UUID
    outcome: str
    session_id: str
    confidence: Decimal
    at: datetime
    is_repeated: bool


@transaction.atomic(savepoint=False)
def record_outcome(
    chunk_id: uuid.UUID, outcome: str, *, actor: Principal, session_id: str | None = None, note: str = ""
) -> Reported:
    """Record that using a chunk in a session was a `success` or a `failure`, once for the actor, and change the
    confidence in it (docs/promotion.md). Without `session_id` the session is that of the request's header. Secrets in
    the note are masked.

    Raises SessionMissing, SecretInIdentifier, Forbidden for an auditor, NoSuchChunk for a chunk that the actor may not
    read in any of their channels, and what appending.require_writable raises.
    """
    session_id = actor.session_id if session_id is None else session_id
    if session_id is None:
        raise SessionMissing(pointer="/session_id")
    text.IDENTIFIER.require(session_id, "/session_id")
    refuse_secrets([("/session_id", session_id)])
    note = mask(text.REMARK.require(note, "/note"))[0]
    gate.act_as(actor)
    appending.require_writable(actor.tenant_id)
    made = db.record_outcome(tenant=actor.tenant_id, chunk=chunk_id, outcome=outcome, session_id=session_id, note=note)
    if made.recorded_at is None or made.confidence is None:
        raise NoSuchChunk
    return Reported(chunk_id, outcome, session_id, made.confidence, made.recorded_at, made.is_repeated)
