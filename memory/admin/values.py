"""Forgetting and correcting values in the admin: a preview of every place, then one edit; and the values kept out."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from governance import edits, text
from governance.acting import gate
from governance.acting.principals import Principal
from governance.admin import proposing as proposed
from governance.admin import rendering
from governance.admin.batches import CountedForm
from governance.admin.edits import register_acts
from governance.admin.fields import TextField
from governance.admin.manage import Act, CleanedData, Done, ManagedAdmin
from governance.admin.site import principal_of, site
from governance.edits import targets
from governance.ledger import access
from governance.models import Channel, Edit
from memory.models import EffectiveChunk, Guard, Value
from memory.values import proposing
from memory.values.db import SaidPlace
from memory.values.provenance import REACH, WAYS, page_of
from memory.values.targets import VALUE_TEXT

_CHANGED = (
    "The value, its reach or the memory that says it has changed since the page listed the places. Nothing was changed."
    " Look at the places below, and send the form again."
)


def _moment(label: str, help_text: str) -> forms.DateTimeField:
    return forms.DateTimeField(
        label=f"{label} (UTC)", required=False, help_text=help_text, widget=UnfoldAdminTextInputWidget
    )


def _identifier(name: str, help_text: str = "") -> TextField:
    label = REACH[name]
    return TextField(
        text.IDENTIFIER, label=label, required=False, strip=True, help_text=help_text, widget=UnfoldAdminTextInputWidget
    )


class ValueForm(CountedForm):
    """A value, what happens to it, and its reach. On the page of a chunk or an edit, it starts with the words of the
    chunk, or with those that the edit takes out of it."""

    value = TextField(
        VALUE_TEXT,
        label="Value",
        help_text="A code, name, number, address or sentence. Leave only the words that must go: they are found as"
        " whole words, in every spelling.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "dir": "auto"}),
    )
    to = TextField(
        VALUE_TEXT,
        label="Replace it by",
        help_text="Readers get these words in its place.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "dir": "auto"}),
    )
    subject_type = _identifier("subject_type", "Such as user.")
    subject_id = _identifier("subject_id")
    project_id = _identifier("project_id")
    session_id = _identifier("session_id")
    by_recorder = _identifier("by_recorder", "The name of the agent or person.")
    channel = forms.ChoiceField(
        label=REACH["channel"],
        required=False,
        choices=[("", "every channel"), *Channel.choices],
        widget=UnfoldAdminSelectWidget,
    )
    since = _moment(REACH["since"], "The time of the memory, such as 2026-11-24 08:30.")
    until = _moment(REACH["until"], "The time of the memory.")
    ends_at = _moment("Keep it out of new memory until", "Leave this empty to keep it out for good.")

    field_order = ("value", "to", "reason", "count")
    folded = (*REACH, "ends_at")
    folded_title = "Only in a part of memory, or only for a time"
    found_template = "admin/memory/places.html"

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal, op: str) -> None:
        super().__init__(data, row=row, principal=principal)
        self.op = op
        self.found: proposing.ValuePreview | None = None
        self.state = ""
        if op == Value.Op.FORGET:
            del self.fields["to"]
        if row is not None and data is None:
            started = _starts_with(row, principal)
            for name, words in zip(("value", "to"), started, strict=False):
                if name in self.fields:
                    self.fields[name].initial = words

    def clean_subject_id(self) -> str:
        """The subject. Raises ValidationError without its type, since two types may have the same ids."""
        subject: str = self.cleaned_data["subject_id"]
        if subject and not self.cleaned_data.get("subject_type"):
            raise forms.ValidationError("Enter the type of the subject too, such as user.")
        return subject

    def counted(self, given: CleanedData) -> tuple[int, str, str]:
        """The preview, with the places for the page; the access log records that the reviewer saw them."""
        moments = {name: one.replace(tzinfo=UTC) for name, one in given.items() if isinstance(one, datetime)}
        reach = {name: moments.get(name) or given[name] or None for name in REACH}
        asked = {"op": self.op, "value": given["value"], "to": given.get("to")}
        self.found = found = proposing.preview_value(
            actor=self.principal, **asked, reach=reach, ends_at=moments.get("ends_at"), reason=given["reason"]
        )
        seen = {**asked, "reach": found.reach, "ends": moments.get("ends_at"), "count": found.count}
        seen["places"] = [one.record_id for one in found.places]
        self.state = hashlib.sha256(json.dumps(seen, default=str, sort_keys=True).encode()).hexdigest()
        access.log(
            "words.viewed",
            actor=self.principal,
            target_type="value",
            details={"places": [str(one.record_id) for one in (*found.places, *found.near)]},
        )
        if found.confirm_because:
            self.fields["confirm"] = forms.BooleanField(
                label=f"{' '.join(found.confirm_because)} I want to change all of them.",
                required=False,
                widget=UnfoldBooleanWidget,
            )
        verb = "lose these words" if self.op == Value.Op.FORGET else "say the new words instead"
        words = f"{found.count:,} place{pluralize(found.count)} would {verb}. They are listed below."
        return found.count, words, found.token

    def clean(self) -> dict[str, Any]:
        """Raises ValidationError if the reviewer saw other places, or has not confirmed that the value is common."""
        given = super().clean()
        if self.errors:
            return given
        if self.data.get("seen") != self.state:
            raise forms.ValidationError(_CHANGED)
        given["confirm"] = bool(self.data.get("confirm"))
        if "confirm" in self.fields and not given["confirm"]:
            raise forms.ValidationError({"confirm": "Nothing was changed yet. Confirm this, or name a longer value."})
        return given

    @property
    def places(self) -> list[tuple[str, int, list[tuple[SaidPlace, SafeString, str]]]]:
        """The places of the page by kind: the kind, how many there are, and those that are listed."""
        if self.found is None:
            return []
        by_kind: dict[str, list[SaidPlace]] = {kind: [] for kind in sorted(self.found.by_kind)}
        for one in self.found.places:
            by_kind[one.kind].append(one)
        return [(kind, self.found.by_kind[kind], _shown(listed)) for kind, listed in by_kind.items()]

    @property
    def near(self) -> list[tuple[SaidPlace, SafeString, str]]:
        """The places that have the words apart."""
        return _shown(self.found.near if self.found else [])


def _shown(places: list[SaidPlace]) -> list[tuple[SaidPlace, SafeString, str]]:
    """Each with its line as HTML, and its page."""
    return [(one, rendering.shown(one.line or ""), page_of(one)) for one in places]


def _starts_with(row: EffectiveChunk | Edit, principal: Principal) -> tuple[str, str]:
    """The words that the form starts with: the value, and what replaces it."""
    kind, target_id = (row.target_type, row.target_id) if isinstance(row, Edit) else ("chunk", row.pk)
    access.log("words.viewed", actor=principal, target_type=kind, target_id=target_id)
    with gate.acting_as(principal, using="review"):
        if isinstance(row, Edit):
            sides = edits.review_edit(row, principal)
            return sides.replaced if sides else ("", "")
        now = targets.kind_of(kind).review(target_id)
    return ((now.text if now else None) or "", "")


def _commit(op: str, principal: Principal, row: Any, data: CleanedData) -> Done:
    committed = proposing.commit_value(data["token"], actor=principal, confirm=data["confirm"])
    return proposed.done(op, committed.outcome)


_EXPLANATIONS: Mapping[str, str] = {
    Value.Op.FORGET: "Cuts the words out of all memory, decisions, tags, capsules and proposed edits, also those of"
    " other agents and people, and out of later records. It is one edit, under the policy. To undo it, allow the value"
    " again.",
    Value.Op.REPLACE: "Puts new words in place of the value in all memory, decisions, tags, capsules and proposed"
    " edits, also those of other agents and people. Later records that say the old words are quarantined. It is one"
    " edit, under the policy. To undo it, allow the value again.",
}


def _acts(where: str, applies: Callable[[Any, Principal], bool] = lambda row, principal: True) -> list[Act]:
    return [
        Act(
            way.name,
            f"{way.verb} {where}",
            _EXPLANATIONS[op],
            partial(_commit, str(op)),
            partial(ValueForm, op=op),
            applies=applies,
            is_destructive=True,
            may=lambda principal: principal.may_decide,
        )
        for op, way in WAYS.items()
    ]


#: What people with a role may do with the words of a chunk.
CHUNK_ACTS = _acts("everywhere", lambda chunk, principal: not chunk.is_retracted)

ALLOW_AGAIN = replace(
    proposed.REVERT,
    name="allow-again",
    label="Allow again",
    explanation="The value is no longer kept out of what is recorded, and memory says it again where this edit has"
    " changed it. The ledger keeps both edits.",
    applies=lambda edit, principal: edit.target_type == "value" and proposed.is_in_effect(edit, principal),
)
# Not in the list of what one may do with an edit: the page links to them where it says how many memories say the same.
register_acts(*_acts("everywhere", lambda edit, principal: False), ALLOW_AGAIN)


@admin.register(Value, site=site)
class ValueAdmin(ManagedAdmin):
    """The values that are kept out now, with their words."""

    icon = "block"
    list_acts = _acts("a value")
    list_display = ["words", "effect", "reach", "ends", "by", "applied", "edit"]
    list_display_links = None
    exclude = ["tenant", "content_id"]
    ordering = ["-id"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        guard = Guard.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("id"))
        return super().get_queryset(request).filter(Exists(guard))

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Add the words and the edit of each value, with one query; the access log records that they were shown."""
        changes = super().get_changelist_instance(request)
        principal = principal_of(request)
        guards = {row.value_id: row for row in proposing.guards(principal)}
        rows = list(changes.result_list)
        for row in rows:
            row.guard, row.may_allow = guards[row.id], principal.may_decide
        changes.result_list = rows
        if rows:
            shown = {"values": [str(row.id) for row in rows]}
            access.log("words.viewed", actor=principal, target_type="value", details=shown)
        else:
            changes.nothing = "No value is kept out."
        return changes

    @admin.display(description="Value")
    def words(self, row: Any) -> SafeString:
        """Its words."""
        found = row.guard.value
        return format_html('<span class="reason" dir="auto">{}</span>', rendering.shown(found or "(erased)"))

    @admin.display(description="Readers get")
    def effect(self, row: Any) -> SafeString:
        """What stands in its place."""
        new = row.guard.instead if row.guard.op == Value.Op.REPLACE else "[…]"
        return format_html('<span class="reason" dir="auto">{}</span>', rendering.shown(new or "(erased)"))

    @admin.display(description="Reach")
    def reach(self, row: Any) -> SafeString:
        """Where it is kept out."""
        told = {name: getattr(row, name) for name in REACH}
        found = [f"{REACH[name].removeprefix('Only ')} {value}" for name, value in told.items() if value is not None]
        return rendering.shown("; ".join(found) or "all memory")

    @admin.display(description="Until (UTC)")
    def ends(self, row: Any) -> str:
        """When its guard ends."""
        return f"{row.ends_at:%Y-%m-%d %H:%M}" if row.ends_at else "for good"

    @admin.display(description="Proposed by")
    def by(self, row: Any) -> str:
        """Who proposed it."""
        return str(row.guard.proposer)

    @admin.display(description="Since (UTC)")
    def applied(self, row: Any) -> str:
        """When it took effect."""
        return f"{row.guard.applied_at:%Y-%m-%d %H:%M}"

    @admin.display(description="Edit")
    def edit(self, row: Any) -> SafeString:
        """Its edit, and the form that allows the value again."""
        edit_id = row.guard.edit_id
        page = reverse("admin:governance_edit_change", args=[edit_id])
        link = format_html('<a class="underline" href="{}">{}</a>', page, targets.op_name(row.guard.op, "value"))
        if not row.may_allow:
            return link
        allow = reverse(f"admin:governance_edit_{ALLOW_AGAIN.name}", args=[edit_id])
        return format_html('{}, <a class="underline" href="{}">allow again</a>', link, allow)
