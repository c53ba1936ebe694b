"""Edits: proposed under the policy, decided by people, applied by the gate."""

import hashlib
import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import rfc8785
from django.db import transaction

from governance import gate, targets
from governance.models import Edit, EditState, new_id
from governance.principals import Principal
from governance.redaction import redact
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint
from governance.services import ledger


class NotAReviewer(Forbidden):
    """Only a reviewer or admin of the tenant may decide an edit; an agent's key never can."""


class OwnEdit(Forbidden):
    """Nobody decides an edit that they proposed. Ask another reviewer."""


class NoSuchEdit(NotFound):
    """There is no such edit."""


class EditNotPending(Conflict):
    """This edit was decided already."""


class EditIsStale(Conflict):
    """The patch that was reviewed is not the patch of this edit. Load it again."""


class PatchDoesNotFit(Invalid):
    """The patch does not fit the operation."""


register_constraint("verdict_decider_is_not_proposer", OwnEdit)
register_constraint("verdict_once_per_person", EditNotPending)


@dataclass(frozen=True, slots=True)
class Patch:
    """What an edit changes; which fields an operation takes is `PATCH_FIELDS`."""

    text: str | None = None
    importance: Decimal | None = None
    importance_delta: Decimal | None = None
    channel: str | None = None
    edit_id: uuid.UUID | None = None

    def given(self) -> dict[str, Any]:
        """The fields that are set."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not None}


#: For each operation the patch fields it takes; `+` needs at least one of them, `1` exactly one.
PATCH_FIELDS: dict[str, tuple[frozenset[str], str]] = {
    "retract": (frozenset(), ""),
    "quarantine": (frozenset(), ""),
    "amend": (frozenset({"text", "importance"}), "+"),
    "attenuate": (frozenset({"importance", "importance_delta"}), "1"),
    "block": (frozenset({"channel"}), "1"),
    "revert": (frozenset({"edit_id"}), "1"),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a proposal or a verdict."""

    edit_id: uuid.UUID
    status: str
    applied_at: datetime | None
    approvals: int = 0
    approvals_required: int = 0


def check_patch(op: str, patch: Patch) -> None:
    """Raises PatchDoesNotFit, naming the field, unless the patch is one that the operation takes."""
    taken, need = PATCH_FIELDS[op]
    given = patch.given()
    for name in given:
        if name not in taken:
            takes = " or ".join(sorted(taken)) or "no patch field"
            raise PatchDoesNotFit(f"{op} takes {takes}, not {name}.", pointer=f"/patch/{name}")
    wanted = " or ".join(sorted(taken))
    if need and not given:
        raise PatchDoesNotFit(f"{op} needs {wanted}.", pointer="/patch")
    if need == "1" and len(given) > 1:
        raise PatchDoesNotFit(f"{op} takes either {wanted}, not both.", pointer="/patch")
    if patch.text is not None and not patch.text.strip():
        raise PatchDoesNotFit("The new text must not be empty; retract removes a memory.", pointer="/patch/text")


def patch_hash(op: str, target_type: str, target_id: uuid.UUID, patch: Patch) -> bytes:
    """SHA-256 over the RFC 8785 form of what is proposed: what a reviewer's verdict is tied to."""
    document: dict[str, Any] = {
        "op": op,
        "target_type": target_type,
        "target_id": str(target_id),
        "patch": {name: str(value) for name, value in patch.given().items()},
    }
    return hashlib.sha256(rfc8785.dumps(document)).digest()


@transaction.atomic
def propose_edit(
    *, actor: Principal, target_type: str, target_id: uuid.UUID, op: str, reason: str, patch: Patch
) -> Outcome:
    """Record a proposal; where the tenant's policy asks for no approval it is applied at once.

    Raises UnknownTargetType, NoSuchTarget, PatchDoesNotFit, and Forbidden for a proposer without the right.
    """
    check_patch(op, patch)
    # The reason too: it goes into the ledger, from which nothing is taken out again.
    reason = redact(reason)[0]
    if patch.text is not None:
        patch = replace(patch, text=redact(patch.text)[0])
    target = targets.find(target_type, target_id, actor)
    edit_id = new_id()
    digest = patch_hash(op, target_type, target_id, patch)
    row = gate.call(
        "record_edit", actor.tenant_id, edit_id, target_type, target_id, target.sensitivity, op, reason, actor.kind,
        actor.id, patch.text, patch.importance, patch.importance_delta, patch.channel, patch.edit_id, digest,
    )[0]  # fmt: skip
    facts = {
        "edit": str(edit_id),
        "op": op,
        "target_type": target_type,
        "target_id": str(target_id),
        "patch_sha256": digest.hex(),
        "reason": reason,
        "policy": row["policy"],
        "approvals_required": row["approvals_required"],
    }
    ledger.record("edit.proposed", actor=actor, metadata=facts)
    if row["status"] == "approved":
        ledger.record(
            "edit.approved",
            actor=actor,
            metadata={"edit": str(edit_id), "decided_by": f"policy:{row['policy']}", "in_effect": True},
        )
    return Outcome(edit_id, row["status"], row["applied_at"], approvals_required=row["approvals_required"])


@transaction.atomic
def decide_edit(
    edit_id: uuid.UUID,
    *,
    actor: Principal,
    decision: str,
    reason: str = "",
    patch_sha256: bytes | None = None,
) -> Outcome:
    """Record a verdict, `approved` or `rejected` (with a reason). With the last approval needed the edit applies.

    `patch_sha256` is the patch that the reviewer saw; without it, the patch as it is. Raises NotAReviewer,
    NoSuchEdit, OwnEdit, EditNotPending, EditIsStale.
    """
    if not actor.may_decide:
        raise NotAReviewer
    edit = Edit.objects.filter(tenant_id=actor.tenant_id, id=edit_id).first()
    if edit is None:
        raise NoSuchEdit
    if edit.proposed_by == actor.id:
        raise OwnEdit
    reason = redact(reason)[0]
    digest = bytes(edit.patch_sha256)
    if patch_sha256 is not None and patch_sha256 != digest:
        raise EditIsStale
    row = gate.call("record_verdict", actor.tenant_id, edit_id, decision, actor.id, reason, digest)[0]
    ledger.record(
        f"edit.{decision}",
        actor=actor,
        metadata={
            "edit": str(edit_id),
            "verdict": str(row["verdict_id"]),
            "patch_sha256": digest.hex(),
            "reason": reason,
            "in_effect": row["status"] == "approved",
        },
    )
    return Outcome(edit_id, row["status"], row["applied_at"], row["approvals"], edit.approvals_required)


def approve_edit(
    edit_id: uuid.UUID, *, actor: Principal, reason: str = "", patch_sha256: bytes | None = None
) -> Outcome:
    """Approve; see decide_edit."""
    return decide_edit(edit_id, actor=actor, decision="approved", reason=reason, patch_sha256=patch_sha256)


def reject_edit(edit_id: uuid.UUID, *, actor: Principal, reason: str, patch_sha256: bytes | None = None) -> Outcome:
    """Reject, saying why; see decide_edit."""
    return decide_edit(edit_id, actor=actor, decision="rejected", reason=reason, patch_sha256=patch_sha256)


def pending(tenant_id: uuid.UUID) -> Any:
    """The queue as a QuerySet: edits that wait for a person, oldest first."""
    return Edit.objects.filter(tenant_id=tenant_id, state__status=EditState.Status.PENDING).order_by(
        "state__created_at"
    )
