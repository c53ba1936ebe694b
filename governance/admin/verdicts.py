"""A reviewer's verdict: the fields of its form, the call of the service, and the message."""

from collections.abc import Mapping
from typing import Any

from django import forms

from governance import edits, refusals
from governance.acting.principals import Principal
from governance.admin.fields import with_plain_line_ends
from governance.edits import targets
from governance.models import Edit, EditState
from governance.refusals import Conflict, Invalid
from governance.text import REMARK

VERBS = ("approve", "reject")


class ChangedSinceYouLooked(Conflict):
    """The target has changed since you loaded this page. Nothing was decided. Review its current state."""


class ReasonNeeded(Invalid):
    """A rejection needs a reason."""


class DecisionForm(forms.Form):
    """A verdict with what the reviewer saw: the patch, and the state of the target."""

    patch_sha256 = forms.RegexField(r"^[0-9a-f]{64}$")
    target_state = forms.RegexField(r"^[0-9a-f]{64}$")


def checked_reason(text: str, verb: str) -> str:
    """Check the reason of a verdict. Raises ReasonNeeded, and Invalid for an invalid text."""
    reason = REMARK.require(with_plain_line_ends(text.strip()), "/reason")
    if verb == "reject" and not reason:
        raise ReasonNeeded
    return reason


def decide(edit: Edit, principal: Principal, verb: str, posted: Mapping[str, Any]) -> edits.Outcome:
    """Check that the reviewed state is current, then call the service. Raises the service's refusals and ours."""
    if not principal.may_decide:
        raise edits.NotAReviewer  # before the posted values are checked
    form = DecisionForm(posted)
    form.is_valid()
    reason = checked_reason(posted.get("reason", ""), verb)
    if form.errors and edit.state.status == EditState.Status.PENDING:  # else the service refuses: already decided
        raise ChangedSinceYouLooked
    service = edits.approve_edit if verb == "approve" else edits.reject_edit
    try:
        with refusals.within_savepoint():  # a refusal of the database must not break the page's transaction
            return service(
                edit.id,
                actor=principal,
                reason=reason,
                patch_sha256=bytes.fromhex(form.cleaned_data.get("patch_sha256", "")),
                target_state=form.cleaned_data.get("target_state"),
            )
    except (edits.EditIsStale, edits.TargetHasChanged) as refusal:
        raise ChangedSinceYouLooked from refusal


def edit_label(edit: Edit) -> str:
    """A short label of an edit."""
    return f"{op_name(edit).capitalize()} {edit.target_type} …{str(edit.target_id)[-8:]}"


def op_name(edit: Edit) -> str:
    """What people call the operation of an edit."""
    return targets.op_name(edit.op, edit.target_type)


def outcome_message(edit: Edit, outcome: edits.Outcome) -> str:
    """The message about the outcome."""
    if outcome.status == EditState.Status.PENDING:
        return (
            f"{edit_label(edit)}: approved by you; {outcome.approvals} of {outcome.approvals_required} approvals given."
        )
    return f"{edit_label(edit)}: {outcome.status}{', in effect now' if outcome.status == 'approved' else ''}."
