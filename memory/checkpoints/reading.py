"""Running sessions and checkpoints, for whoever may see them."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from governance.identity.principals import Principal
from memory.checkpoints import format, storage
from memory.checkpoints.format import State
from memory.checkpoints.refusals import (
    CheckpointRemoved,
    NoSuchCheckpoint,
    NoSuchSession,
    OnlyAgents,
    SessionOfAnother,
)
from memory.models import Checkpoint, CheckpointState, RunningSession, SessionShare, SessionTurn


@dataclass(frozen=True, slots=True)
class Described:
    """A checkpoint without its state. Sizes are in bytes: of the JSON, and of the file."""

    id: uuid.UUID
    session_id: str
    turn: int
    depth: int
    format_version: str
    kind: str
    label: str | None
    size: int
    stored_size: int
    sha256: str
    path: str
    is_pinned: bool
    agent: str
    created_at: datetime


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


def find_session(session_id: str, principal: Principal) -> RunningSession:
    """The session, if the principal may see what checkpoints it has. Raises NoSuchSession, SessionOfAnother and
    OnlyAgents."""
    found = RunningSession.objects.filter(tenant_id=principal.tenant_id, session_id=session_id).first()
    if found is None:
        raise NoSuchSession
    require_listed(found, principal)
    return found


def sessions_for(principal: Principal) -> QuerySet[RunningSession]:
    """The sessions that the principal may see: an agent its own and those shared with it, admins all, other people
    none."""
    rows = RunningSession.objects.filter(tenant_id=principal.tenant_id)
    if principal.kind == "human":
        return rows if principal.may_manage else rows.none()
    shared = SessionShare.objects.filter(
        tenant_id=OuterRef("tenant_id"), running_id=OuterRef("id"), agent_id=principal.id
    )
    return rows.filter(Q(owner_id=principal.id) | Exists(shared))


def require_listed(session: RunningSession, principal: Principal) -> None:
    """Raises SessionOfAnother, or OnlyAgents for people without the admin role, who may not even see what there is."""
    if principal.kind == "human":
        if not principal.may_manage:
            raise OnlyAgents
    elif session.owner_id != principal.id and not _shares(session, principal).exists():
        raise SessionOfAnother


def _shares(session: RunningSession, principal: Principal) -> QuerySet[SessionShare]:
    return SessionShare.objects.filter(tenant_id=session.tenant_id, running_id=session.id, agent_id=principal.id)


def describe_session(session: RunningSession) -> DescribedSession:
    """The session with its settings and whom it is shared with."""
    return describe_sessions([session])[0]


def describe_sessions(sessions: Sequence[RunningSession]) -> list[DescribedSession]:
    """Sessions of one tenant with their settings and whom they are shared with, in their order."""
    if not sessions:
        return []
    own = {"tenant_id": sessions[0].tenant_id, "running_id__in": [session.id for session in sessions]}
    turns = dict(SessionTurn.objects.filter(**own, depth=0).values_list("running_id", "turn"))
    shares = SessionShare.objects.filter(**own).order_by("agent").values_list("running_id", "agent")
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


def checkpoints_of(session: RunningSession) -> QuerySet[Checkpoint]:
    """The checkpoints of a session that were not removed."""
    live = CheckpointState.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("id"), is_removed=False)
    rows = Checkpoint.objects.filter(tenant_id=session.tenant_id, running_id=session.id)
    return rows.filter(Exists(live))


def find_checkpoint(checkpoint_id: uuid.UUID, principal: Principal) -> Checkpoint:
    """A checkpoint, if the principal may see that there is one. Raises NoSuchCheckpoint, CheckpointRemoved,
    SessionOfAnother and OnlyAgents."""
    return _listed(Checkpoint.objects.filter(tenant_id=principal.tenant_id, id=checkpoint_id).first(), principal)


def find_by_path(path: str, principal: Principal) -> Checkpoint:
    """The same by the path that its description names."""
    return _listed(Checkpoint.objects.filter(tenant_id=principal.tenant_id, path=path).first(), principal)


def _listed(found: Checkpoint | None, principal: Principal) -> Checkpoint:
    if found is None:
        raise NoSuchCheckpoint
    session = RunningSession.objects.get(tenant_id=found.tenant_id, id=found.running_id)
    require_listed(session, principal)
    if CheckpointState.objects.filter(tenant_id=found.tenant_id, id=found.id, is_removed=True).exists():
        raise CheckpointRemoved
    return found


def latest_of(session: RunningSession, depth: int | None) -> Checkpoint:
    """The newest checkpoint of a session, at a depth if one is given. Raises NoSuchCheckpoint."""
    rows = checkpoints_of(session)
    found = (rows if depth is None else rows.filter(depth=depth)).order_by("-id").first()
    if found is None:
        raise NoSuchCheckpoint("The session has no checkpoint.")
    return found


def describe(rows: Sequence[Checkpoint]) -> list[Described]:
    """The checkpoints without their states, in their order."""
    if not rows:
        return []
    states = CheckpointState.objects.filter(tenant_id=rows[0].tenant_id, id__in=[row.id for row in rows])
    by_id = {state.id: state for state in states}
    return [_described(row, by_id[row.id]) for row in rows]


def _described(row: Checkpoint, state: CheckpointState) -> Described:
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
        sha256=bytes(row.sha256).hex(),
        path=row.path,
        is_pinned=state.is_pinned,
        agent=row.agent,
        created_at=row.created_at,
    )


def state_of(row: Checkpoint, principal: Principal) -> State:
    """The state that is stored for a checkpoint. Raises OnlyAgents, CheckpointDamaged, FileMissing, IncompatibleFormat
    and CheckpointStoreFailed."""
    if principal.kind != "agent":
        raise OnlyAgents
    format.require_compatible(row.format_version)
    try:
        content = storage.read(row.path, row.stored_size, bytes(row.sha256))
    except storage.FileMissing:
        # The job may have deleted it since the row was read.
        if CheckpointState.objects.filter(tenant_id=row.tenant_id, id=row.id, is_removed=True).exists():
            raise CheckpointRemoved from None
        raise
    return format.decode(content, id=row.id, tenant_id=row.tenant_id, size=row.size, version=row.format_version)
