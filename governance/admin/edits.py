"""The review queue: a list to choose from, a page to look at, and two verdicts, each a POST with its own address."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import Error as DatabaseFailure
from django.db import transaction
from django.db.models import BooleanField, Case, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from governance import refusals
from governance.admin.base import ReadOnlyAdmin
from governance.admin.rendering import shown
from governance.admin.review import context_of
from governance.admin.site import principal_of, site
from governance.models import Edit, EditState
from governance.principals import Principal
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, Refusal
from governance.services import edits

STATUS_OF: dict[type[Refusal], int] = {Invalid: 400, Forbidden: 403, NotFound: 404, Conflict: 409}
ALL = "all"


class ChangedSinceYouLooked(Conflict):
    """This has changed since you looked. Nothing was decided; here it is as it stands now."""


class ReasonNeeded(Invalid):
    """Say why: a rejection needs a reason, of at most 2000 characters."""


class DecisionForm(forms.Form):
    """A verdict with what the reviewer saw: the patch, and the state of the target."""

    patch_sha256 = forms.RegexField(r"^[0-9a-f]{64}$")
    target_state = forms.RegexField(r"^[0-9a-f]{64}$")
    reason = forms.CharField(required=False, max_length=2000)


class StatusFilter(admin.SimpleListFilter):
    """Without a choice, what waits."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        decided = [choice for choice in EditState.Status.choices if choice[0] != EditState.Status.PENDING]
        return [*decided, (ALL, "All")]

    def choices(self, changelist: Any) -> Any:
        chosen, *others = super().choices(changelist)
        yield {**chosen, "display": "Pending"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Edit]) -> QuerySet[Edit]:
        if self.value() == ALL:
            return queryset
        return queryset.filter(state__status=self.value() or EditState.Status.PENDING)


@admin.register(Edit, site=site)
class EditAdmin(ReadOnlyAdmin):
    """Edits. The list is the queue: what waits, oldest first."""

    list_display = ["operation", "target", "proposed", "why", "age", "given", "yours"]
    list_display_links = ["operation"]
    list_filter = [StatusFilter, "op", "proposer_kind", "target_type"]
    list_select_related = ["state"]
    search_fields = ["reason", "proposer", "target_id"]
    search_help_text = "Reason, proposer or target id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        own = When(proposed_by=principal_of(request).id, then=Value(True))
        rows = super().get_queryset(request)
        marked: QuerySet[Any] = rows.annotate(own=Case(own, default=Value(False), output_field=BooleanField()))
        return marked

    def get_ordering(self, request: HttpRequest) -> list[str]:
        if request.GET.get(StatusFilter.parameter_name):
            return ["-created_at", "-id"]
        return ["state__created_at", "id"]

    @admin.display(description="Operation", ordering="op")
    def operation(self, edit: Edit) -> str:
        return edit.op

    @admin.display(description="Target")
    def target(self, edit: Edit) -> SafeString:
        return format_html(
            '<span class="target">{} <code title="{}">…{}</code></span>',
            edit.target_type,
            edit.target_id,
            str(edit.target_id)[-8:],
        )

    @admin.display(description="Proposed by", ordering="proposer")
    def proposed(self, edit: Edit) -> str:
        return f"{edit.proposer_kind} {edit.proposer}"

    @admin.display(description="Reason")
    def why(self, edit: Edit) -> SafeString:
        return format_html('<span class="reason">{}</span>', shown(edit.reason))

    @admin.display(description="Age", ordering="created_at")
    def age(self, edit: Edit) -> SafeString:
        return format_html(
            '<time datetime="{0}" title="{0}">{1}</time>', edit.created_at.isoformat(), timesince(edit.created_at)
        )

    @admin.display(description="Approvals")
    def given(self, edit: Edit) -> str:
        if not edit.approvals_required:
            return "by policy"
        return f"{edit.state.approvals} of {edit.approvals_required}"

    @admin.display(description="", empty_value="")
    def yours(self, edit: Any) -> str | None:
        return "yours" if edit.own else None

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<uuid:edit_id>/approve/", wrap(self.approve_view), name="governance_edit_approve"),
            path("<uuid:edit_id>/reject/", wrap(self.reject_view), name="governance_edit_reject"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """One edit with its before and after. Looking is a GET."""
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        if not self.has_view_permission(request):
            raise PermissionDenied
        return self._page(request, self.get_or_404(request, object_id))

    def approve_view(self, request: HttpRequest, edit_id: UUID) -> HttpResponse:
        """POST approves the edit as it was seen."""
        return self._decide(request, edit_id, "approve")

    def reject_view(self, request: HttpRequest, edit_id: UUID) -> HttpResponse:
        """POST rejects the edit, with a reason."""
        return self._decide(request, edit_id, "reject")

    def _decide(self, request: HttpRequest, edit_id: UUID, verb: str) -> HttpResponse:
        """Let the service decide and lead back to the queue; a refusal is told on the page, with its status."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        edit = self.get_or_404(request, str(edit_id))
        try:
            outcome = _verdict(edit, principal_of(request), verb, DecisionForm(request.POST))
        except Refusal as refusal:
            messages.error(request, refusal.detail)
            edit = self.get_or_404(request, str(edit_id))
            status = next((code for kind, code in STATUS_OF.items() if isinstance(refusal, kind)), 400)
            return self._page(request, edit, status=status, typed=request.POST.get("reason", ""))
        messages.success(request, _told(edit, outcome))
        return redirect(reverse("admin:governance_edit_changelist"))

    def _page(self, request: HttpRequest, edit: Edit, *, status: int = 200, typed: str = "") -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            **context_of(edit, principal_of(request)),
            "title": f"{edit.op.capitalize()} {edit.target_type}",
            "opts": self.opts,
            "typed": typed,
            "principal": principal_of(request),
        }
        return TemplateResponse(request, "admin/governance/edit/review.html", context, status=status)


def _verdict(edit: Edit, principal: Principal, verb: str, form: DecisionForm) -> edits.Outcome:
    """Check that what was seen still stands, then let the service decide. Raises the service's refusals and ours."""
    form.is_valid()
    if "reason" in form.errors:
        raise ReasonNeeded
    reason = form.cleaned_data["reason"]
    if verb == "reject" and not reason:
        raise ReasonNeeded
    if form.errors and edit.state.status == EditState.Status.PENDING:  # else the service says that it was decided
        raise ChangedSinceYouLooked
    decide = edits.approve_edit if verb == "approve" else edits.reject_edit
    try:
        with transaction.atomic():  # what the database refuses must not break the page's transaction
            return decide(
                edit.id,
                actor=principal,
                reason=reason,
                patch_sha256=bytes.fromhex(form.cleaned_data.get("patch_sha256", "")),
                target_state=form.cleaned_data.get("target_state"),
            )
    except DatabaseFailure as failure:
        refusal = refusals.from_database(failure)
        if refusal is None:
            raise
        if isinstance(refusal, edits.TargetHasChanged):
            raise ChangedSinceYouLooked from failure
        raise refusal from failure
    except edits.EditIsStale:
        raise ChangedSinceYouLooked from None


def _told(edit: Edit, outcome: edits.Outcome) -> str:
    """What became of it, for the message above the queue."""
    what = f"{edit.op.capitalize()} of {edit.target_type} …{str(edit.target_id)[-8:]}"
    if outcome.status == EditState.Status.PENDING:
        return f"{what}: approved by you; {outcome.approvals} of {outcome.approvals_required} approvals given."
    return f"{what}: {outcome.status}{', in effect now' if outcome.status == 'approved' else ''}."
