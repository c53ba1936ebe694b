"""Details about values on the review page: their reach, and the memory that says them now."""

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from governance import refusals
from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits import provenance, targets
from governance.edits.provenance import About, Elsewhere, Origin, Subject, Use
from governance.models import Edit
from governance.refusals import Refusal
from memory.models import Value
from memory.values import db

#: The columns of a reach, with their titles.
REACH = {
    "subject_type": "Only about subjects of type",
    "subject_id": "Only about subject",
    "project_id": "Only in project",
    "session_id": "Only in session",
    "by_recorder": "Only recorded by",
    "channel": "Only in channel",
    "since": "Only since",
    "until": "Only until",
}
#: How many memories that say the same a page counts.
COUNTED_AT_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Way:
    """A form that changes a value everywhere: the end of its address, and its verb."""

    name: str
    verb: str


WAYS = {
    Value.Op.REPLACE: Way("replace-value", "Correct"),
    Value.Op.FORGET: Way("forget-value", "Forget"),
}
#: The pages of places that are not chunks.
_PAGES = {"capsule": "capsules_effectivecapsule", "edit": "governance_edit"}


class ValueSource:
    """The subjects and reaches of values."""

    name = "value"
    is_named_in_ledger = False
    scopes: tuple[str, ...] = ()

    def subjects(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, Subject]:
        rows = Value.by_ids(principal.tenant_id, target_ids)
        return {row.id: Subject(row.subject_type, row.subject_id, row.project_id) for row in rows}

    def ids_about(self, principal: Principal, about: About) -> QuerySet[Any]:
        rows = Value.objects.filter(tenant_id=principal.tenant_id)
        columns = about.columns()
        return (rows.none() if columns.pop("scope", None) else rows.filter(**columns)).values("id")

    def origin(self, target_id: uuid.UUID) -> Origin:
        row = Value.objects.using("review").filter(id=target_id).first()
        if row is None:
            return Origin()
        facts = [(title, str(found)) for name, title in REACH.items() if (found := getattr(row, name)) is not None]
        until = [("Kept out until", f"{row.ends_at:%Y-%m-%d %H:%M} UTC")] if row.ends_at else []
        return Origin([("Recorded by", f"{row.recorder_kind} {row.recorder}"), *facts, *until])


def saying(target_type: str, target_id: uuid.UUID, principal: Principal) -> Iterable[Use]:
    """The newest places that say a value now."""
    if target_type != "value":
        return
    with gate.acting_as(principal, using="review"):
        state = targets.kind_of(target_type).review(target_id)
    if state is None or state.text is None:
        return
    (row,) = Value.by_ids(principal.tenant_id, [target_id])
    found = db.preview_value(
        tenant=principal.tenant_id,
        value=state.text,
        reach=json.dumps({name: getattr(row, name) for name in REACH}, default=str),
        listening=None,
        limit=None,
        shown=provenance.USES_AT_MOST,
    )
    said = [one for one in found if not one.is_near]
    among = f", one of {len(said):,} places" if len(said) > 1 else ""
    for one in said[: provenance.USES_AT_MOST]:
        yield Use(f"{one.kind}{among}", one.line or f"{one.kind} by {one.recorder}", one.ts, page_of(one))


def elsewhere(edit: Edit, words: str, principal: Principal) -> Elsewhere | None:
    """The memories that say the words which an edit takes out of one, and the forms that change all of them."""
    try:
        with refusals.within_savepoint():
            found = db.preview_value(
                tenant=principal.tenant_id, value=words, reach="{}", listening=None, limit=COUNTED_AT_MOST, shown=0
            )
    except Refusal:  # it says too little or too much to be a value
        return None
    others = sum(not one.is_near and one.record_id not in (edit.id, edit.target_id) for one in found)
    if not others:
        return None
    ways = WAYS.values() if principal.may_decide else ()
    pages = [(f"{way.verb} everywhere", reverse(f"admin:governance_edit_{way.name}", args=[edit.id])) for way in ways]
    return Elsewhere(others, len(found) >= COUNTED_AT_MOST, pages)


def page_of(place: db.SaidPlace) -> str:
    """The address of the page of a place in the admin."""
    page = _PAGES.get(place.kind, "memory_effectivechunk")
    return reverse(f"admin:{page}_change", args=[place.record_id])


def register() -> None:
    """Register the source and uses of values; called once, when the app is ready."""
    provenance.register(ValueSource())
    provenance.register_uses("values", saying)
    provenance.register_elsewhere("chunk", elsewhere)
