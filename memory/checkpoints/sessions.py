"""Changes to sessions other than turns: settings, shares, and checkpoints."""

import uuid
from collections.abc import Sequence

from django.db import transaction

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.models import Agent
from governance.refusals import Invalid
from memory.checkpoints import db, queries
from memory.checkpoints.refusals import SharedWithItself
from memory.models import RunningSession


class UnknownAgent(Invalid):
    """The tenant has no active agent with this name."""


@transaction.atomic(savepoint=False)
def change_session(
    session_id: str,
    *,
    actor: Principal,
    owner: str | None = None,
    keep: int | None = None,
    checkpoint_every: int | None = None,
) -> RunningSession:
    """Set how many checkpoints are kept, and how often one is made. Raises NoSuchSession and SessionOfAnother."""
    session = queries.find_session(session_id, actor, owner)
    accept_offer(session, actor)
    appending.require_writable(actor.tenant_id)
    gate.act_as(actor)
    db.change_session(tenant=actor.tenant_id, running=session.id, keep=keep, checkpoint_every=checkpoint_every)
    session.refresh_from_db()
    return session


@transaction.atomic(savepoint=False)
def share_session(
    session_id: str, slugs: Sequence[str], *, actor: Principal, owner: str | None = None, may_continue: bool = False
) -> RunningSession:
    """Offer a session to exactly these agents; all others lose access. An agent accepts the offer by naming the owner.
    Raises NoSuchSession, SessionOfAnother, UnknownAgent and SharedWithItself."""
    session = queries.find_session(session_id, actor, owner)
    agents = dict(
        Agent.objects.filter(tenant_id=actor.tenant_id, slug__in=slugs, is_active=True).values_list("slug", "id")
    )
    for place, slug in enumerate(slugs):
        if slug not in agents:
            raise UnknownAgent(f"There is no active agent {slug!r} in this tenant.", pointer=f"/agents/{place}")
        if slug == session.owner:
            raise SharedWithItself(pointer=f"/agents/{place}")
    gate.act_as(actor)
    shared = db.share_session(
        tenant=actor.tenant_id, running=session.id, agents=list(agents.values()), may_continue=may_continue
    )
    if shared:
        appending.record(
            "session.shared",
            actor=actor,
            metadata={
                "session": str(session.id),
                "session_id": session.session_id,
                "agents": sorted(agents),
                "may_continue": may_continue,
            },
        )
    return session


def accept_offer(session: RunningSession, actor: Principal) -> None:
    """Record the first use of a session that another agent offers; does nothing for the actor's own session. Called in
    the transaction of the use."""
    if not queries.is_offered(session, actor):
        return
    gate.act_as(actor)
    if db.take_session(tenant=actor.tenant_id, running=session.id):
        appending.record(
            "session.taken",
            actor=actor,
            metadata={"session": str(session.id), "session_id": session.session_id, "owner": session.owner},
        )


@transaction.atomic(savepoint=False)
def delete_session(session_id: str, *, actor: Principal, owner: str | None = None) -> int:
    """Permanently delete a session with its checkpoints and shares; returns the number of its checkpoints. Raises
    NoSuchSession, SessionDeleted and SessionOfAnother."""
    session = queries.find_session(session_id, actor, owner)
    gate.act_as(actor)
    deleted = db.delete_session(tenant=actor.tenant_id, running=session.id)
    appending.record(
        "session.deleted",
        actor=actor,
        metadata={
            "session": str(session.id),
            "session_id": session.session_id,
            "checkpoints": [str(one) for one in deleted],
        },
    )
    return len(deleted)


@transaction.atomic(savepoint=False)
def pin_checkpoint(
    checkpoint_id: uuid.UUID, *, actor: Principal, is_pinned: bool, owner: str | None = None
) -> db.Described:
    """Exempt a checkpoint from pruning, or undo this. Raises NoSuchCheckpoint, CheckpointRemoved and
    SessionOfAnother."""
    found = queries.find_checkpoint(checkpoint_id, actor, owner)
    gate.act_as(actor)
    if db.pin_checkpoint(tenant=actor.tenant_id, checkpoint=found.id, is_pinned=is_pinned):
        appending.record(
            "checkpoint.pinned",
            actor=actor,
            metadata={"checkpoint": str(found.id), "session_id": found.session_id, "is_pinned": is_pinned},
        )
    return queries.describe(found)


@transaction.atomic(savepoint=False)
def delete_checkpoint(checkpoint_id: uuid.UUID, *, actor: Principal, owner: str | None = None) -> int:
    """Delete a checkpoint, pinned or not; returns 1. Raises NoSuchCheckpoint, CheckpointRemoved and
    SessionOfAnother."""
    found = queries.find_checkpoint(checkpoint_id, actor, owner)
    return _delete(found.running_id, found.session_id, [found.id], actor)


@transaction.atomic(savepoint=False)
def delete_checkpoints(session_id: str, ids: Sequence[uuid.UUID], *, actor: Principal, owner: str | None = None) -> int:
    """Delete these checkpoints of a session, pinned or not, in one act; returns the number of those that existed.
    Raises NoSuchSession and SessionOfAnother."""
    session = queries.find_session(session_id, actor, owner)
    return _delete(session.id, session.session_id, ids, actor)


@transaction.atomic(savepoint=False)
def delete_all(session_id: str, *, actor: Principal, owner: str | None = None) -> int:
    """Delete all checkpoints of a session; returns the number. Raises NoSuchSession and SessionOfAnother."""
    session = queries.find_session(session_id, actor, owner)
    return _delete(session.id, session.session_id, None, actor)


def _delete(running_id: uuid.UUID, session_id: str, ids: Sequence[uuid.UUID] | None, actor: Principal) -> int:
    gate.act_as(actor)
    listed = None if ids is None else list(ids)
    deleted = db.delete_checkpoints(tenant=actor.tenant_id, running=running_id, checkpoints=listed)
    if deleted:
        appending.record(
            "checkpoint.deleted",
            actor=actor,
            metadata={"session_id": session_id, "checkpoints": [str(one) for one in deleted]},
        )
    return len(deleted)
