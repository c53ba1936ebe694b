"""Propose an edit from the page of a record, with one action per operation. If the policy requires no approval, the
edit applies at once; otherwise it waits in the queue."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import zip_longest
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.safestring import SafeString
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanWidget,
)

from governance import edits
from governance.acting import gate
from governance.acting.principals import Principal
from governance.admin import rendering
from governance.admin.audience_fields import AUDIENCE_LISTS, audience_fields, audience_in
from governance.admin.fields import TextField, reason_field, with_plain_line_ends
from governance.admin.manage import Act, ActForm, Done
from governance.admin.verdicts import ChangedSinceYouLooked
from governance.edits import Outcome, Patch, targets
from governance.ledger import access
from governance.models import Channel, Edit, EditState

_UNCHANGED = "This edit changes nothing: the record already has these values."
#: Fields for new items of a list in a form.
EMPTY_ITEMS = 3


class ReasonedForm(ActForm):
    """A form with a reason."""

    reason = reason_field()


class ProposalForm(ReasonedForm):
    """An edit of a record whose text is on the page; the form contains the state that was shown."""

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal, kind: str) -> None:
        super().__init__(data, row=row, principal=principal)
        # Before the text is read: if an edit is applied in between, the proposal is refused.
        self.state = targets.state_of(kind, row.pk, principal)
        with gate.acting_as(principal, using="review"):
            self.now = targets.kind_of(kind).review(row.pk)
        access.log("words.viewed", actor=principal, target_type=kind, target_id=row.pk)

    @property
    def words(self) -> SafeString:
        """The current text of the record, with invisible characters made visible."""
        text = self.now.words if self.now else None
        return rendering.shown("The text was erased." if text is None else text or "It has no text.")

    def patch(self) -> Patch:
        """The patch of the edit. Called after the fields are cleaned."""
        return Patch()

    def clean(self) -> dict[str, Any]:
        """The fields, and the arguments for the service."""
        cleaned: dict[str, Any] = super().clean() or {}
        return cleaned if self.errors else {**cleaned, "seen": self.data.get("seen"), "patch": self.patch()}


class AmendForm(ProposalForm):
    """The text, and each item of the lists that this kind of target has, in its own field; unchanged values
    are not in the patch."""

    def __init__(self, data: Any = None, *, kind: str, **options: Any) -> None:
        super().__init__(data, kind=kind, **options)
        self.kind = targets.kind_of(kind)
        self.fields["text"] = TextField(
            self.kind.amended,
            label=self.kind.text_label,
            help_text=self.kind.text_help,
            required=not self.kind.text_lists,
            initial=self.now.text if self.now else "",
            widget=UnfoldAdminTextareaWidget(attrs={"rows": 6, "dir": "auto"}),
        )
        self.item_names = {one.name: self._add_items(one, data or ()) for one in self.kind.text_lists}
        self.order_fields(["text", *(name for names in self.item_names.values() for name in names), "reason"])

    def _add_items(self, one: targets.TextList, data: Any) -> list[str]:
        """Add the fields of a list, including some empty ones; returns their names."""
        items = self._items_now(one.name)
        posted = sum(name.startswith(f"{one.item}_") for name in data)
        count = min(max(len(items) + EMPTY_ITEMS, posted), one.items_at_most)
        names = [f"{one.item}_{number}" for number in range(1, count + 1)]
        for number, (name, item) in enumerate(zip_longest(names, items[:count], fillvalue=""), start=1):
            self.fields[name] = TextField(
                replace(one.rule, may_be_blank=True),  # clearing the field deletes the item
                label=f"{one.item.capitalize()} {number}",
                required=False,
                initial=item,
                help_text=f"Clear this field to delete the {one.item}." if item else "",
                widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "dir": "auto"}),
            )
        return names

    def _items_now(self, name: str) -> list[str]:
        return (self.now.fields[name] if self.now else None) or []

    def patch(self) -> Patch:
        """The changed values. Raises ValidationError if nothing changed."""
        text: str | None = self.cleaned_data["text"]
        if self.now is not None and text == with_plain_line_ends(self.now.text or ""):
            text = None
        lists = {}
        for name, fields in self.item_names.items():
            asked = (self.cleaned_data[field] for field in fields)
            items = [item for item in asked if item.strip()]
            if self.now is None or items != [with_plain_line_ends(item) for item in self._items_now(name)]:
                lists[name] = items
        if text is None and not lists:
            raise forms.ValidationError({"text": _UNCHANGED})
        return Patch(text=text, lists=lists)


class BlockForm(ProposalForm):
    channel = forms.ChoiceField(choices=Channel.choices, widget=UnfoldAdminSelectWidget)
    field_order = ("channel", "reason")

    def patch(self) -> Patch:
        return Patch(channel=self.cleaned_data["channel"])


class AudienceForm(ProposalForm):
    principals, roles, relations = audience_fields()
    is_default = forms.BooleanField(
        label="Everyone who may read the channel",
        required=False,
        help_text="In place of the lists above.",
        widget=UnfoldBooleanWidget,
    )
    field_order = ("principals", "roles", "relations", "is_default", "reason")

    def patch(self) -> Patch:
        """The audience. Raises ValidationError."""
        if self.cleaned_data["is_default"]:
            if any(self.cleaned_data[name] for name in AUDIENCE_LISTS):
                raise forms.ValidationError({"is_default": "Name an audience, or choose everyone, but not both."})
            return Patch(audience=())
        return Patch(audience=tuple(audience_in(self)))


class ImportanceForm(ProposalForm):
    importance = forms.DecimalField(
        min_value=Decimal(0),
        max_value=Decimal(1),
        decimal_places=4,
        help_text="From 0 to 1.",
        widget=UnfoldAdminDecimalFieldWidget,
    )
    field_order = ("importance", "reason")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["importance"].initial = self.now.importance if self.now else None

    def patch(self) -> Patch:
        return Patch(importance=self.cleaned_data["importance"])


def _propose(kind: str, op: str, principal: Principal, row: Any, asked: Mapping[str, Any]) -> Done:
    edits.intern_audiences(asked["patch"], [(kind, row.pk)], principal=principal)
    if asked["seen"] != targets.state_of(kind, row.pk, principal, lock=True):
        raise ChangedSinceYouLooked
    outcome = edits.propose_edit(
        actor=principal, target_type=kind, target_id=row.pk, op=op, reason=asked["reason"], patch=asked["patch"]
    )
    return done(op, outcome)


def _revert(principal: Principal, edit: Edit, asked: Mapping[str, Any]) -> Done:
    return done(
        targets.op_name(Edit.Op.REVERT, edit.target_type),
        edits.revert_edit(edit.id, actor=principal, reason=asked["reason"]),
    )


def done(op_name: str, outcome: Outcome) -> Done:
    """The result of a proposal: its edit, and whether it waits."""
    left = outcome.approvals_required - outcome.approvals
    waits = f"proposed; it needs {left} approval{'s' * (left != 1)} by other people"
    effect = "in effect now" if outcome.status == EditState.Status.APPROVED else waits
    return Done(
        f"{op_name.capitalize()}: {effect}.", next_url=reverse("admin:governance_edit_change", args=[outcome.edit_id])
    )


def _applies(kind: str, op: str, row: Any, principal: Principal) -> bool:
    is_read = not row.is_retracted and getattr(row, "superseded_by", None) is None
    return is_read and (op != Edit.Op.AUDIENCE or targets.kind_of(kind).has_audience)


def is_in_effect(edit: Edit, principal: Principal) -> bool:
    """Whether an edit can be reverted: it took effect and was not reverted."""
    reverted = Edit.objects.filter(
        tenant_id=principal.tenant_id, target_id=edit.target_id, reverts=edit, state__status=EditState.Status.APPROVED
    )
    return edit.state.status == EditState.Status.APPROVED and edit.op != Edit.Op.REVERT and not reverted.exists()


def _is_revertible(edit: Edit, principal: Principal) -> bool:
    # kinds with another name for it have an act of their own
    has_own_act = targets.op_name(Edit.Op.REVERT, edit.target_type) != Edit.Op.REVERT
    return not has_own_act and is_in_effect(edit, principal)


#: The form of each operation on a record's page, in the order of the buttons.
FORMS: dict[str, type[ProposalForm]] = {
    Edit.Op.AMEND: AmendForm,
    Edit.Op.ATTENUATE: ImportanceForm,
    Edit.Op.BLOCK: BlockForm,
    Edit.Op.AUDIENCE: AudienceForm,
    Edit.Op.QUARANTINE: ProposalForm,
    Edit.Op.RETRACT: ProposalForm,
}


def acts_on(kind: str) -> list[Act]:
    """The actions that propose edits of a record of this kind of target."""
    return [
        Act(
            str(op),
            edits.OPERATIONS[op].label,
            edits.OPERATIONS[op].explanation,
            partial(_propose, kind, str(op)),
            partial(form, kind=kind),
            applies=partial(_applies, kind, str(op)),
            is_destructive=edits.OPERATIONS[op].is_destructive,
            may=lambda principal: principal.may_decide,
        )
        for op, form in FORMS.items()
    ]


REVERT = Act(
    "revert",
    edits.OPERATIONS[Edit.Op.REVERT].label,
    edits.OPERATIONS[Edit.Op.REVERT].explanation,
    _revert,
    ReasonedForm,
    applies=_is_revertible,
    is_destructive=edits.OPERATIONS[Edit.Op.REVERT].is_destructive,
    may=lambda principal: principal.may_decide,
)
