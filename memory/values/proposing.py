"""Forget or replace a value everywhere: first a preview of every place, then a commit with its token, as one edit."""

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from django.utils import timezone

from governance import edits, idempotency, text
from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits import Outcome, Patch
from governance.erasure import erasures
from governance.erasure.erasures import Selection
from governance.models import Edit, Erasure, new_id
from governance.refusals import Conflict, Invalid
from memory.models import Value
from memory.queries.audience import audience
from memory.services.surgery import CommittedAlready, InvalidToken
from memory.values import db
from memory.values.targets import VALUE_TEXT, ReplacementSaysValue

#: The edit of the value that each operation is.
_EDITS = {Value.Op.FORGET: Edit.Op.RETRACT, Value.Op.REPLACE: Edit.Op.AMEND}
#: Places that a preview lists, and the most that one value can have.
SHOWN, AT_MOST = 200, 500_000
#: From so many places on, a person must confirm.
MANY = 10_000
#: A value in so many places, and in this part of all chunks, is common.
COMMON, COMMON_PART = 50, 0.02
TOKEN_AGE = timedelta(hours=1)
_SALT = "suture.values"
_FINGERPRINT = hashlib.sha256(b"a commit of a value").digest()


class NothingSaysIt(Invalid):
    """No memory within this reach that you can read says the value. Search for it to see how it is written, or widen
    the reach."""


class TooManyPlaces(Invalid):
    """The value stands in more places than one request can change. Narrow the reach."""


class NeedsConfirmation(Conflict):
    """The preview asks for a confirmation (`confirm_because`). Send the token again with `confirm: true`."""


class PlacesHaveChanged(Conflict):
    """The memory that says the value has changed since the preview. Nothing was changed. Request a new preview."""


@dataclass(frozen=True, slots=True)
class ValuePreview:
    """Every place of a value: counted by kind, the newest listed. `near` places have its words, but not in a row; they
    stay as they are. `confirm_because` says why a commit needs a confirmation."""

    count: int
    by_kind: dict[str, int]
    places: list[db.SaidPlace]
    near: list[db.SaidPlace]
    reach: dict[str, Any]
    confirm_because: list[str]
    token: str


@dataclass(frozen=True, slots=True)
class Committed:
    """The value, the edit of it, and the erasure that was proposed with it."""

    value_id: uuid.UUID
    outcome: Outcome
    erasure_id: uuid.UUID | None = None


def preview_value(
    *,
    actor: Principal,
    op: str,
    value: str,
    to: str | None = None,
    reach: Mapping[str, Any] | None = None,
    ends_at: datetime | None = None,
    reason: str,
) -> ValuePreview:
    """Find every place that says `value` within `reach` (columns of Value), without writing. An agent gets the places
    that it may read; if it recorded all of them, the reach is its own memory, so that its edit needs nobody else.

    Raises ValueSaysNothing, ValueTooLong, ReplacementSaysValue, NothingSaysIt, TooManyPlaces, ChannelNotAllowed, and
    Invalid for times that exclude each other.
    """
    VALUE_TEXT.require(value, "/value")
    text.REASON.require(reason, "/reason")
    _check_op(op, value, to)
    within = {name: one for name, one in (reach or {}).items() if one is not None}
    _check_times(within, ends_at)
    found = _places(actor, value, within)
    said = [one for one in found if not one.is_near]
    if not said:
        raise NothingSaysIt(pointer="/value")
    if len(said) > AT_MOST:
        raise TooManyPlaces(pointer="/reach")
    if actor.kind == "agent" and "by_recorder" not in within and all(one.recorded_by == actor.id for one in said):
        within["by_recorder"] = actor.name
    because = _confirm_because(actor, said)
    plan = {
        "actor": str(actor.id),
        "tenant": str(actor.tenant_id),
        "as": str(new_id()),
        "op": op,
        "value": value,
        "to": to,
        "reach": json.loads(json.dumps(within, default=str)),
        "ends_at": None if ends_at is None else ends_at.isoformat(),
        "reason": reason,
        "digest": _digest(said),
        "confirm": bool(because),
    }
    near = [one for one in found if one.is_near]
    return ValuePreview(
        len(said),
        dict(Counter(one.kind for one in said)),
        said[:SHOWN],
        near[:SHOWN],
        plan["reach"],
        because,
        signing.dumps(plan, salt=_SALT, compress=True),
    )


@transaction.atomic
def commit_value(token: str, *, actor: Principal, confirm: bool = False, erase: bool = False) -> Committed:
    """Propose the previewed operation as one edit of the value, once. If it applies at once, no answer says the value
    from the commit of the transaction on. In more than 1,000 places, the memories are hidden until a job has
    reworded them. `erase`: propose to erase the texts too, which requires that the edit applies at once.

    Raises InvalidToken, NeedsConfirmation, PlacesHaveChanged, CommittedAlready, ReplacementIsGuarded, and the
    exceptions of propose_edit and propose_erasure.
    """
    try:
        plan: Mapping[str, Any] = signing.loads(token, salt=_SALT, max_age=TOKEN_AGE)
    except signing.BadSignature:
        raise InvalidToken(pointer="/token") from None
    if erase and plan["op"] != Value.Op.FORGET:
        raise Invalid(
            "You can only erase a value that you forget. Leave this out, or forget the value.", pointer="/erase"
        )
    if (plan["actor"], plan["tenant"]) != (str(actor.id), str(actor.tenant_id)):
        raise InvalidToken(pointer="/token")
    if plan["confirm"] and not confirm:
        raise NeedsConfirmation(pointer="/confirm")
    try:
        return idempotency.once(
            actor,
            f"value {plan['as']}",
            _FINGERPRINT,
            lambda: _commit(plan, actor, erase),
            answer_of=lambda done: idempotency.Answer(201, json.dumps({"edit_id": str(done.outcome.edit_id)})),
        )
    except idempotency.DoneBefore as before:
        raise CommittedAlready(
            f"This preview was already committed, as edit {before.answer.body['edit_id']}, so nothing changed.",
            pointer="/token",
        ) from None


def _commit(plan: Mapping[str, Any], actor: Principal, erase: bool) -> Committed:
    gate.act_as(actor)
    # nothing that says it is recorded from here on, so the places are those that the edit changes
    db.lock_guards(tenant=actor.tenant_id, changes=True)
    said = [one for one in _places(actor, plan["value"], plan["reach"]) if not one.is_near]
    if _digest(said) != plan["digest"]:
        raise PlacesHaveChanged(pointer="/token")
    value_id = uuid.UUID(plan["as"])
    reason = db.record_value(
        tenant=actor.tenant_id,
        id=value_id,
        value=plan["value"],
        reach=json.dumps({**plan["reach"], "ends_at": plan["ends_at"]}),
        reason=plan["reason"],
    )
    outcome = edits.propose_edit(
        actor=actor,
        target_type="value",
        target_id=value_id,
        op=_EDITS[Value.Op(plan["op"])],
        reason=reason,
        patch=Patch(text=plan["to"]),
    )
    if not erase:
        return Committed(value_id, outcome)
    erasure = erasures.propose_erasure(Selection(Erasure.By.VALUE, value_id), actor=actor, reason=reason)
    return Committed(value_id, outcome, erasure.id)


def guards(principal: Principal) -> list[db.GuardRow]:
    """The values that are forgotten or replaced now, newest first; an agent gets its own."""
    return db.get_guards(tenant=principal.tenant_id)


def _check_op(op: str, value: str, to: str | None) -> None:
    if op == Value.Op.FORGET and to is not None:
        raise Invalid("To forget a value, leave this out. To replace it, use the operation replace.", pointer="/to")
    if op == Value.Op.REPLACE:
        if to is None:
            raise Invalid("The operation replace needs the new words.", pointer="/to")
        VALUE_TEXT.require(to, "/to")
        if value.casefold() == to.casefold():
            raise ReplacementSaysValue(pointer="/to")


def _check_times(within: Mapping[str, Any], ends_at: datetime | None) -> None:
    since, until = within.get("since"), within.get("until")
    if since is not None and until is not None and until <= since:
        raise Invalid("This must be later than since.", pointer="/reach/until")
    if ends_at is not None and ends_at <= timezone.now():
        raise Invalid("This must be in the future. To keep the value out for good, leave it out.", pointer="/ends_at")


def _places(actor: Principal, value: str, within: Mapping[str, Any]) -> list[db.SaidPlace]:
    """Those that the actor may read: people with a role read all memory."""
    listening = None if actor.reads_all_edits else audience(actor, within.get("channel")).listening
    return db.preview_value(
        tenant=actor.tenant_id,
        value=value,
        reach=json.dumps(dict(within), default=str),
        listening=listening,
        limit=AT_MOST + 1,
        shown=SHOWN,
    )


def _confirm_because(actor: Principal, said: Sequence[db.SaidPlace]) -> list[str]:
    because = []
    if len(said) > MANY:
        because.append(f"It changes {len(said):,} memories.")
    if len(said) >= COMMON and len(said) >= COMMON_PART * db.count_chunks(tenant=actor.tenant_id):
        because.append(f"The value is common: {len(said):,} memories say it. Name a longer one if you can.")
    return because


def _digest(said: Sequence[db.SaidPlace]) -> str:
    """16 bytes of SHA-256 over the places that the edit changes. Checkpoints do not count: running agents save them all
    the time, and a preview would be out of date before it is read."""
    ids = sorted(one.record_id.bytes for one in said if one.kind != "checkpoint")
    return hashlib.sha256(b"".join(ids)).hexdigest()[:32]
