"""Containing a recorder in the admin, after a preview."""

from datetime import UTC

from django import forms
from django.template.defaultfilters import pluralize
from unfold.widgets import UnfoldAdminTextInputWidget

from governance.acting.principals import Principal
from governance.admin.batches import CountedForm
from governance.admin.manage import Act, CleanedData, Done
from governance.edits import batches
from memory.services import containing


class _ContainForm(CountedForm):
    recorder = forms.CharField(
        label="Recorder",
        max_length=200,
        help_text="The name of the agent or person.",
        widget=UnfoldAdminTextInputWidget,
    )
    since = forms.DateTimeField(
        label="Since (UTC)",
        help_text="The time of recording, such as 2026-11-24 08:30.",
        widget=UnfoldAdminTextInputWidget,
    )

    field_order = ("recorder", "since", "reason", "count")

    def counted(self, given: CleanedData) -> tuple[int, str, str]:
        preview = containing.preview_containment(
            actor=self.principal,
            recorder=given["recorder"],
            since=given["since"].replace(tzinfo=UTC),
            reason=given["reason"],
        )
        kinds = [f"{count} {kind}{pluralize(count)}" for kind, count in sorted(preview.others.items())]
        things = [f"{preview.memories} chunk{pluralize(preview.memories)}", *kinds]
        words = f"{' and '.join(things)} would be quarantined."
        if preview.reverts:
            ops = ", ".join(f"{count} {op}" for op, count in sorted(preview.reverts.items()))
            words += f" The recorder's edits would be reverted: {ops}."
        if preview.pending:
            words += f" {preview.pending} pending edits would stay in the queue."
        return preview.memories, words, preview.token


def _contain(principal: Principal, row: object, data: CleanedData) -> Done:
    done = batches.commit_all(lambda: containing.contain(data["token"], actor=principal))
    return Done(done.summary())


CONTAIN = Act(
    "contain",
    "Contain a recorder",
    "Quarantines everything that an agent or a person has recorded since a moment, including capsules, and"
    " reverts their edits, under the policy. To undo it, revert the batch on the page of one of its edits. Their"
    " keys still work, so deactivate the agent first.",
    _contain,
    _ContainForm,
    is_destructive=True,
    may=lambda principal: principal.may_decide,
)
