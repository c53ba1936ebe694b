"""Reporting turns of a running session, and saving its state."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    """A checkpoint to create, with the turn of its state (default: the session's current one)."""

    state: State
    turn: int | None = None
    kind: str = Checkpoint.Kind.MANUAL
    label: str | None = None
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class _Stored:
    """A checkpoint whose file is stored: its row but for the time."""

    row: dict[str, Any]
    state_sha256: bytes
    ids: str
    has_more_ids: bool


@dataclass(frozen=True, slots=True)
class ReportedTurn:
    """A reported turn, its checkpoint if one was made, and when the next one is due."""

    session_id: str
    turn: int
    depth: int
    checkpoint: db.Described | None
    next_checkpoint_turn: int


@transaction.atomic(savepoint=False)
def create_checkpoints(
    session_id: str,
    wanted: Mapping[str, Wanted],
    *,
    actor: Principal,
    owner: str | None = None,
) -> list[db.Described]:
    """Save states of the actor's own session, or of a session that `owner` lets it continue: all or none, in their
    order. The keys of `wanted` are the places of the checkpoints in the request, as JSON pointers.

    Raises TurnGoesBack, CheckpointQuotaReached, CheckpointTooLarge, CheckpointStoreFailed, and what
    ledger.require_writable raises; NoSuchSession, SessionDeleted and SessionOfAnother, also from the database.
    """
    begun: dict[int, db.BegunTurn] = {}
    reached: dict[int, int] = {}
    with _saved_files() as saved:
        for place, one in wanted.items():
            depth = one.state.depth
            if depth not in begun:
                begun[depth] = _begin(session_id, depth, actor, owner)
                reached[depth] = begun[depth].turn or 0
            turn = reached[depth] if one.turn is None else one.turn
            if turn < reached[depth]:
                raise _goes_back(turn, reached[depth], depth, place)
            reached[depth] = turn
            saved.append(_store(begun[depth], session_id, turn, one, one.state.digest(), saved, actor, place))
        return _record(begun[depth], saved, actor)


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

    Raises TurnGoesBack, TurnRepeated, StateIsDue, and what create_checkpoints raises.
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
        before = _reported_before(begun.checkpoint_id, actor)
        return ReportedTurn(session_id, turn, state.depth, before, _next_due(turn, last, every))
    made: db.Described | None = None
    if is_due(turn, last, every):
        if digest is None:
            raise StateIsDue(
                f"A checkpoint is due at turn {turn}: one is made every {every} turns, the last one at turn {last}."
                " Send the state with it.",
                pointer="",
            )
        with _saved_files() as saved:
            wanted = Wanted(state, kind=Checkpoint.Kind.AUTOMATIC)
            saved.append(_store(begun, session_id, turn, wanted, digest, saved, actor))
            (made,) = _record(begun, saved, actor)
        last = turn
    db.report_turn(
        tenant=actor.tenant_id,
        running=begun.running_id,
        depth=state.depth,
        turn=turn,
        state_sha256=digest,
        checkpoint=made.id if made else None,
    )
    return ReportedTurn(session_id, turn, state.depth, made, _next_due(turn, last, every))


def _reported_before(checkpoint_id: uuid.UUID | None, actor: Principal) -> db.Described | None:
    """The checkpoint that the same report made."""
    row = checkpoint_id and Checkpoint.objects.filter(tenant_id=actor.tenant_id, id=checkpoint_id).first()
    return queries.describe(row) if row else None


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


def _goes_back(turn: int, reached: int, depth: int, place: str = "") -> TurnGoesBack:
    return TurnGoesBack(
        f"Turn {turn} is lower than the session's current turn {reached} at depth {depth}. To go back, restore a"
        " checkpoint of the earlier turn.",
        pointer=f"{place}/turn",
    )


@contextmanager
def _saved_files() -> Iterator[list[_Stored]]:
    """Yield a list for the stored files, and delete these if their rows are not recorded. Files come first, and then
    the rows that name them: a process that is killed in between leaves a file without a row, which the sweeper deletes,
    but never a row without a file."""
    saved: list[_Stored] = []
    try:
        yield saved
    except BaseException:
        for one in saved:
            storage.discard(one.row["path"])
        raise


def _store(
    begun: db.BegunTurn,
    session_id: str,
    turn: int,
    wanted: Wanted,
    digest: bytes,
    saved: Sequence[_Stored],
    actor: Principal,
    place: str = "",
) -> _Stored:
    """Store the file of a state, after those that are `saved`."""
    state = wanted.state
    ids, has_more_ids = state_ids.ids_in(state)
    checkpoint_id = new_id()
    encoded = format.encode(state, id=checkpoint_id, tenant_id=actor.tenant_id, session_id=session_id, turn=turn)
    stored = begun.stored_bytes + sum(one.row["stored_size"] for one in saved)
    if stored + len(encoded.content) > quota():
        raise _quota_reached(stored, len(encoded.content), place)
    path = storage.path_of(actor.tenant_id, session_id, checkpoint_id)
    storage.write(path, encoded.content)
    row = {
        "id": checkpoint_id,
        "session_id": session_id,
        "turn": turn,
        "depth": state.depth,
        "format_version": state.format_version,
        "kind": wanted.kind,
        "label": wanted.label and mask(wanted.label)[0],
        "size": encoded.size,
        "stored_size": len(encoded.content),
        "sha256": encoded.sha256,
        "path": path,
        "is_pinned": wanted.is_pinned,
    }
    return _Stored(row, digest, ids, has_more_ids)


def _record(begun: db.BegunTurn, saved: Sequence[_Stored], actor: Principal) -> list[db.Described]:
    rows = [
        {
            **one.row,
            "id": str(one.row["id"]),
            "sha256": one.row["sha256"].hex(),
            "state_sha256": one.state_sha256.hex(),
            "named": one.ids,
            "names_more": one.has_more_ids,
        }
        for one in saved
    ]
    storage.settle([one.row["path"] for one in saved])
    recorded = db.record_checkpoints(
        tenant=actor.tenant_id, running=begun.running_id, checkpoints=json.dumps(rows), quota=quota()
    )
    if recorded.refusal:
        raise _quota_reached(begun.stored_bytes, sum(one.row["stored_size"] for one in saved))
    return [db.Described(**one.row, agent=actor.name, created_at=recorded.created_at) for one in saved]


def quota() -> int:
    """Maximum bytes of a tenant's checkpoint files."""
    found: int = settings.CHECKPOINT_QUOTA_MIB * MIB
    return found


def _quota_reached(stored: int, wanted: int, place: str | None = None) -> CheckpointQuotaReached:
    return CheckpointQuotaReached(
        f"The tenant's checkpoints use {stored:,} of {quota():,} bytes, and this one needs {wanted:,}. Delete some,"
        " keep fewer per session, or ask for a higher quota.",
        pointer=place or None,
    )
