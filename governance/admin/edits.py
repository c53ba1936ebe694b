"""The review queue: a list, a page for each edit, and two verdicts, each a POST to its own address."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField, Case, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from unfold.decorators import display

from governance.acting import gate
from governance.acting.principals import Principal
from governance.admin import bulk, queue, unsent, verdicts
from governance.admin.batches import REVERT_BATCH
from governance.admin.exporting import ExportMixin
from governance.admin.filters import ProjectFilter, SinceFilter, SubjectFilter, TargetFilter, UntilFilter
from governance.admin.manage import Act, ManagedAdmin
from governance.admin.proposing import REVERT
from governance.admin.rendering import shown
from governance.admin.review import context_of, items_of
from governance.admin.site import principal_of, site
from governance.edits import provenance
from governance.http.statuses import status_of
from governance.models import Edit, EditState
from governance.refusals import Conflict, Invalid, Refusal

#: The labels of the review page (templates/admin/governance/edit/status.html), for Unfold's lists.
STATUS_COLOURS = {
    EditState.Status.APPROVED.value: "success",
    EditState.Status.REJECTED.value: "danger",
    **dict.fromkeys(
        (EditState.Status.PENDING.value, EditState.Status.WITHDRAWN.value, EditState.Status.EXPIRED.value), "warning"
    ),
}


@admin.register(Edit, site=site)
class EditAdmin(ExportMixin, ManagedAdmin):
    """Edits. By default the list is the queue: pending edits, oldest first. Like the list, its export has no memory
    text."""

    icon = "rate_review"
    actions = ["decide_chosen"]
    row_acts: ClassVar[list[Act]] = [REVERT, REVERT_BATCH]
    list_before_template = "admin/governance/edit/views.html"
    list_disable_select_all = True  # people only decide edits that they have seen
    list_display = ["operation", "target", "about", "proposed", "why", "age", "status", "given", "yours"]
    list_display_links = ["operation"]
    list_filter = [
        queue.ViewFilter,
        "op",
        queue.TargetTypeFilter,
        "proposer_kind",
        queue.ProposerFilter,
        TargetFilter,
        SubjectFilter,
        ProjectFilter,
        queue.BatchFilter,
        queue.AgeFilter,
        SinceFilter,
        UntilFilter,
    ]
    list_filter_submit = True
    list_select_related = ["state"]
    export_fields = ["created_at", "op", "target_type", "target_id", "proposer_kind", "proposer", "reason",
                     "importance", "importance_delta", "channel", "audience", "reverts_id", "batch_id", "patch_sha256",
                     "policy", "approvals_required", "state__approvals", "state__status", "state__approved_by",
                     "state__applied_at"]  # fmt: skip
    search_fields = ["reason", "proposer", "target_id"]
    search_help_text = "Target id, proposer, or words in the reason"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        own = When(proposed_by=principal_of(request).id, then=Value(True))
        rows = super().get_queryset(request)
        marked: QuerySet[Any] = rows.annotate(own=Case(own, default=Value(False), output_field=BooleanField()))
        return marked

    def get_ordering(self, request: HttpRequest) -> list[str]:
        view = request.GET.get(queue.ViewFilter.parameter_name)
        if view and view not in queue.VIEWS:
            return ["-created_at", "-id"]
        return ["state__created_at", "id"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Look up a complete id or name; search for other text in reasons, names and ids."""
        found = queue.indexed(queryset, search_term.strip(), principal_of(request))
        if found is not None:
            return found, False
        searched: tuple[QuerySet[Any], bool] = super().get_search_results(request, queryset, search_term)
        return searched

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        if not principal_of(request).may_decide:
            return {}
        return {"decide_chosen": (EditAdmin.decide_chosen, "decide_chosen", "Review and decide the selected edits")}

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Add the tabs and the subject of each row's target, with one query per kind of target on the page."""
        changes = super().get_changelist_instance(request)
        principal = principal_of(request)
        rows = list(changes.result_list)
        about = provenance.subjects([(edit.target_type, edit.target_id) for edit in rows], principal)
        for edit in rows:
            edit.subject = about.get(edit.target_id)
        changes.result_list = rows
        chosen = queue.chosen_view(request)
        changes.tabs = [
            (view.title, changes.get_query_string({queue.ViewFilter.parameter_name: view.name}, ["p"]), name == chosen)
            for name, view in queue.VIEWS.items()
        ]
        if not rows and not changes.query and chosen in queue.VIEWS:
            changes.nothing = queue.VIEWS[chosen].empty
        return changes

    def exported_filters(self, request: HttpRequest) -> dict[str, list[str]]:
        """Include the default tab."""
        return {**super().exported_filters(request), queue.ViewFilter.parameter_name: [queue.chosen_view(request)]}

    @admin.display(description="Operation", ordering="op")
    def operation(self, edit: Edit) -> str:
        return verdicts.op_name(edit)

    @admin.display(description="Target")
    def target(self, edit: Edit) -> SafeString:
        return format_html(
            '<span class="target">{} <code title="{}">…{}</code></span>',
            edit.target_type,
            edit.target_id,
            str(edit.target_id)[-8:],
        )

    @admin.display(description="About")
    def about(self, edit: Any) -> SafeString:
        subject = edit.subject
        words = [subject.subject_id, subject.project_id] if subject else []
        return format_html('<span class="about">{}</span>', shown(", ".join(filter(None, words)) or "-"))

    @admin.display(description="Proposed by", ordering="proposer")
    def proposed(self, edit: Edit) -> str:
        return f"{edit.proposer_kind} {edit.proposer}"

    @admin.display(description="Reason")
    def why(self, edit: Edit) -> SafeString:
        return format_html('<span class="reason">{}</span>', shown(edit.reason))

    @admin.display(description="Age", ordering="created_at")
    def age(self, edit: Edit) -> SafeString:
        return format_html(
            '<time class="age" datetime="{0}" title="{0}">{1}</time>',
            edit.created_at.isoformat(),
            timesince(edit.created_at, depth=1),
        )

    @display(description="Status", ordering="state__status", label=STATUS_COLOURS)  # type: ignore[untyped-decorator] # Unfold has no types
    def status(self, edit: Edit) -> str:
        return edit.state.status

    @admin.display(description="Approvals")
    def given(self, edit: Edit) -> str:
        if not edit.approvals_required:
            return "by policy"
        return f"{edit.state.approvals} of {edit.approvals_required}"

    @admin.display(description="", empty_value="")
    def yours(self, edit: Any) -> str | None:
        return "yours" if edit.own else None

    def label_of(self, row: Edit) -> str:
        return verdicts.edit_label(row)

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<uuid:edit_id>/approve/", wrap(self.approve_view), name="governance_edit_approve"),
            path("<uuid:edit_id>/reject/", wrap(self.reject_view), name="governance_edit_reject"),
            path("bulk/", self.admin_site.item_view(self.bulk_view), name="governance_edit_bulk"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """GET shows one edit with its before and after."""
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        if not self.has_view_permission(request):
            raise PermissionDenied
        edit = self.get_or_404(request, object_id)
        kept = unsent.take(request)
        if kept is None:
            return self._edit_page(request, edit)
        return self._edit_page(request, edit, verb=kept.verb, typed=kept.reason)

    def approve_view(self, request: HttpRequest, edit_id: UUID) -> HttpResponse:
        """POST approves the edit as it was seen."""
        return self._decide(request, edit_id, "approve")

    def reject_view(self, request: HttpRequest, edit_id: UUID) -> HttpResponse:
        """POST rejects the edit, with a reason."""
        return self._decide(request, edit_id, "reject")

    def _decide(self, request: HttpRequest, edit_id: UUID, verb: str) -> HttpResponse:
        """Call the service, then open the next edit. A refusal is shown on the page, with its status."""
        if request.method in ("GET", "HEAD"):
            return redirect("admin:governance_edit_change", edit_id)  # the form is there
        if request.method != "POST":
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        principal = principal_of(request)
        edit = self.get_or_404(request, str(edit_id))
        _, after = queue.neighbours(edit, principal)
        try:
            outcome = verdicts.decide(edit, principal, verb, request.POST)
        except Refusal as refusal:
            messages.error(request, refusal.detail)
            edit = self.get_or_404(request, str(edit_id))
            typed, seen = request.POST.get("reason", ""), request.POST.get("seen_text")
            # tell the reviewer that the target has changed since the form was loaded
            why = refusal.detail if isinstance(refusal, Conflict) else ""
            return self._edit_page(
                request, edit, status=status_of(refusal), verb=verb, typed=typed, refusal=why, seen_text=seen
            )
        messages.success(request, verdicts.outcome_message(edit, outcome))
        if after and request.POST.get("onward"):
            return redirect("admin:governance_edit_change", after)
        return redirect("admin:governance_edit_changelist")

    def _edit_page(
        self,
        request: HttpRequest,
        edit: Edit,
        *,
        status: int = 200,
        verb: str = "",
        typed: str = "",
        refusal: str = "",
        seen_text: str | None = None,
    ) -> HttpResponse:
        """The page of an edit. `verb` and `typed` come from a refused or unsent verdict and refill its form."""
        context = {
            **self.admin_site.each_context(request),
            **context_of(edit, principal_of(request), seen_text),
            "acts": self.acts_on(edit, principal_of(request)),
            "title": f"{verdicts.op_name(edit).capitalize()} {edit.target_type}",
            "opts": self.opts,
            "typed_verb": verb,
            "typed": typed,
            "refusal": refusal,
            "author": unsent.author_token(principal_of(request).id),
            "principal": principal_of(request),
        }
        return TemplateResponse(request, "admin/governance/edit/review.html", context, status=status)

    def decide_chosen(self, request: HttpRequest, queryset: QuerySet[Edit]) -> HttpResponse | None:
        """Open the page that lists the selected edits, without those that "all pages" adds: nobody has seen them."""
        return self._chosen_page(request, request.POST.getlist(ACTION_CHECKBOX_NAME))

    def _chosen_page(self, request: HttpRequest, ids: list[str], *, status: int = 200, typed: str = "") -> HttpResponse:
        principal = principal_of(request)
        try:
            chosen = bulk.chosen(ids, principal)
        except Refusal as refusal:
            messages.error(request, refusal.detail)
            return redirect("admin:governance_edit_changelist")
        context = {
            **self.admin_site.each_context(request),
            "title": f"Decide {len(chosen)} edit{'' if len(chosen) == 1 else 's'}",
            "opts": self.opts,
            "items": items_of(chosen, principal),
            "typed": typed,
            "author": unsent.author_token(principal.id),
        }
        return TemplateResponse(request, "admin/governance/edit/bulk.html", context, status=status)

    def bulk_view(self, request: HttpRequest) -> HttpResponse:
        """POST decides each of the listed edits as it was shown, or none if the reason for a rejection is missing. GET
        shows a list that was not sent because the session had ended, and otherwise the queue."""
        principal = principal_of(request)
        if request.method in ("GET", "HEAD"):
            kept = unsent.take(request)
            if kept is None:
                return redirect("admin:governance_edit_changelist")
            return self._page_of_chosen(request, principal, kept.edits, typed=kept.reason)
        if request.method != "POST":
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        verb, reason = request.POST.get("verb", ""), request.POST.get("reason", "")
        posted = request.POST.getlist("seen")
        try:
            items = bulk.seen_in(posted)
        except Refusal as refusal:
            messages.error(request, refusal.detail)
            return redirect("admin:governance_edit_changelist")
        try:
            reason = verdicts.checked_reason(reason, verb)
        except Invalid as refusal:
            messages.error(request, refusal.detail)
            ids = [item.split(":")[0] for item in posted]
            return self._page_of_chosen(request, principal, ids, status=400, typed=reason)
        if verb not in verdicts.VERBS:
            return HttpResponseBadRequest("verb must be approve or reject")
        report = bulk.decide_all(items, actor=principal, verb=verb, reason=reason)
        tell = messages.success if report.decided == len(items) else messages.warning
        tell(request, report.summary + ".")
        for line in report.refused:
            messages.error(request, line)
        return redirect("admin:governance_edit_changelist")

    def _page_of_chosen(
        self, request: HttpRequest, principal: Principal, ids: list[str], *, status: int = 200, typed: str = ""
    ) -> HttpResponse:
        """The list of the selected edits, rendered outside the request's transaction."""
        with gate.acting_as(principal):
            page = self._chosen_page(request, ids, status=status, typed=typed)
            return page.render() if isinstance(page, TemplateResponse) else page


def register_acts(*acts: Act) -> None:
    """Add acts on edits; called once by their app's admin."""
    EditAdmin.row_acts.extend(acts)
