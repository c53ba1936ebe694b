"""Propose edits: one, many, or the revert of one."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import Error as DatabaseFailure
from django.db import transaction

from governance import refusals
from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits import db, targets
from governance.edits.holds import drafts_of_holds
from governance.edits.patches import Patch, check_patch, new_salt, patch_hash
from governance.edits.statements import moment
from governance.edits.verdicts import NoSuchEdit, Outcome
from governance.ledger import appending
from governance.models import Edit, new_id
from governance.refusals import Conflict, Fault, Refusal, TooMany, register_constraint
from governance.text import REASON
from suture_client.text.masking import mask

#: Edits of a batch per ledger entry: about 40 KB.
IN_ONE_ENTRY = 250


@dataclass(frozen=True, slots=True)
class Proposal:
    """One edit to propose. `pointer` is its place in the body, for refusals."""

    target_type: str
    target_id: uuid.UUID
    op: str
    reason: str
    patch: Patch
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class BatchItem:
    """The result of one proposal of a batch: an outcome or a refusal."""

    outcome: Outcome | None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The result of a batch, with items in the order of the proposals."""

    batch_id: uuid.UUID
    items: list[BatchItem]


#: Why an agent's edit waits, by what decided (approvals_of_edit in the database).
_WAITS_BECAUSE = {
    "protected": "A person recorded or decided on this memory, or others depend on it, so a person decides this edit.",
    "limit": "You have made as many edits of others' memory as apply at once within an hour, so a person decides this"
    " edit.",
    "bulk": "A call with so many edits waits for a person.",
    "widens": "This edit lets others get the memory, so a person decides it.",
    "received": "Others have received this memory, so a person decides this edit. You no longer get the memory.",
}


class TooManyPendingEdits(TooMany):
    """This agent has as many pending edits as the tenant allows. Withdraw some of them, or wait until people have
    decided them."""


register_constraint("too_many_pending_edits", TooManyPendingEdits)


@transaction.atomic(savepoint=False)
def propose_edit(
    *, actor: Principal, target_type: str, target_id: uuid.UUID, op: str, reason: str, patch: Patch
) -> Outcome:
    """Record a proposal, and apply it at once if the tenant's policy requires no approval.

    Raises UnknownTargetType, NoSuchTarget, PatchDoesNotFit, and Forbidden for a proposer without permission.
    """
    check_patch(op, patch, target_type=target_type)
    patch = patch.without_secrets()
    # Mask the reason too: nothing is ever removed from the ledger.
    reason = mask(REASON.require(reason, "/reason"))[0]
    target = targets.find(target_type, target_id, actor)
    patch = patch.about(target.subject)
    gate.act_as(actor)
    [(patch, reason)] = _cut([(target_type, patch, reason)], actor)
    edit_id, salt = new_id(), new_salt()
    digest = patch_hash(op, target_type, target_id, patch, salt)
    recorded = db.record_edit(
        tenant=actor.tenant_id,
        id=edit_id,
        target_type=target_type,
        target_id=target_id,
        sensitivity=target.sensitivity,
        op=op,
        reason=reason,
        text=patch.body(target_type),
        salt=salt,
        importance=patch.importance,
        importance_delta=patch.importance_delta,
        channel=patch.channel,
        audience=None if patch.audience is None else list(patch.audience),
        reverts=patch.edit_id,
        patch_sha256=digest,
    )
    facts = {
        "edit": str(edit_id),
        "op": op,
        "target_type": target_type,
        "target_id": str(target_id),
        "patch_sha256": digest.hex(),
        "reason": reason,
        "policy": recorded.policy,
        "approvals_required": recorded.approvals_required,
    }
    drafts = [appending.Draft("edit.proposed", facts)]
    if recorded.applied_at is not None:
        approved = {
            "edit": str(edit_id),
            "decided_by": f"policy:{recorded.policy}",
            "in_effect": True,
            "applied_at": moment(recorded.applied_at),
        }
        drafts.append(appending.Draft("edit.approved", approved))
    if recorded.has_holds:
        drafts += drafts_of_holds(actor)[0]
    appending.record_all(drafts, actor=actor)
    return _outcome(edit_id, recorded)


def intern_audiences(patch: Patch, wanted: Sequence[tuple[str, uuid.UUID]], *, principal: Principal) -> None:
    """Give the new audience of these targets, with their types, its number. Call it before you lock a target in the
    same transaction: recordings number audiences before they lock anything.

    Raises AudienceNeedsSubject.
    """
    if not patch.audience:
        return
    subjects = {state.subject for state in targets.find_many(wanted, principal).values()}
    audiences = {patch.about(subject).audience for subject in subjects}
    gate.act_as(principal)
    db.intern_audiences(tenant=principal.tenant_id, audiences=json.dumps(sorted(one for one in audiences if one)))


def _cut(edits: Sequence[tuple[str, Patch, str]], actor: Principal) -> list[tuple[Patch, str]]:
    """The patches and reasons of edits, each with its kind of target, as they may be recorded."""
    texts = [(kind, [patch.text, dict(patch.lists), reason]) for kind, patch, reason in edits]
    kept = targets.cut(texts, actor)
    return [
        (replace(patch, text=text, lists=lists), reason)
        for (_, patch, _), (text, lists, reason) in zip(edits, kept, strict=True)
    ]


def revert_edit(edit_id: uuid.UUID, *, actor: Principal, reason: str) -> Outcome:
    """Propose to cancel an applied edit. Raises NoSuchEdit, and Conflict if it is not in effect."""
    edit = Edit.objects.filter(tenant_id=actor.tenant_id, id=edit_id).first()
    if edit is None:
        raise NoSuchEdit
    return propose_edit(
        actor=actor,
        target_type=edit.target_type,
        target_id=edit.target_id,
        op=Edit.Op.REVERT,
        reason=reason,
        patch=Patch(edit_id=edit_id),
    )


@transaction.atomic
def propose_edits(
    proposals: Sequence[Proposal], *, actor: Principal, each: bool = False, batch_id: uuid.UUID | None = None
) -> BatchOutcome:
    """Propose many edits under one batch id, a new one unless given. The ledger entries name every edit with its target
    and the hash of its patch.

    Either all are recorded, or a refusal names the place of the refused proposal; with `each`, every proposal is
    independent. Raises the refusals of propose_edit.
    """
    batch_id = batch_id or new_id()
    items: list[BatchItem | None] = [None] * len(proposals)
    rows: list[dict[str, Any]] = []
    places: list[int] = []
    known = [(one.target_type, one.target_id) for one in proposals if targets.is_known(one.target_type)]
    found = targets.find_many(known, actor)
    gate.act_as(actor)
    if all(targets.is_known(one.target_type) for one in proposals):
        cut = _cut([(one.target_type, one.patch, one.reason) for one in proposals], actor)
        proposals = [
            replace(one, patch=patch, reason=reason) for one, (patch, reason) in zip(proposals, cut, strict=True)
        ]
    for place, proposal in enumerate(proposals):
        try:
            rows.append(_row(proposal, found.get((proposal.target_type, proposal.target_id))))
            places.append(place)
        except Refusal as refusal:
            if not each:
                raise
            items[place] = BatchItem(None, refusal)
    try:
        answers = db.record_edits(
            tenant=actor.tenant_id,
            batch=batch_id,
            edits=json.dumps(rows, default=str),
            each=each,
        )
    except DatabaseFailure as failure:
        refused, refused_place = refusals.from_database(failure), refusals.batch_index_in(failure)
        if refused is None or refused_place is None:
            raise
        fault = Fault(pointer=proposals[places[refused_place]].pointer, detail=refused.detail, code=refused.code)
        raise type(refused)(refused.detail, errors=[fault]) from failure
    for place, answer in zip(places, answers, strict=True):
        items[place] = _item(answer)
    _record_batch(batch_id, rows, answers, actor)
    return BatchOutcome(batch_id, [item for item in items if item is not None])


def _row(proposal: Proposal, target: targets.TargetState | None) -> dict[str, Any]:
    """The proposal as input of record_edits. Raises UnknownTargetType, NoSuchTarget, PatchDoesNotFit."""
    targets.kind_of(proposal.target_type, f"{proposal.pointer}/target_type")
    check_patch(proposal.op, proposal.patch, f"{proposal.pointer}/patch", target_type=proposal.target_type)
    if target is None:
        raise targets.NoSuchTarget(
            f"There is no {proposal.target_type} {proposal.target_id}.", pointer=f"{proposal.pointer}/target_id"
        )
    patch, salt = proposal.patch.about(target.subject, f"{proposal.pointer}/patch").without_secrets(), new_salt()
    return {
        "id": new_id(),
        "target_type": proposal.target_type,
        "target_id": proposal.target_id,
        "sensitivity": target.sensitivity,
        "op": proposal.op,
        "reason": mask(REASON.require(proposal.reason, f"{proposal.pointer}/reason"))[0],
        "text": patch.body(proposal.target_type),
        "salt": salt.hex(),
        "importance": patch.importance,
        "importance_delta": patch.importance_delta,
        "channel": patch.channel,
        "audience": patch.audience,
        "reverts": patch.edit_id,
        "patch_sha256": patch_hash(proposal.op, proposal.target_type, proposal.target_id, patch, salt).hex(),
    }


def _outcome(edit_id: uuid.UUID, recorded: db.RecordedEdit | db.BatchEdit) -> Outcome:
    return Outcome(
        edit_id,
        recorded.status,
        recorded.applied_at,
        approvals_required=recorded.approvals_required,
        waits_because=_WAITS_BECAUSE.get(recorded.decided_by, "") if recorded.approvals_required else "",
    )


def _item(answer: db.BatchEdit) -> BatchItem:
    if answer.refusal:
        state, name = answer.refusal_state or "", answer.refusal_name or ""
        return BatchItem(None, refusals.refusal_of(state, name, answer.refusal) or Conflict(answer.refusal))
    return BatchItem(_outcome(answer.id, answer))


def _record_batch(
    batch_id: uuid.UUID, rows: list[dict[str, Any]], answers: list[db.BatchEdit], actor: Principal
) -> None:
    """Append the entries of a batch: one for edits with the same metadata, at most IN_ONE_ENTRY each."""
    recorded = {answer.id: answer for answer in answers if not answer.refusal}
    alike: dict[tuple[str, str, str, int], list[dict[str, Any]]] = {}
    for row in rows:
        if row["id"] in recorded:
            key = row["op"], row["target_type"], row["reason"], recorded[row["id"]].approvals_required
            alike.setdefault(key, []).append(row)
    drafts = []
    for (op, target_type, reason, approvals_required), group in alike.items():
        is_applied = approvals_required == 0
        facts = {
            "batch": str(batch_id),
            "count": len(recorded),
            "op": op,
            "target_type": target_type,
            "reason": reason,
            "in_effect": is_applied,
            "approvals_required": approvals_required,
        }
        for start in range(0, len(group), IN_ONE_ENTRY):
            part = group[start : start + IN_ONE_ENTRY]
            lists = {
                "edits": [str(row["id"]) for row in part],
                "targets": [str(row["target_id"]) for row in part],
                "patches": [row["patch_sha256"] for row in part],
            }
            if is_applied:
                moments = (recorded[row["id"]].applied_at for row in part)
                lists["applied_at"] = [moment(at) for at in moments if at is not None]
            drafts.append(appending.Draft("edits.proposed", {**facts, **lists}))
    appending.record_all([*drafts, *drafts_of_holds(actor)[0]], actor=actor)
