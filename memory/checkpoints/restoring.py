"""Restoring a checkpoint: its state, pending operations, and the memories in it that have changed since then."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import transaction

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.redaction import refuse_secrets
from governance.text import REMARK
from memory.checkpoints import db, format, queries, sessions
from memory.checkpoints.format import State
from memory.checkpoints.refusals import OnlyAgents, OperationUnknown, PathOutsideRoot
from memory.models import Checkpoint, OperationDone, RunningSession
from suture_client.text.masking import mask


@dataclass(frozen=True, slots=True)
class PendingOperation:
    """An operation that was pending when the checkpoint was made, and when a client marked it as done."""

    id: str
    operation: dict[str, Any]
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class Restored:
    """A checkpoint with its state."""

    described: db.Described
    state: State
    operations: list[PendingOperation]
    corrections: list[db.Correction]


@transaction.atomic(savepoint=False)
def restore_checkpoint(checkpoint_id: uuid.UUID, *, actor: Principal, owner: str | None = None) -> Restored:
    """Return the whole state of a checkpoint and continue the session from there, if the actor may continue it. `owner`
    is the agent that owns the session, if not the actor.

    Raises NoSuchCheckpoint, CheckpointRemoved, OwnerNotNamed, SessionOfAnother, OnlyAgents, CheckpointDamaged,
    IncompatibleFormat and CheckpointStoreFailed: then nothing is changed.
    """
    return _restore(queries.find_checkpoint(checkpoint_id, actor, owner), actor)


@transaction.atomic(savepoint=False)
def restore_by_path(path: str, *, actor: Principal, owner: str | None = None) -> Restored:
    """The same, by the checkpoint's path. Raises PathOutsideRoot too."""
    require_inside(path)
    return _restore(queries.find_by_path(path, actor, owner), actor)


def read_states(session: RunningSession, rows: Sequence[Checkpoint | db.Described], *, actor: Principal) -> list[State]:
    """Read the states of checkpoints of a session, in their order, without resuming it. Raises what queries.states_of()
    raises."""
    if queries.is_offered(session, actor):
        with gate.entered(), transaction.atomic(savepoint=False):
            sessions.accept_offer(session, actor)
    return queries.states_of(rows, actor)


def require_inside(path: str) -> None:
    """Raise PathOutsideRoot if this cannot be a path below the root. Only paths of existing rows are ever opened."""
    parts = path.split("/")
    if "\\" in path or any(part in {"", ".", ".."} for part in parts):
        raise PathOutsideRoot(pointer="/path")


def _restore(found: Checkpoint, actor: Principal) -> Restored:
    gate.act_as(actor)
    if actor.kind != "agent":
        raise OnlyAgents
    sessions.accept_offer(queries.session_of(found), actor)
    # This locks the session: no one removes the file until this transaction ends.
    is_resumed = db.resume_session(tenant=actor.tenant_id, checkpoint=found.id)
    (state,) = queries.states_of([found], actor)
    corrections = db.checkpoint_corrections(tenant=actor.tenant_id, checkpoint=found.id)
    restored = Restored(
        described=queries.describe(found),
        state=state,
        operations=operations_of(found, state),
        corrections=corrections,
    )
    appending.record(
        "checkpoint.restored",
        actor=actor,
        metadata={
            "checkpoint": str(found.id),
            "session_id": found.session_id,
            "turn": found.turn,
            "depth": found.depth,
            "is_resumed": is_resumed,
            "corrections": len(corrections),
        },
    )
    return restored


def operations_of(found: Checkpoint, state: State) -> list[PendingOperation]:
    """The pending operations of a state, with those that are done."""
    rows = OperationDone.objects.filter(tenant_id=found.tenant_id, checkpoint_id=found.id)
    done = dict(rows.values_list("operation_id", "done_at"))
    operations = [
        (format.operation_id(place, one), one)
        for place, one in enumerate(orjson.loads(state.fields["pending_operations"]))
    ]
    return [PendingOperation(name, one, done.get(name)) for name, one in operations]


@transaction.atomic(savepoint=False)
def finish_operation(
    checkpoint_id: uuid.UUID, operation_id: str, note: str, *, actor: Principal, owner: str | None = None
) -> datetime:
    """Mark a pending operation as done; returns when it was first marked.

    Raises OperationUnknown, and what restore_checkpoint raises.
    """
    note = mask(REMARK.require(note, "/note"))[0]
    refuse_secrets([("", operation_id)])
    found = queries.find_checkpoint(checkpoint_id, actor, owner)
    (state,) = queries.states_of([found], actor)
    if operation_id not in {one.id for one in operations_of(found, state)}:
        raise OperationUnknown
    appending.require_writable(actor.tenant_id)
    gate.act_as(actor)
    return db.finish_operation(tenant=actor.tenant_id, checkpoint=found.id, operation=operation_id, note=note)
