"""Revert a whole batch in the admin, after confirming the number of its edits."""

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.template.defaultfilters import pluralize
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from governance import refusals
from governance.acting.principals import Principal
from governance.admin.fields import reason_field
from governance.admin.manage import Act, ActForm, CleanedData, Done
from governance.edits import batches
from governance.models import Edit
from governance.refusals import Refusal


class CountedForm(ActForm):
    """A form that is sent twice: first it shows a count, then it acts if that number is entered."""

    reason = reason_field()
    count = forms.IntegerField(
        label="How many",
        required=False,
        min_value=0,
        help_text="Leave this empty to see what would happen. To confirm, enter the number that the page then shows.",
        widget=UnfoldAdminIntegerFieldWidget,
    )

    def counted(self, given: CleanedData) -> tuple[int, str, str]:
        """The number, a description of the effect, and the token to commit it. Raises Refusal."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        """The fields with the `token`. Raises ValidationError, which describes the effect, until the number matches."""
        given: dict[str, Any] = {**(super().clean() or {})}
        if self.errors:
            return given
        try:
            with refusals.within_savepoint():  # a refusal of the database must not break the page's transaction
                count, words, token = self.counted(given)
        except Refusal as refusal:
            field = (refusal.pointer or "").rpartition("/")[2]
            raise forms.ValidationError({field if field in self.fields else NON_FIELD_ERRORS: refusal.detail}) from None
        if given["count"] != count:
            raise forms.ValidationError(f"Nothing was changed yet. {words} To confirm, enter the number {count}.")
        return {**given, "token": token}


class _BatchForm(CountedForm):
    def counted(self, given: CleanedData) -> tuple[int, str, str]:
        if self.row.batch_id is None:
            raise batches.NoSuchBatch
        preview = batches.preview_revert(self.row.batch_id, actor=self.principal, reason=given["reason"])
        ops = ", ".join(f"{count} {op}" for op, count in sorted(preview.by_op.items()))
        words = f"{preview.count} edit{pluralize(preview.count)} in effect would be reverted ({ops})."
        if preview.pending:
            words += f" {preview.pending} pending edit{pluralize(preview.pending)} will stay."
        return preview.count, words, preview.token


def _revert(principal: Principal, edit: Edit, data: CleanedData) -> Done:
    batch_id, token = edit.batch_id, data["token"]
    if batch_id is None:
        raise batches.NoSuchBatch
    done = batches.commit_all(lambda: batches.revert_batch(batch_id, token, actor=principal))
    return Done(done.summary())


REVERT_BATCH = Act(
    "revert-batch",
    "Revert the whole batch",
    "Every edit of this batch that is in effect is reverted, under the policy. The reverts form a batch, which you can"
    " revert again.",
    _revert,
    _BatchForm,
    applies=lambda edit, principal: edit.batch_id is not None,
    is_destructive=True,
    may=lambda principal: principal.may_decide,
)
