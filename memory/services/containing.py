"""Containing a recorder: quarantines its records since a moment, and reverts its edits.

First a preview with counts and a token, then the commit with that token. Everything from one commit is one batch, which
governance/edits/batches.py reverts as a whole.
"""

import hashlib
import json
import time
import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.core import signing
from django.db import transaction

from governance import edits, idempotency, text
from governance.acting.principals import Principal
from governance.edits import batches, targets
from governance.edits.batches import Committed
from governance.edits.proposals import Proposal
from governance.edits.queries import visible_edits
from governance.models import Edit, EditState, first_id_of
from governance.refusals import Conflict, Forbidden, Invalid
from memory.models import Chunk, Event
from memory.queries.rows import ChunkRow
from memory.services import surgery

_SALT = "suture.edits.contain"
_FINGERPRINT = hashlib.sha256(b"a commit of a containment").digest()
#: Maximum numbers of capsules and of edits in a containment: they form one part.
AT_MOST = 5_000


class ContainsItself(Forbidden):
    """You cannot contain yourself. Ask another reviewer, or propose to retract single memories."""


class RejectedByPeople(Forbidden):
    """Only a reviewer or admin can reject pending edits. Leave out reject_pending."""


class NothingRecorded(Conflict):
    """This recorder has no records or edits since then that are still in effect."""


class TooMuchElse(Invalid):
    """The recorder has made more than 5,000 capsules or edits since then. First use a later time, then an earlier
    one."""


@dataclass(frozen=True, slots=True)
class Containment:
    """The effect of a commit with `token`: quarantines `memories`, and `others` by kind of target, and reverts
    `reverts`, edits of the recorder by operation. Its `pending` edits are rejected, or stay in the queue. `sample` has
    the first memories that the caller may see."""

    memories: int
    others: dict[str, int]
    reverts: dict[str, int]
    pending: int
    sample: list[ChunkRow]
    token: str
    parts: int


def preview_containment(
    *, actor: Principal, recorder: str, since: datetime, reason: str, reject_pending: bool = False
) -> Containment:
    """Count the effects of containing the agent or person named `recorder`, without writing. `since` refers to the time
    of recording, not the claimed time. With `reject_pending`, the commit also rejects the recorder's pending edits.

    Raises ContainsItself, RejectedByPeople, NothingRecorded, TooMuchElse, TooManyMatches.
    """
    if recorder == actor.name:
        raise ContainsItself(pointer="/recorder")
    if reject_pending and not actor.may_decide:
        raise RejectedByPeople(pointer="/reject_pending")
    text.REASON.require(reason, "/reason")
    preview = surgery.preview_by_filter(
        actor=actor,
        filter={"recorder": recorder, "recorded_since": since.isoformat()},
        op=Edit.Op.QUARANTINE,
        reason=reason,
        patch=edits.Patch(),
        part_size=batches.PART,
    )
    made = _made(actor, recorder, since)
    changed = _changed(actor, recorder, since)
    pending = _pending(actor, recorder, since)
    rejected = pending if reject_pending else []
    if not (preview.count or made or changed or rejected):
        raise NothingRecorded
    token = signing.dumps(
        {
            "memories": preview.token if preview.count else None,
            "actor": str(actor.id),
            "tenant": str(actor.tenant_id),
            "recorder": recorder,
            "since": since.isoformat(),
            "reason": reason,
            "others": _digest(made, changed, rejected) if made or changed or rejected else None,
            "reject": reject_pending,
        },
        salt=_SALT,
        compress=True,
    )
    return Containment(
        preview.count,
        dict(Counter(kind for kind, _ in made)),
        dict(Counter(edit.op for edit in changed)),
        len(pending),
        preview.sample,
        token,
        (preview.parts if preview.count else 0) + bool(made or changed or rejected),
    )


@transaction.atomic
def contain(token: str, *, actor: Principal) -> Committed:
    """Commit what the preview counted, with one batch id: part by part, each once. After SECONDS, no further part is
    started; a commit with the same token continues.

    If the database refuses a revert, or a quarantine of something else than memory (capsules), for example because the
    edit is already reverted, it is counted and does not stop the others. Raises InvalidToken, MatchesHaveChanged,
    CommittedAlready, and what propose_edits raises.
    """
    try:
        plan = signing.loads(token, salt=_SALT, max_age=surgery.TOKEN_AGE)
    except signing.BadSignature:
        raise surgery.InvalidToken(pointer="/token") from None
    if (plan["actor"], plan["tenant"]) != (str(actor.id), str(actor.tenant_id)):
        raise surgery.InvalidToken(pointer="/token")
    began = time.monotonic()
    batch_id = _batch_of(plan, token)
    items: list[edits.BatchItem] = []
    is_complete = plan["memories"] is None
    has_done = False
    if plan["others"] is not None:
        try:
            items += idempotency.once(
                actor, f"containment {batch_id}", _FINGERPRINT, partial(_contain_others, plan, actor, batch_id),
                answer_of=lambda _: idempotency.Answer(201, json.dumps({"batch_id": str(batch_id)})),
            )  # fmt: skip
            has_done = True
        except idempotency.DoneBefore:
            if is_complete:
                raise _committed(batch_id) from None
    while not is_complete and (not has_done or time.monotonic() - began < batches.SECONDS):
        try:
            part = surgery.commit_by_filter(plan["memories"], actor=actor)
        except surgery.CommittedAlready:
            raise _committed(batch_id) from None
        items += part.batch.items
        has_done, is_complete = True, part.is_complete
    statuses = Counter(item.outcome.status for item in items if item.outcome is not None)
    refused = [item.refusal.detail for item in items if item.refusal is not None]
    return Committed(batch_id, dict(statuses), refused, is_complete)


def _committed(batch_id: uuid.UUID) -> surgery.CommittedAlready:
    return surgery.CommittedAlready(
        f"This preview was already committed, as batch {batch_id}, so nothing changed. To contain more, request a new"
        " preview.",
        pointer="/token",
    )


def _batch_of(plan: Mapping[str, Any], token: str) -> uuid.UUID:
    """The batch of everything with this token: the batch of the memories, if there are any."""
    if plan["memories"] is not None:
        return surgery.batch_of(plan["memories"])
    return uuid.UUID(bytes=hashlib.sha256(token.encode()).digest()[:16], version=4)


def _contain_others(plan: Mapping[str, Any], actor: Principal, batch_id: uuid.UUID) -> list[edits.BatchItem]:
    since = datetime.fromisoformat(plan["since"])
    made, changed = _made(actor, plan["recorder"], since), _changed(actor, plan["recorder"], since)
    pending = _pending(actor, plan["recorder"], since) if plan["reject"] else []
    if _digest(made, changed, pending) != plan["others"]:
        raise surgery.MatchesHaveChanged(
            "The recorder's capsules or edits have changed since the preview. Nothing was changed."
            " Request a new preview."
        )
    reason = plan["reason"]
    proposals = [Proposal(kind, one, Edit.Op.QUARANTINE, reason, edits.Patch()) for kind, one in made]
    proposals += [batches.revert_of(edit, reason) for edit in changed]
    items: list[edits.BatchItem] = []
    for start in range(0, len(proposals), surgery.SLICE):
        part = proposals[start : start + surgery.SLICE]
        items += edits.propose_edits(part, actor=actor, each=True, batch_id=batch_id).items
    for one in pending:
        items.append(edits.BatchItem(edits.decide_edit(one.id, actor=actor, decision="rejected", reason=reason)))
    return items


def _made(actor: Principal, recorder: str, since: datetime) -> list[tuple[str, uuid.UUID]]:
    """Things other than memory that the recorder has made: capsules."""
    made = targets.made_by(recorder, since, actor, limit=AT_MOST + 1)
    if len(made) > AT_MOST:
        raise TooMuchElse(pointer="/since")
    return made


def _edits_of(actor: Principal, recorder: str, since: datetime) -> Any:
    return visible_edits(actor).prefetch_related(None).filter(proposer=recorder, created_at__gte=since)


def _changed(actor: Principal, recorder: str, since: datetime) -> list[Edit]:
    """The edits of the recorder that are in effect, newest first, except edits of memories that the containment
    quarantines: reverting a retract of one would restore its text."""
    applied = _edits_of(actor, recorder, since).filter(state__status=EditState.Status.APPROVED)
    found = list(applied.order_by("-id")[: AT_MOST + 1])
    if len(found) > AT_MOST:
        raise TooMuchElse(pointer="/since")
    own = _recorded(recorder, since, actor.tenant_id, {edit.target_id for edit in found})
    return batches.in_effect([edit for edit in found if edit.target_id not in own], actor.tenant_id)


def _recorded(recorder: str, since: datetime, tenant_id: uuid.UUID, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """The ids of chunks and events that the recorder has recorded since a moment."""
    return {
        one
        for model in (Chunk, Event)
        for one in model.objects.filter(
            tenant_id=tenant_id, id__in=ids, id__gte=first_id_of(since), recorder=recorder
        ).values_list("id", flat=True)
    }


def _pending(actor: Principal, recorder: str, since: datetime) -> list[Edit]:
    """The pending edits of the recorder, oldest first."""
    found = _edits_of(actor, recorder, since).filter(state__status=EditState.Status.PENDING).order_by("id")
    if len(found[: AT_MOST + 1]) > AT_MOST:
        raise TooMuchElse(pointer="/since")
    return list(found)


def _digest(made: Sequence[tuple[str, uuid.UUID]], *edits: Sequence[Edit]) -> str:
    ids = sorted([*(one for _, one in made), *(edit.id for some in edits for edit in some)])
    return hashlib.sha256(b"".join(one.bytes for one in ids)).hexdigest()[:32]
