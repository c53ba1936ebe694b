"""Reporting turns of a running session, and saving its state."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.models import new_id
from governance.redaction import refuse_secrets
from memory.checkpoints import db, format, queries, sessions, state_ids, storage
from memory.checkpoints.format import State
from memory.checkpoints.json_members import MIB
from memory.checkpoints.refusals import CheckpointQuotaReached, StateIsDue, TurnGoesBack, TurnRepeated
from memory.models import Checkpoint
from suture_client.text.masking import mask


@dataclass(frozen=True, slots=True)
class Wanted:
    """The label and kind of a checkpoint to create, and whether it is pinned."""

    kind: str = Checkpoint.Kind.MANUAL
    label: str | None = None
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class ReportedTurn:
    """A reported turn, its checkpoint if one was made, and when the next one is due."""

    session_id: str
    turn: int
    depth: int
    checkpoint: queries.Described | None
    next_checkpoint_turn: int


@transaction.atomic(savepoint=False)
def create_checkpoint(
    session_id: str, turn: int | None, state: State, wanted: Wanted, *, actor: Principal, owner: str | None = None
) -> queries.Described:
    """Save the state at a turn (default: the session's current turn) of the actor's own session, or of a session that
    `owner` lets it continue.

    Raises TurnGoesBack, CheckpointQuotaReached, CheckpointTooLarge, CheckpointStoreFailed, TooManyIds, and what
    ledger.require_writable raises; NoSuchSession, SessionDeleted and SessionOfAnother, also from the database.
    """
    begun = _begin(session_id, state.depth, actor, owner)
    reached = begun.turn or 0
    turn = reached if turn is None else turn
    if turn < reached:
        raise _goes_back(turn, reached, state.depth)
    made = _save(begun, session_id, turn, state, state.digest(), wanted, actor)
    return queries.describe([Checkpoint.objects.get(tenant_id=actor.tenant_id, id=made)])[0]


@transaction.atomic(savepoint=False)
def report_turn(
    session_id: str,
    turn: int,
    state: State,
    *,
    actor: Principal,
    owner: str | None = None,
    checkpoint_every: int | None = None,
) -> ReportedTurn:
    """Report a turn of the session; creates a checkpoint if one is due. Repeating the same report changes nothing.

    Raises TurnGoesBack, TurnRepeated, StateIsDue, and what create_checkpoint raises.
    """
    begun = _begin(session_id, state.depth, actor, owner)
    if checkpoint_every is not None:
        db.change_session(
            tenant=actor.tenant_id, running=begun.running_id, keep=None, checkpoint_every=checkpoint_every
        )
    every = checkpoint_every or begun.checkpoint_every or settings.CHECKPOINT_EVERY
    digest = state.digest() if state.is_given else None
    last = begun.checkpointed_turn or 0
    if begun.turn is not None and turn < begun.turn:
        raise _goes_back(turn, begun.turn, state.depth)
    if turn == begun.turn and begun.is_reported:
        if digest != begun.state_sha256:
            raise TurnRepeated(
                f"Turn {turn} was already reported with a different state. The session is at turn {begun.turn} of depth"
                f" {state.depth}: report turn {begun.turn + 1} next.",
                pointer="/turn",
            )
        return _reported(session_id, turn, state, begun.checkpoint_id, _next_due(turn, last, every), actor)
    made = None
    if is_due(turn, last, every):
        if digest is None:
            raise StateIsDue(
                f"A checkpoint is due at turn {turn}: one is made every {every} turns, the last one at turn {last}."
                " Send the state with it.",
                pointer="",
            )
        made = _save(begun, session_id, turn, state, digest, Wanted(Checkpoint.Kind.AUTOMATIC), actor)
        last = turn
    db.report_turn(
        tenant=actor.tenant_id,
        running=begun.running_id,
        depth=state.depth,
        turn=turn,
        state_sha256=digest,
        checkpoint=made,
    )
    return _reported(session_id, turn, state, made, _next_due(turn, last, every), actor)


def _reported(
    session_id: str, turn: int, state: State, made: uuid.UUID | None, due: int, actor: Principal
) -> ReportedTurn:
    rows = Checkpoint.objects.filter(tenant_id=actor.tenant_id, id=made) if made else ()
    return ReportedTurn(session_id, turn, state.depth, next(iter(queries.describe(list(rows))), None), due)


def is_due(turn: int, last: int, every: int) -> bool:
    """Whether a checkpoint is due at this turn, given the `last` turn with one: at each multiple of `every`, and when
    more turns than that have passed. Turns begin at 1."""
    return turn > 0 and (turn % every == 0 or turn - last > every)


def _next_due(turn: int, last: int, every: int) -> int:
    return min((turn // every + 1) * every, max(turn + 1, last + every + 1))


def _begin(session_id: str, depth: int, actor: Principal, owner: str | None) -> db.BegunTurn:
    refuse_secrets([("", session_id)])
    appending.require_writable(actor.tenant_id)
    owner_id = actor.id
    if queries.names_another(owner, actor):
        offered = queries.find_session(session_id, actor, owner)
        owner_id = offered.owner_id
        sessions.accept_offer(offered, actor)
    gate.act_as(actor)
    return db.begin_turn(tenant=actor.tenant_id, owner=owner_id, session=session_id, depth=depth)


def _goes_back(turn: int, reached: int, depth: int) -> TurnGoesBack:
    return TurnGoesBack(
        f"Turn {turn} is lower than the session's current turn {reached} at depth {depth}. To go back, restore a"
        " checkpoint of the earlier turn.",
        pointer="/turn",
    )


def _save(
    begun: db.BegunTurn, session_id: str, turn: int, state: State, digest: bytes, wanted: Wanted, actor: Principal
) -> uuid.UUID:
    """Store the file, and then the row that names it. A failure in between leaves a file without a row, which the
    sweeper deletes, but never a row without a file."""
    ids = state_ids.ids_in(state)
    checkpoint_id = new_id()
    encoded = format.encode(state, id=checkpoint_id, tenant_id=actor.tenant_id, session_id=session_id, turn=turn)
    if begun.stored_bytes + len(encoded.content) > quota():
        raise _quota_reached(begun.stored_bytes, len(encoded.content))
    path = storage.path_of(actor.tenant_id, session_id, checkpoint_id)
    row: dict[str, Any] = {
        "id": str(checkpoint_id),
        "turn": turn,
        "depth": state.depth,
        "format_version": state.format_version,
        "kind": wanted.kind,
        "label": wanted.label and mask(wanted.label)[0],
        "is_pinned": wanted.is_pinned,
        "size": encoded.size,
        "stored_size": len(encoded.content),
        "sha256": encoded.sha256.hex(),
        "state_sha256": digest.hex(),
        "path": path,
    }
    storage.write(path, encoded.content)
    try:
        recorded = db.record_checkpoint(
            tenant=actor.tenant_id, running=begun.running_id, checkpoint=json.dumps(row), named=ids, quota=quota()
        )
        if recorded.refusal:
            raise _quota_reached(begun.stored_bytes, len(encoded.content))
    except BaseException:
        storage.discard(path)
        raise
    return checkpoint_id


def quota() -> int:
    """Maximum bytes of a tenant's checkpoint files."""
    found: int = settings.CHECKPOINT_QUOTA_MIB * MIB
    return found


def _quota_reached(stored: int, wanted: int) -> CheckpointQuotaReached:
    return CheckpointQuotaReached(
        f"The tenant's checkpoints use {stored:,} of {quota():,} bytes, and this one needs {wanted:,}. Delete some,"
        " keep fewer per session, or ask for a higher quota."
    )
