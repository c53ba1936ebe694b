"""Running sessions and checkpoints, for principals who may see them."""

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import orjson
from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from governance.acting import gate
from governance.acting.principals import Principal
from memory.checkpoints import db, format, storage
from memory.checkpoints.db import Described
from memory.checkpoints.format import State
from memory.checkpoints.refusals import (
    CheckpointRemoved,
    NoSuchCheckpoint,
    NoSuchSession,
    OnlyAgents,
    OwnerMissing,
    OwnerNotNamed,
    SessionDeleted,
    SessionOfAnother,
)
from memory.models import Checkpoint, CheckpointState, RunningSession, SessionShare, SessionTurn
from memory.values.reading import to_read


@dataclass(frozen=True, slots=True)
class DescribedSession:
    """A running session. `turn` is the main agent's."""

    session_id: str
    agent: str
    turn: int
    status: str
    resumed_from: uuid.UUID | None
    resumed_at: datetime | None
    shared_with: list[str]
    checkpoint_every: int
    keep: int


@dataclass(frozen=True, slots=True)
class DescribedShare:
    """An agent that a session is offered to, and when it first used it."""

    agent: str
    may_continue: bool
    offered_at: datetime
    taken_at: datetime | None


def find_session(session_id: str, principal: Principal, owner: str | None = None) -> RunningSession:
    """The principal's own session with this id, or the session of `owner`, a slug, if it is offered to the principal or
    the principal is an admin.

    Raises NoSuchSession, SessionDeleted, SessionOfAnother, OwnerMissing and OnlyAgents.
    """
    if principal.kind == "human":
        if not principal.may_manage:
            raise OnlyAgents
        if owner is None:
            raise OwnerMissing
    gate.act_as(principal)
    found = db.find_session(tenant=principal.tenant_id, session=session_id, owner=owner)
    if not found:
        if principal.kind != "human" and names_another(owner, principal):  # the same answer whether or not it exists
            raise SessionOfAnother
        raise NoSuchSession
    session = RunningSession(tenant_id=principal.tenant_id, **asdict(found[0]))
    if session.status == RunningSession.Status.DELETED:
        raise SessionDeleted
    return session


def is_offered(session: RunningSession, actor: Principal) -> bool:
    """Whether another agent offers the session to the actor."""
    return actor.kind == "agent" and session.owner_id != actor.id


def names_another(owner: str | None, principal: Principal) -> bool:
    """Whether `owner` names an agent other than the principal."""
    return owner is not None and owner != principal.name


def sessions_for(
    principal: Principal, *, owner: str | None = None, is_offered: bool = False
) -> QuerySet[RunningSession]:
    """The sessions that the principal may see: for an agent, its own, or those offered to it by one or all owners; for
    admins, all; for other people, none."""
    rows = RunningSession.objects.filter(tenant_id=principal.tenant_id).exclude(status=RunningSession.Status.DELETED)
    if owner is not None:
        rows = rows.filter(owner=owner)
    if principal.kind == "human":
        return rows if principal.may_manage else rows.none()
    return rows.filter(
        _offered_to(principal) if is_offered or names_another(owner, principal) else Q(owner_id=principal.id)
    )


def _offered_to(principal: Principal) -> Exists:
    return Exists(
        SessionShare.objects.filter(tenant_id=OuterRef("tenant_id"), running_id=OuterRef("id"), agent_id=principal.id)
    )


def shares_of(session: RunningSession, principal: Principal) -> list[DescribedShare]:
    """The agents that a session is offered to, by name; for another agent's session, only the principal's own share."""
    rows = _shares(session.tenant_id, [session], principal)
    return [DescribedShare(one.agent, one.may_continue, one.shared_at, one.taken_at) for one in rows]


def _shares(tenant_id: uuid.UUID, sessions: Sequence[RunningSession], principal: Principal) -> QuerySet[SessionShare]:
    own = [one.id for one in sessions if principal.kind == "human" or one.owner_id == principal.id]
    seen = Q(running_id__in=own) | Q(running_id__in=[one.id for one in sessions], agent_id=principal.id)
    return SessionShare.objects.filter(seen, tenant_id=tenant_id).order_by("agent")


def describe_session(session: RunningSession, principal: Principal) -> DescribedSession:
    """The session with its settings and shares."""
    return describe_sessions([session], principal)[0]


def describe_sessions(sessions: Sequence[RunningSession], principal: Principal) -> list[DescribedSession]:
    """Sessions of one tenant with their settings and shares, in the given order; for another agent's session, only the
    principal's own share."""
    if not sessions:
        return []
    own = {"tenant_id": sessions[0].tenant_id, "running_id__in": [session.id for session in sessions]}
    turns = dict(SessionTurn.objects.filter(**own, depth=0).values_list("running_id", "turn"))
    shares = _shares(sessions[0].tenant_id, sessions, principal).values_list("running_id", "agent")
    return [
        DescribedSession(
            session_id=session.session_id,
            agent=session.owner,
            turn=turns.get(session.id, 0),
            status=session.status,
            resumed_from=session.resumed_from,
            resumed_at=session.resumed_at,
            shared_with=[agent for running_id, agent in shares if running_id == session.id],
            checkpoint_every=session.checkpoint_every or settings.CHECKPOINT_EVERY,
            keep=session.keep or settings.CHECKPOINT_KEEP,
        )
        for session in sessions
    ]


def list_checkpoints(
    session: RunningSession,
    *,
    depth: int | None = None,
    kind: str | None = None,
    label_prefix: str | None = None,
    by_label: bool = False,
    before: Sequence[Any] | None = None,
    limit: int,
) -> list[Described]:
    """The checkpoints of a session that were not removed, newest first, or those with a label, the greatest label
    first. `before` has the id of the checkpoint before them, after its label if they are ordered by it."""
    return db.list_checkpoints(
        tenant=session.tenant_id,
        running=session.id,
        depth=depth,
        kind=kind,
        label_prefix=label_prefix,
        by_label=by_label,
        before_label=before[0] if before and by_label else None,
        before=before[-1] if before else None,
        limit=limit,
    )


def find_checkpoint(checkpoint_id: uuid.UUID, principal: Principal, owner: str | None = None) -> Checkpoint:
    """A checkpoint of the principal's own session, or of a session that `owner` offers to it. Admins see all, and need
    no owner.

    Raises NoSuchCheckpoint, CheckpointRemoved, OwnerNotNamed, SessionOfAnother and OnlyAgents.
    """
    return _listed(Checkpoint.objects.filter(tenant_id=principal.tenant_id, id=checkpoint_id).first(), principal, owner)


def find_by_path(path: str, principal: Principal, owner: str | None = None) -> Checkpoint:
    """The same, by the checkpoint's path."""
    return _listed(Checkpoint.objects.filter(tenant_id=principal.tenant_id, path=path).first(), principal, owner)


def _listed(found: Checkpoint | None, principal: Principal, owner: str | None) -> Checkpoint:
    if found is None:
        raise NoSuchCheckpoint
    session = session_of(found)
    if owner not in {None, session.owner}:
        raise NoSuchCheckpoint(f"The agent {owner!r} has no such checkpoint.")
    if principal.kind == "human":
        if not principal.may_manage:
            raise OnlyAgents
    elif session.owner_id != principal.id:
        if not SessionShare.objects.filter(
            tenant_id=session.tenant_id, running_id=session.id, agent_id=principal.id
        ).exists():
            raise SessionOfAnother
        if owner is None:
            raise OwnerNotNamed(
                f"This checkpoint belongs to a session of the agent {session.owner!r}, which offers it to you. To"
                f" accept the offer, name the owner: ?owner={session.owner}"
            )
    if CheckpointState.objects.filter(tenant_id=found.tenant_id, id=found.id, is_removed=True).exists():
        raise CheckpointRemoved
    return found


def session_of(found: Checkpoint) -> RunningSession:
    """The session of a checkpoint."""
    return RunningSession.objects.get(tenant_id=found.tenant_id, id=found.running_id)


def latest_of(session: RunningSession, depth: int | None) -> Described:
    """The newest checkpoint of a session, optionally at a depth. Raises NoSuchCheckpoint."""
    found = list_checkpoints(session, depth=depth, limit=1)
    if not found:
        raise NoSuchCheckpoint("The session has no checkpoint.")
    return found[0]


def describe(row: Checkpoint) -> Described:
    """The checkpoint without its state."""
    state = CheckpointState.objects.get(tenant_id=row.tenant_id, id=row.id)
    return Described(
        id=row.id,
        session_id=row.session_id,
        turn=row.turn,
        depth=row.depth,
        format_version=row.format_version,
        kind=row.kind,
        label=state.label,
        size=row.size,
        stored_size=row.stored_size,
        sha256=bytes(row.sha256),
        path=row.path,
        is_pinned=state.is_pinned,
        agent=row.agent,
        created_at=row.created_at,
    )


def states_of(rows: Sequence[Checkpoint | Described], principal: Principal) -> list[State]:
    """The stored states of checkpoints of the principal's tenant. Raises OnlyAgents, CheckpointRemoved,
    CheckpointDamaged, FileMissing, IncompatibleFormat and CheckpointStoreFailed."""
    if principal.kind != "agent":
        raise OnlyAgents
    states = [_stored_state(row, principal.tenant_id) for row in rows]
    fields = [{name: orjson.Fragment(value) for name, value in state.fields.items()} for state in states]
    kept = to_read(fields, principal.tenant_id)
    if kept is fields:
        return states
    return [
        replace(state, fields={name: orjson.dumps(value) for name, value in one.items()})
        for state, one in zip(states, kept, strict=True)
    ]


def _stored_state(row: Checkpoint | Described, tenant_id: uuid.UUID) -> State:
    format.require_compatible(row.format_version)
    try:
        content = storage.read(row.path, row.stored_size, bytes(row.sha256))
    except storage.FileMissing:
        # The job may have deleted it since the row was read.
        with gate.entered():
            if CheckpointState.objects.filter(tenant_id=tenant_id, id=row.id, is_removed=True).exists():
                raise CheckpointRemoved from None
        raise
    return format.decode(content, id=row.id, tenant_id=tenant_id, size=row.size, version=row.format_version)
