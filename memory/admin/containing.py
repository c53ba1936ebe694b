"""Containing a recorder in the admin, after a preview."""

from datetime import UTC, datetime, timedelta

from django import forms
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from unfold.widgets import UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from governance.acting.principals import Principal
from governance.admin import home
from governance.admin.batches import CountedForm
from governance.admin.manage import Act, CleanedData, Done
from governance.edits import batches
from memory.services import containing
from memory.usage import watching

#: How long the home page shows an alarm.
SHOWN_FOR = timedelta(days=1)
_SEE = "See what containing it would undo, and undo it."


def alarms(principal: Principal) -> list[home.Fact]:
    """The unusual recorders of the last day, each with a link to the form that contains it, filled in."""
    found = []
    for entry in watching.reported_since(principal.tenant_id, timezone.now() - SHOWN_FOR):
        said = entry.metadata
        since = datetime.fromisoformat(said["since"]).astimezone(UTC)
        what = {
            "records": f"{said['number']:,} chunks within ten minutes; everyone together usually records"
            f" {said['usual']:,}",
            "edits": f"{said['number']:,} edits of others' memory at once within an hour, or pending",
        }[said["what"]]
        asked = {"recorder": said["name"], "since": f"{since:%Y-%m-%d %H:%M:%S}", "reason": "Unusual activity"}
        may = principal.may_decide
        address = f"{reverse('admin:memory_effectivechunk_contain')}?{urlencode({**asked, 'reject_pending': 'on'})}"
        found.append(
            home.Fact(
                f"Unusual: {said['name']}",
                what,
                address if may else "",
                f"{entry.ts:%Y-%m-%d %H:%M} UTC. {_SEE if may else 'A reviewer can contain it.'}",
                is_alarm=True,
            )
        )
    return found


home.register_alarms(alarms)


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

    reject_pending = forms.BooleanField(
        label="Also reject the recorder's pending edits",
        required=False,
        initial=True,
        widget=UnfoldBooleanWidget,
    )

    field_order = ("recorder", "since", "reason", "reject_pending", "count")
    #: An alarm on the home page links to the form with these filled in.
    fills_from_address = True

    def counted(self, given: CleanedData) -> tuple[int, str, str]:
        preview = containing.preview_containment(
            actor=self.principal,
            recorder=given["recorder"],
            since=given["since"].replace(tzinfo=UTC),
            reason=given["reason"],
            reject_pending=given["reject_pending"],
        )
        kinds = [f"{count} {kind}{pluralize(count)}" for kind, count in sorted(preview.others.items())]
        things = [f"{preview.memories} chunk{pluralize(preview.memories)}", *kinds]
        words = f"{' and '.join(things)} would be quarantined."
        if preview.reverts:
            ops = ", ".join(f"{count} {op}" for op, count in sorted(preview.reverts.items()))
            words += f" The recorder's edits would be reverted: {ops}."
        if preview.pending:
            pending = f"{preview.pending} pending edit{pluralize(preview.pending)}"
            words += f" {pending} would be {'rejected' if given['reject_pending'] else 'left in the queue'}."
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
