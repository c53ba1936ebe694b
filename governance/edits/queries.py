"""Queries of edits for the API: visible edits and their text."""

import uuid
from collections.abc import Sequence
from typing import Any

from governance.acting.principals import Principal
from governance.edits import db, targets
from governance.ledger import access
from governance.models import Audience, Edit


def visible_edits(principal: Principal) -> Any:
    """A QuerySet: people with a role see all edits of the tenant, agents only their own proposals."""
    rows = Edit.objects.filter(tenant_id=principal.tenant_id).select_related("state").prefetch_related("verdicts")
    return rows if principal.reads_all_edits else rows.filter(proposed_by=principal.id)


def withheld_texts(rows: Sequence[Edit], principal: Principal) -> dict[uuid.UUID, str]:
    """Why the proposed text of an edit is withheld from `principal`: an agent gets no text of a target that it cannot
    read, because that would bypass a retract. Edits that are not in the result are not withheld."""
    if principal.reads_all_edits:
        return {}
    worded = [row for row in rows if row.content_id]
    states = targets.find_many([(row.target_type, row.target_id) for row in worded], principal)
    found = ((row.id, states.get((row.target_type, row.target_id))) for row in worded)
    # a missing target is handled like one that is too sensitive
    reasons = {edit_id: state.hidden if state else "sensitivity" for edit_id, state in found}
    return {edit_id: reason for edit_id, reason in reasons.items() if reason}


def read_texts(rows: Sequence[Edit], principal: Principal) -> dict[uuid.UUID, str]:
    """The proposed texts of edits, except those that were erased."""
    ids = [row.id for row in rows if row.content_id]
    if not ids:
        return {}
    return {text.edit_id: text.body for text in db.get_edit_texts(tenant=principal.tenant_id, edits=ids)}


def read_audiences(rows: Sequence[Edit]) -> dict[uuid.UUID, list[str]]:
    """The usersets of the new audiences of edits; none for the default."""
    numbers = {number for row in rows for number in row.audience or ()}
    found: dict[int, list[str]] = {}
    if numbers:
        known = Audience.objects.filter(tenant_id=rows[0].tenant_id, number__in=numbers)
        found = dict(known.values_list("number", "usersets"))
    return {
        row.id: [userset for number in row.audience for userset in found[number]]
        for row in rows
        if row.audience is not None
    }


def log_reading(rows: Sequence[Edit], principal: Principal) -> None:
    """Write to the access log that a person with a role read proposed texts. Others cannot read them."""
    worded = [str(row.id) for row in rows if row.content_id]
    if worded and principal.reads_all_edits:
        one = rows[0].id if len(rows) == 1 else None
        access.log("words.viewed", actor=principal, target_type="edit", target_id=one, details={"edits": worded})
