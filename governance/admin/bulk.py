"""Decide several edits at once: a page shows the selected edits, and each verdict is bound to the state shown.

Each verdict has its own transaction: a refused one does not undo the others.
"""

import uuid
from collections import Counter
from dataclasses import dataclass

from django.db import transaction

from governance import edits
from governance.acting import gate
from governance.acting.principals import Principal
from governance.admin.filters import id_in
from governance.admin.unsent import AT_MOST
from governance.admin.verdicts import ChangedSinceYouLooked, decide, edit_label
from governance.models import Edit
from governance.refusals import Conflict, Invalid, Refusal

_APPROVED, _REJECTED, _COUNTED = "approved", "rejected", "approved by you and waiting for a second approval"


class NothingChosen(Invalid):
    """Select edits in the list first."""


class TooManyChosen(Invalid):
    """You can decide at most 50 edits at once. Select fewer."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One edit of the page, with the patch and state that the reviewer saw."""

    edit_id: uuid.UUID
    patch_sha256: str
    target_state: str


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome: a sentence of counts, and the refused edits with the reasons."""

    summary: str
    refused: list[str]
    decided: int


def chosen(ids: list[str], principal: Principal) -> list[Edit]:
    """The existing edits with these ids, oldest first. Raises NothingChosen, TooManyChosen."""
    wanted = {found for found in map(id_in, ids) if found is not None}
    if len(wanted) > AT_MOST:
        raise TooManyChosen
    rows = Edit.objects.filter(tenant_id=principal.tenant_id, id__in=wanted).select_related("state")
    found = list(rows.order_by("created_at", "id"))
    if not found:
        raise NothingChosen
    return found


def seen_in(posted: list[str]) -> list[Seen]:
    """The items that a page posted, each `edit:patch:state`. Raises NothingChosen, TooManyChosen."""
    found = []
    for item in posted:
        edit_id, patch, state = (*item.split(":"), "", "")[:3]
        if (known := id_in(edit_id)) is not None:
            found.append(Seen(known, patch, state))
    if not found:
        raise NothingChosen
    if len(found) > AT_MOST:
        raise TooManyChosen
    return list({item.edit_id: item for item in found}.values())


def decide_all(items: list[Seen], *, actor: Principal, verb: str, reason: str) -> Report:
    """Decide each edit as the reviewer saw it, each in its own transaction. Returns the outcomes."""
    counts: Counter[str] = Counter()
    refused = []
    for item in items:
        with gate.acting_as(actor):
            edit = Edit.objects.filter(tenant_id=actor.tenant_id, id=item.edit_id).select_related("state").first()
            if edit is None:
                counts["not found"] += 1
                continue
            posted = {"patch_sha256": item.patch_sha256, "target_state": item.target_state, "reason": reason}
            try:
                with transaction.atomic():
                    outcome = decide(edit, actor, verb, posted)
            except Refusal as refusal:
                counts[_short_reason(refusal)] += 1
                refused.append(f"{edit_label(edit)}: {refusal.detail}")
            else:
                counts[_COUNTED if outcome.status == "pending" else outcome.status] += 1
    summary = ", ".join(f"{count} {what}" for what, count in counts.items())
    return Report(summary, refused, sum(counts[kind] for kind in (_APPROVED, _REJECTED, _COUNTED)))


def _short_reason(refusal: Refusal) -> str:
    match refusal:
        case ChangedSinceYouLooked():
            return "changed since you loaded the page"
        case edits.OwnEdit():
            return "proposed by you"
        case Conflict():
            return "already decided"
    return "refused"
