"""Creating, forwarding and revoking capsules: each is one gate call and one or more ledger entries.

The functions run in the caller's transaction and open none: a refusal would roll back its own record in the access log.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from capsules import db, limits
from capsules.refusals import CapsuleDoesNotFit, CapsuleIsOver, refuse
from capsules.targets import RISKS
from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.models import new_id
from governance.redaction import refuse_secrets
from governance.refusals import Fault
from memory.queries.audience import audience as hearing
from memory.values.cutting import cut
from suture_client.text.masking import mask

DEFAULT_TTL_DAYS, MAX_TTL_DAYS = 7, 365
MAX_ITEMS = 500
MAX_AUDIENCE = 10_000
#: The lists of items in a body, and the kind of each.
KINDS = {"chunks": "chunk", "decisions": "decision", "artifacts": "artifact"}

Items = Mapping[str, Sequence[uuid.UUID]]


@dataclass(frozen=True, slots=True)
class NewCapsule:
    """A capsule that was created or forwarded."""

    capsule_id: uuid.UUID
    created_at: datetime
    expires_at: datetime
    item_count: int
    audience_count: int


@dataclass(frozen=True, slots=True)
class Revocation:
    """A revoked capsule, and how many forwarded ones this call revoked with it."""

    capsule_id: uuid.UUID
    revoked_at: datetime
    forwarded: int


def create_capsule(
    *,
    actor: Principal,
    scope: str,
    subject_type: str,
    subject_id: str,
    audience: Sequence[str],
    items: Items,
    project_id: str | None = None,
    ttl_days: int = DEFAULT_TTL_DAYS,
    risks: Sequence[str] = (),
    note: str | None = None,
    may_forward: bool = False,
    channel: str | None = None,
) -> NewCapsule:
    """Create a capsule of `items`, which the actor must be able to read in `channel`, for the agents in `audience`, by
    id or slug.

    Raises CapsuleDoesNotFit with every error and its position, ChannelNotAllowed and SecretInIdentifier.
    """
    who = hearing(actor, channel)
    refuse_secrets((("/subject_type", subject_type), ("/subject_id", subject_id), ("/project_id", project_id)))
    capsule_id = new_id()
    words: list[dict[str, Any]] = []
    capsule: dict[str, Any] = {
        "id": capsule_id,
        "scope": scope,
        "subject_type": subject_type,
        "subject_id": subject_id,
        "project_id": project_id,
        "ttl_days": ttl_days,
        "may_forward": may_forward,
        "words": words,
    }
    said = None if note is None else mask(limits.NOTE.require(note, "/note"))[0]
    RISKS.require(risks, "/risks")
    told = [mask(risk)[0] for risk in risks]
    item_rows = _item_rows(items)
    gate.act_as(actor)
    about = {"subject_type": subject_type, "subject_id": subject_id, "project_id": project_id, "channel": channel}
    said, told = cut([said, told], [about] * 2, actor=actor) or (said, told)
    if said is not None:
        capsule["note_id"] = new_id()
        words.append({"id": capsule["note_id"], "body": said})
    if told:
        capsule["risks_id"] = new_id()
        words.append({"id": capsule["risks_id"], "body": json.dumps(told, ensure_ascii=False)})
    rows = db.record_capsule(
        tenant=actor.tenant_id,
        capsule=_json(capsule),
        items=_json(item_rows),
        audience=_json(_audience_rows(audience)),
        listening=who.listening,
    )
    _require_fitting(rows)
    row = rows[0]
    made = NewCapsule(capsule_id, row.created_at, row.expires_at, len(item_rows), row.audience_count)
    _record("capsule.created", actor, made, item_rows, {"may_forward": may_forward})
    return made


def forward_capsule(
    capsule_id: uuid.UUID,
    *,
    actor: Principal,
    audience: Sequence[str],
    items: Items | None = None,
    ttl_days: int | None = None,
    may_forward: bool = False,
) -> NewCapsule:
    """Forward a capsule that the actor received to other agents: with its text, all or some of its items, and at most
    until its expiry.

    Raises NoSuchCapsule, NotInAudience, CapsuleIsRevoked, CapsuleHasExpired, NotForwardable, CapsuleDoesNotFit.
    """
    item_rows = None if items is None else _item_rows(items)
    forwarded = new_id()
    if actor.kind != "agent":
        refuse("outside", "capsule.forward", capsule_id, actor=actor)
    gate.act_as(actor)
    rows = db.forward_capsule(
        tenant=actor.tenant_id,
        original=capsule_id,
        id=forwarded,
        items=_json(item_rows) if item_rows else None,
        audience=_json(_audience_rows(audience)),
        ttl_days=ttl_days,
        may_forward=may_forward,
    )
    row = rows[0]
    if row.refusal:
        refuse(row.refusal, "capsule.forward", capsule_id, actor=actor)
    _require_fitting(rows)
    made = NewCapsule(forwarded, row.created_at, row.expires_at, row.item_count, row.audience_count)
    _record("capsule.forwarded", actor, made, item_rows, {"forwards": str(capsule_id), "may_forward": may_forward})
    return made


def revoke_capsule(capsule_id: uuid.UUID, *, actor: Principal) -> Revocation:
    """Revoke a capsule and everything forwarded from it. Revoking it again changes nothing.

    Raises NoSuchCapsule, NotYourCapsule, CapsuleIsOver.
    """
    gate.act_as(actor)
    rows = db.revoke_capsule(tenant=actor.tenant_id, capsule=capsule_id)
    first = rows[0]
    if first.refusal == "expired":
        raise CapsuleIsOver
    if first.refusal:
        refuse(first.refusal, "capsule.revoke", capsule_id, actor=actor)
    drafts = [
        appending.Draft(
            "capsule.revoked",
            {
                "capsule": str(row.capsule_id),
                "revoked_at": row.revoked_at.isoformat(),
                **({} if row.capsule_id == capsule_id else {"revoked_with": str(capsule_id)}),
            },
        )
        for row in rows
        if row.is_new
    ]
    appending.record_all(drafts, actor=actor)
    return Revocation(capsule_id, first.revoked_at, max(len(drafts) - 1, 0))


def _item_rows(items: Items) -> list[dict[str, Any]]:
    """The items in the order of the body. Raises CapsuleDoesNotFit for repeated, too many or no items."""
    rows: list[dict[str, Any]] = []
    faults: list[Fault] = []
    seen: set[uuid.UUID] = set()
    for name, kind in KINDS.items():
        for index, item_id in enumerate(items.get(name, ())):
            place = f"/items/{name}/{index}"
            if item_id in seen:
                faults.append(Fault(pointer=place, detail=f"{item_id} is listed more than once."))
            seen.add(item_id)
            rows.append({"place": place, "at": len(rows), "kind": kind, "id": item_id})
    if not rows:
        faults.append(Fault(pointer="/items", detail="A capsule needs at least one item."))
    if len(rows) > MAX_ITEMS:
        faults.append(Fault(pointer="/items", detail=f"A capsule can have at most {MAX_ITEMS} items, not {len(rows)}."))
    if faults:
        raise CapsuleDoesNotFit(faults[0]["detail"] if len(faults) == 1 else "", errors=faults)
    return rows


def _audience_rows(audience: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for index, name in enumerate(audience):
        row: dict[str, Any] = {"place": f"/audience_agent_ids/{index}", "at": index}
        try:
            row["id"] = uuid.UUID(name)
        except ValueError:
            row["slug"] = name
        rows.append(row)
    return rows


#: The message for each fault that the gate reports.
_FAULTS = {
    "repeated": "This agent is listed more than once.",
    "not_among_them": "The capsule that you forward does not contain this item.",
    "yourself": "You already have this capsule. Forward it to other agents.",
}


def _require_fitting(rows: Sequence[db.CreatedCapsule] | Sequence[db.ForwardedCapsule]) -> None:
    faults = [Fault(pointer=row.place, detail=_detail(row.place, row.fault)) for row in rows if row.place and row.fault]
    if faults:
        raise CapsuleDoesNotFit(faults[0]["detail"] if len(faults) == 1 else "", errors=faults)


def _detail(place: str, fault: str) -> str:
    if fault in _FAULTS:
        return _FAULTS[fault]
    if place.startswith("/audience"):
        return "This tenant has no active agent with this id or slug."
    return "This memory does not exist, or you may not read it."


def _record(
    type: str, actor: Principal, made: NewCapsule, item_rows: list[dict[str, Any]] | None, more: Mapping[str, Any]
) -> None:
    facts: dict[str, Any] = {
        "capsule": str(made.capsule_id),
        "expires_at": made.expires_at.isoformat(),
        "item_count": made.item_count,
        "audience_count": made.audience_count,
        **more,
    }
    if item_rows is not None:
        ids = b"".join(row["id"].bytes for row in item_rows)
        facts["items_sha256"] = hashlib.sha256(ids).hexdigest()
    appending.record(type, actor=actor, metadata=facts)


def _json(rows: Any) -> str:
    return json.dumps(rows, default=str, ensure_ascii=False)
