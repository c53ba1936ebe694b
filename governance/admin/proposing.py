"""Proposing an edit from a record's own page: one act an operation. Where the policy asks for no approval it applies at
once; otherwise it waits in the queue, as anybody's does."""

from collections.abc import Mapping
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
)

from governance import edits, gate
from governance.admin import rendering
from governance.admin.manage import Act, ActForm, Done
from governance.admin.verdicts import REASON_AT_MOST, ChangedSinceYouLooked
from governance.edits import Outcome, Patch, targets
from governance.identity.principals import Principal
from governance.ledger import access
from governance.models import Channel, Edit, EditState

_SAID_ALREADY = "This is what it says already."
#: Fields for new risks in a capsule's form.
EMPTY_RISKS = 3


class ReasonedForm(ActForm):
    """A proposal says why."""

    reason = forms.CharField(
        max_length=REASON_AT_MOST,
        help_text="It goes into the ledger.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )


class ProposalForm(ReasonedForm):
    """An edit of a record whose words are on the page; it carries the state in which they were seen."""

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal, kind: str) -> None:
        super().__init__(data, row=row, principal=principal)
        # Before the words are read: if an edit is applied in between, the proposal is refused rather than misled.
        self.state = targets.state_of(kind, row.pk, principal)
        with gate.tenant(principal.tenant_id, using="review"):
            self.now = targets.kind_of(kind).review(row.pk)
        access.log("words.viewed", actor=principal, target_type=kind, target_id=row.pk)

    @property
    def words(self) -> SafeString:
        """What the record says now, with what cannot be seen made visible."""
        text = self.now.words if self.now else None
        return rendering.shown("The words were erased." if text is None else text or "It has no words.")

    def patch(self) -> Patch:
        """What the edit changes. Called when the fields are clean."""
        return Patch()

    def clean(self) -> dict[str, Any]:
        """The fields, and with them what the service takes."""
        cleaned: dict[str, Any] = super().clean() or {}
        return cleaned if self.errors else {**cleaned, "seen": self.data.get("seen"), "patch": self.patch()}


class AmendForm(ProposalForm):
    text = forms.CharField(
        label="What it should say", strip=False, widget=UnfoldAdminTextareaWidget(attrs={"rows": 6, "dir": "auto"})
    )
    field_order = ("text", "reason")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["text"].initial = self.now.text if self.now else ""

    def clean_text(self) -> str:
        """The text with plain line ends, which a form changes. Raises ValidationError where it is what there is."""
        text = _with_plain_line_ends(self.cleaned_data["text"])
        if self.now and self.now.text is not None and text == _with_plain_line_ends(self.now.text):
            raise forms.ValidationError(_SAID_ALREADY)
        return text

    def patch(self) -> Patch:
        return Patch(text=self.cleaned_data["text"])


class CapsuleAmendForm(ProposalForm):
    """The note and each risk in a field of its own; what stays as it is, is not in the patch."""

    text = forms.CharField(
        label="Note",
        required=False,
        strip=False,
        help_text="Look at the risks too: they may repeat what is wrong in the note.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 6, "dir": "auto"}),
    )

    def __init__(self, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        risks = (self.now.risks if self.now else None) or ()
        self.fields["text"].initial = self.now.text if self.now else ""
        posted = sum(name.startswith("risk_") for name in data or ())
        count = min(max(len(risks) + EMPTY_RISKS, posted), edits.MAX_RISKS)
        self.risk_names = [f"risk_{number}" for number in range(1, count + 1)]
        for name, risk in zip_longest(self.risk_names, risks[:count], fillvalue=""):
            self.fields[name] = forms.CharField(
                label=f"Risk {name.removeprefix('risk_')}",
                required=False,
                strip=False,
                initial=risk,
                max_length=edits.MAX_RISK,
                help_text="Empty it to take the risk away." if risk else "",
                widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "dir": "auto"}),
            )
        self.order_fields(["text", *self.risk_names, "reason"])

    def patch(self) -> Patch:
        """What differs from what there is. Raises ValidationError where nothing does."""
        text = _with_plain_line_ends(self.cleaned_data["text"])
        asked = (_with_plain_line_ends(self.cleaned_data[name]) for name in self.risk_names)
        risks = [risk for risk in asked if risk.strip()]
        now = self.now
        is_same_text = now is not None and text == _with_plain_line_ends(now.text or "")
        is_same_risks = now is not None and risks == [_with_plain_line_ends(risk) for risk in now.risks or ()]
        if is_same_text and is_same_risks:
            raise forms.ValidationError(_SAID_ALREADY)
        return Patch(text=None if is_same_text else text, risks=None if is_same_risks else risks)


def _with_plain_line_ends(text: str) -> str:
    """`text` as it was before a form changed its line ends."""
    return text.replace("\r\n", "\n")


class BlockForm(ProposalForm):
    channel = forms.ChoiceField(choices=Channel.choices, widget=UnfoldAdminSelectWidget)
    field_order = ("channel", "reason")

    def patch(self) -> Patch:
        return Patch(channel=self.cleaned_data["channel"])


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
    if asked["seen"] != targets.state_of(kind, row.pk, principal, lock=True):
        raise ChangedSinceYouLooked
    outcome = edits.propose_edit(
        actor=principal, target_type=kind, target_id=row.pk, op=op, reason=asked["reason"], patch=asked["patch"]
    )
    return _done(op, outcome)


def _revert(principal: Principal, edit: Edit, asked: Mapping[str, Any]) -> Done:
    return _done(Edit.Op.REVERT, edits.revert_edit(edit.id, actor=principal, reason=asked["reason"]))


def _done(op: str, outcome: Outcome) -> Done:
    left = outcome.approvals_required - outcome.approvals
    waits = f"proposed; it waits for {left} approval{'s' * (left != 1)} by other people"
    told = "in effect now" if outcome.status == EditState.Status.APPROVED else waits
    return Done(f"{op.capitalize()}: {told}.", onward=reverse("admin:governance_edit_change", args=[outcome.edit_id]))


def _is_read(row: Any, principal: Principal) -> bool:
    return not row.is_retracted and getattr(row, "superseded_by", None) is None


def _is_in_effect(edit: Edit, principal: Principal) -> bool:
    reverted = Edit.objects.filter(
        tenant_id=principal.tenant_id, target_id=edit.target_id, reverts=edit, state__status=EditState.Status.APPROVED
    )
    return edit.state.status == EditState.Status.APPROVED and edit.op != Edit.Op.REVERT and not reverted.exists()


def _act(kind: str, op: Edit.Op, label: str, explanation: str, form: type[ProposalForm], *, is_grave: bool) -> Act:
    return Act(
        op.value,
        label,
        explanation,
        partial(_propose, kind, op.value),
        partial(form, kind=kind),
        applies=_is_read,
        is_grave=is_grave,
        may=lambda principal: principal.may_decide,
    )


def acts_on(kind: str) -> list[Act]:
    """What a person may propose for a record of that kind of target."""
    return [
        _act(
            kind,
            Edit.Op.AMEND,
            "Correct",
            "Readers get the new words. The record keeps the old ones.",
            CapsuleAmendForm if kind == Edit.TargetType.CAPSULE else AmendForm,
            is_grave=False,
        ),
        _act(
            kind,
            Edit.Op.ATTENUATE,
            "Change the importance",
            "It counts for more or less where memory is ranked.",
            ImportanceForm,
            is_grave=False,
        ),
        _act(
            kind,
            Edit.Op.BLOCK,
            "Block for a channel",
            "It is not given to that channel any more.",
            BlockForm,
            is_grave=False,
        ),
        _act(
            kind,
            Edit.Op.QUARANTINE,
            "Quarantine",
            "It is held back, except from readers who ask for quarantined memory.",
            ProposalForm,
            is_grave=False,
        ),
        _act(
            kind,
            Edit.Op.RETRACT,
            "Retract",
            "It is taken out of every answer. The record keeps it.",
            ProposalForm,
            is_grave=True,
        ),
    ]


REVERT = Act(
    "revert",
    "Revert",
    "The edit no longer holds; the others of its target do. It stays in the record, and so does this.",
    _revert,
    ReasonedForm,
    applies=_is_in_effect,
    is_grave=True,
    may=lambda principal: principal.may_decide,
)
