"""Revert all edits of a batch: first a preview with counts and a token, then a commit with the token, in parts."""

import hashlib
import json
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from django.core import signing
from django.db import transaction

from governance import idempotency, text
from governance.acting.principals import Principal
from governance.edits.patches import Patch
from governance.edits.proposals import BatchItem, Proposal, propose_edits
from governance.edits.queries import visible_edits
from governance.models import Edit, EditState, new_id
from governance.refusals import Conflict, Invalid, NotFound

#: Edits per part, and per statement: the database cancels a statement after 30 s.
PART, SLICE = 2_000, 500
#: More parts would not fit into a token.
MAX_PARTS = 250
TOKEN_AGE = timedelta(hours=1)
#: After this time a commit starts no further part; the next request with the token continues.
SECONDS = 15.0
_SALT = "suture.edits.revert-batch"
_FINGERPRINT = hashlib.sha256(b"a commit of a revert of a batch").digest()


class NoSuchBatch(NotFound):
    """There is no batch with this id, or none of its edits is yours."""


class NothingToRevert(Conflict):
    """No edit of this batch is in effect, so there is nothing to revert."""


class TooManyEdits(Invalid):
    """The batch has more than 500,000 edits in effect, the most that one revert can cancel."""


class InvalidBatchToken(Invalid):
    """This token is not from a preview of this batch that you made within the last hour. Request a new preview."""


class BatchHasChanged(Conflict):
    """The edits of the batch that are in effect have changed since the preview. Nothing was reverted. Request a new
    preview."""


class RevertedAlready(Conflict):
    """This preview was already committed, so nothing changed."""


@dataclass(frozen=True, slots=True)
class BatchPreview:
    """The edits that a revert of the batch would cancel: those in effect, counted by operation. `pending` edits are not
    in effect and stay for a person to decide; `reverted` ones are already cancelled."""

    batch_id: uuid.UUID
    count: int
    by_op: dict[str, int]
    pending: int
    reverted: int
    token: str
    parts: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The result of a commit: the id of the new batch, the number of proposed edits by status, the refusals, and
    whether all parts of the token are committed."""

    batch_id: uuid.UUID
    statuses: dict[str, int]
    refused: list[str] = field(default_factory=list)
    is_complete: bool = True

    def summary(self) -> str:
        """The result as a sentence."""
        said = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        refused = f" {len(self.refused)} were refused: {self.refused[0]}" if self.refused else ""
        return f"Batch {self.batch_id}: {said}.{refused}"


def commit_all(commit: Callable[[], Committed]) -> Committed:
    """Commit all parts, however long it takes; returns the combined result."""
    done = commit()
    statuses, refused = Counter(done.statuses), list(done.refused)
    while not done.is_complete:
        done = commit()
        statuses.update(done.statuses)
        refused += done.refused
    return Committed(done.batch_id, dict(statuses), refused)


def preview_revert(batch_id: uuid.UUID, *, actor: Principal, reason: str) -> BatchPreview:
    """Count the edits that a revert of the batch would cancel, without writing.

    Raises NoSuchBatch, NothingToRevert, TooManyEdits.
    """
    text.REASON.require(reason, "/reason")
    statuses = Counter(visible_edits(actor).filter(batch_id=batch_id).values_list("state__status", flat=True))
    if not statuses:
        raise NoSuchBatch
    edits = _in_effect(actor, batch_id)
    if not edits:
        raise NothingToRevert
    if len(edits) > PART * MAX_PARTS:
        raise TooManyEdits
    parts = [edits[start : start + PART] for start in range(0, len(edits), PART)]
    token = signing.dumps(
        {
            "actor": str(actor.id),
            "tenant": str(actor.tenant_id),
            "batch": str(batch_id),
            "as": str(new_id()),
            "reason": reason,
            "parts": [[part[-1].id.hex, _digest(part)] for part in parts],
        },
        salt=_SALT,
        compress=True,
    )
    return BatchPreview(
        batch_id,
        len(edits),
        dict(Counter(edit.op for edit in edits)),
        statuses[EditState.Status.PENDING],
        statuses[EditState.Status.APPROVED] - len(edits),
        token,
        len(parts),
    )


@transaction.atomic
def revert_batch(batch_id: uuid.UUID, token: str, *, actor: Principal) -> Committed:
    """Propose to revert every edit that the preview counted, under one batch id. Each part is recorded once, completely
    or not at all. After SECONDS no further part starts; a commit with the same token continues.

    Raises InvalidBatchToken, BatchHasChanged, RevertedAlready, and the exceptions of propose_edits.
    """
    plan = _plan(token, batch_id, actor)
    began = time.monotonic()
    statuses: Counter[str] = Counter()
    ends: list[uuid.UUID | None] = [None, *(uuid.UUID(end) for end, _ in plan["parts"])]
    done = 0
    for number, (_, digest) in enumerate(plan["parts"]):
        if statuses and time.monotonic() - began >= SECONDS:
            break
        work = partial(_revert_part, plan, actor, ends[number], ends[number + 1], digest)
        try:
            items = idempotency.once(
                actor, f"revert of batch {plan['as']} {number}", _FINGERPRINT, work,
                answer_of=lambda _: idempotency.Answer(201, json.dumps({"batch_id": plan["as"]})),
            )  # fmt: skip
        except idempotency.DoneBefore:
            continue
        finally:
            done += 1
        statuses.update(item.outcome.status for item in items if item.outcome is not None)
    if not statuses:
        raise RevertedAlready(f"This preview was already committed, as batch {plan['as']}, so nothing changed.")
    return Committed(uuid.UUID(plan["as"]), dict(statuses), is_complete=done == len(plan["parts"]))


def _plan(token: str, batch_id: uuid.UUID, actor: Principal) -> Mapping[str, Any]:
    try:
        plan: Mapping[str, Any] = signing.loads(token, salt=_SALT, max_age=TOKEN_AGE)
    except signing.BadSignature:
        raise InvalidBatchToken(pointer="/token") from None
    if (plan["actor"], plan["tenant"], plan["batch"]) != (str(actor.id), str(actor.tenant_id), str(batch_id)):
        raise InvalidBatchToken(pointer="/token")
    return plan


def _revert_part(
    plan: Mapping[str, Any], actor: Principal, after: uuid.UUID | None, until: uuid.UUID | None, digest: str
) -> list[BatchItem]:
    edits = [
        edit
        for edit in _in_effect(actor, uuid.UUID(plan["batch"]))
        if (after is None or edit.id > after) and (until is None or edit.id <= until)
    ]
    if _digest(edits) != digest:
        raise BatchHasChanged
    # newest first: an edit of the batch may depend on an earlier one
    proposals = [revert_of(edit, plan["reason"]) for edit in reversed(edits)]
    items: list[BatchItem] = []
    for start in range(0, len(proposals), SLICE):
        items += propose_edits(proposals[start : start + SLICE], actor=actor, batch_id=uuid.UUID(plan["as"])).items
    return items


def revert_of(edit: Edit, reason: str) -> Proposal:
    """The proposal to revert an edit."""
    return Proposal(edit.target_type, edit.target_id, Edit.Op.REVERT, reason, Patch(edit_id=edit.id))


def in_effect(edits: Sequence[Edit], tenant_id: uuid.UUID) -> list[Edit]:
    """The applied edits that are not cancelled by a revert in effect."""
    levels = [{edit.id: edit for edit in edits}]
    reverts: list[dict[uuid.UUID, list[uuid.UUID]]] = []
    while levels[-1]:
        applied = Edit.objects.filter(
            tenant_id=tenant_id,
            op=Edit.Op.REVERT,
            reverts_id__in=list(levels[-1]),
            state__status=EditState.Status.APPROVED,
        )
        above: dict[uuid.UUID, list[uuid.UUID]] = {}
        for revert in applied:
            if revert.reverts_id is not None:
                above.setdefault(revert.reverts_id, []).append(revert.id)
        levels.append({one.id: one for one in applied})
        reverts.append(above)
    cancelled: set[uuid.UUID] = set()
    for level, above in zip(reversed(levels[:-1]), reversed(reverts), strict=True):
        cancelled = {one for one in level if any(revert not in cancelled for revert in above.get(one, ()))}
    return [edit for edit in edits if edit.id not in cancelled]


def _in_effect(actor: Principal, batch_id: uuid.UUID) -> list[Edit]:
    """The edits of the batch that are in effect and that the actor may see, oldest first."""
    applied = visible_edits(actor).prefetch_related(None).filter(batch_id=batch_id)
    found = list(applied.filter(state__status=EditState.Status.APPROVED).order_by("id"))
    return in_effect(found, actor.tenant_id)


def _digest(edits: Sequence[Edit]) -> str:
    """16 bytes of SHA-256 over the ids: a token holds up to MAX_PARTS of them."""
    return hashlib.sha256(b"".join(edit.id.bytes for edit in edits)).hexdigest()[:32]
