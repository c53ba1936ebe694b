"""Reverting a whole batch in the admin, once the number of its edits was looked at."""

from typing import Any

from django import forms
from django.template.defaultfilters import pluralize
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from governance.acting.principals import Principal
from governance.admin.fields import reason_field
from governance.admin.manage import Act, ActForm, CleanedData, Done
from governance.edits import batches
from governance.models import Edit
from governance.refusals import Refusal


class CountedForm(ActForm):
    """A form that is sent twice: first it counts what would happen, and it acts once that number is entered."""

    reason = reason_field()
    count = forms.IntegerField(
        label="How many",
        required=False,
        min_value=0,
        help_text="Leave this empty first: the page then says what would happen. To do it, enter the number it gives.",
        widget=UnfoldAdminIntegerFieldWidget,
    )

    def counted(self, given: CleanedData) -> tuple[int, str, str]:
        """The number, what would happen in words, and the token that does it. Raises Refusal."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        """The fields with the `token`. Raises ValidationError, which says what would happen, until the number fits."""
        given: dict[str, Any] = {**(super().clean() or {})}
        if self.errors:
            return given
        try:
            count, words, token = self.counted(given)
        except Refusal as refusal:
            raise forms.ValidationError(refusal.detail) from None
        if given["count"] != count:
            raise forms.ValidationError(f"Nothing is done yet. {words} To do it, enter {count} as the number.")
        return {**given, "token": token}


class _BatchForm(CountedForm):
    def counted(self, given: CleanedData) -> tuple[int, str, str]:
        if self.row.batch_id is None:
            raise batches.NoSuchBatch
        preview = batches.preview_revert(self.row.batch_id, actor=self.principal, reason=given["reason"])
        ops = ", ".join(f"{count} {op}" for op, count in sorted(preview.by_op.items()))
        words = f"{preview.count} edit{pluralize(preview.count)} in effect would be reverted ({ops})."
        if preview.pending:
            words += f" {preview.pending} that wait for approval stay."
        return preview.count, words, preview.token


def _revert(principal: Principal, edit: Edit, data: CleanedData) -> Done:
    batch_id, token = edit.batch_id, data["token"]
    if batch_id is None:
        raise batches.NoSuchBatch
    done = batches.to_the_end(lambda: batches.revert_batch(batch_id, token, actor=principal))
    return Done(done.in_words())


REVERT_BATCH = Act(
    "revert-batch",
    "Revert the whole batch",
    "Every edit of this batch that is in effect is reverted, as the policy asks. The reverts are a batch too, which you"
    " can revert again.",
    _revert,
    _BatchForm,
    applies=lambda edit, principal: edit.batch_id is not None,
    is_destructive=True,
    may=lambda principal: principal.may_decide,
)
