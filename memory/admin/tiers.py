"""Tiers in the admin: acts on a chunk, the promotion log, and the candidates with their unmet criteria."""

import json
import uuid
from contextlib import suppress
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminSelectWidget

from governance.acting.principals import Principal
from governance.admin.fields import reason_field
from governance.admin.filters import SinceFilter, UntilFilter
from governance.admin.manage import Act, ActForm, CleanedData, Done, ManagedAdmin
from governance.admin.site import principal_of, site
from memory.models import EffectiveChunk, Promotion, Tier
from memory.tiers import manual, queries
from memory.tiers.messages import evidence_in_words, lack_of

MAX_LISTED = 50


class TierForm(ActForm):
    """The target tier: every tier but the current one."""

    tier = forms.ChoiceField(label="New tier", choices=Tier.choices, widget=UnfoldAdminSelectWidget)
    reason = reason_field()

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal) -> None:
        super().__init__(data, row=row, principal=principal)
        others = [one for one in Tier.choices if one[0] != row.tier]
        self.fields["tier"].choices = others  # type: ignore[attr-defined] # a ChoiceField
        self.fields["tier"].initial = Tier.LONGTERM if row.tier == Tier.ARCHIVE else others[0][0]


def _move(principal: Principal, chunk: EffectiveChunk, data: CleanedData) -> Done:
    moved = manual.promote(chunk.id, data["tier"], actor=principal, reason=data["reason"])
    return Done(f"The memory moved from {moved.from_tier} to {moved.to_tier}.")


def _may_move(chunk: EffectiveChunk) -> bool:
    """Whether the chunk is visible: hidden memory stays in its tier (memory/tiers/manual.py)."""
    return not (chunk.is_retracted or chunk.is_quarantined or chunk.superseded_by or chunk.is_expired)


#: What people with a role may do to a chunk's tier.
ACTS = [
    Act(
        "promote",
        "Move to another tier",
        "Jobs move memory automatically by its use and age; this moves it now. The time without use restarts. After a"
        " move down, only use from then on counts.",
        _move,
        TierForm,
        applies=lambda chunk, principal: _may_move(chunk) and chunk.tier != Tier.ARCHIVE,
        may=lambda principal: principal.may_decide,
    ),
    Act(
        "restore",
        "Restore from the archive",
        "Searches, lists and context find it again. The time without use restarts.",
        _move,
        TierForm,
        applies=lambda chunk, principal: _may_move(chunk) and chunk.tier == Tier.ARCHIVE,
        may=lambda principal: principal.may_decide,
    ),
]


def _chunk_link(chunk_id: uuid.UUID) -> SafeString:
    address = reverse("admin:memory_effectivechunk_change", args=[chunk_id])
    return format_html('<a class="underline" href="{}" title="{}">…{}</a>', address, chunk_id, str(chunk_id)[-8:])


@admin.register(Promotion, site=site)
class PromotionAdmin(ManagedAdmin):
    """The promotion log: every move, by the job or by hand, with its evidence."""

    icon = "trending_up"
    list_display = ["chunk", "from_tier", "to_tier", "kind", "promoter", "reason", "moved_at"]
    list_display_links = ["from_tier"]
    list_filter = ["from_tier", "to_tier", "kind", SinceFilter, UntilFilter]
    list_filter_submit = True
    fields = [
        "chunk",
        "number",
        "kind",
        "from_tier",
        "to_tier",
        "reason",
        "rests_on",
        "thresholds",
        "promoter",
        "moved_at",
    ]
    readonly_fields = ["chunk", "rests_on", "thresholds", "moved_at"]
    ordering = ["-id"]
    list_before_template = "admin/memory/candidates_link.html"

    def get_urls(self) -> list[URLPattern]:
        candidates = path("candidates/", self.admin_site.admin_view(candidates_view), name="memory_candidates")
        return [candidates, *super().get_urls()]

    def story_of(self, row: Promotion) -> uuid.UUID:
        return row.chunk_id

    @admin.display(description="Chunk")
    def chunk(self, row: Promotion) -> SafeString:
        """Links to the chunk's page."""
        return _chunk_link(row.chunk_id)

    @admin.display(description="Time (UTC)")
    def moved_at(self, row: Promotion) -> str:
        """The time of the move."""
        return f"{row.at:%Y-%m-%d %H:%M}"

    @admin.display(description="Evidence")
    def rests_on(self, row: Promotion) -> str:
        """The evidence, as text."""
        return evidence_in_words(row.evidence)

    @admin.display(description="Thresholds at that time")
    def thresholds(self, row: Promotion) -> str:
        """The thresholds of the evaluation."""
        return ", ".join(f"{name} {value}" for name, value in row.evidence.get("thresholds", {}).items())


class CandidatesForm(forms.Form):
    """Which candidates to show."""

    tier = forms.ChoiceField(
        label="Tier", required=False, choices=[("", "any"), *Tier.choices], widget=UnfoldAdminSelectWidget
    )
    would_move = forms.ChoiceField(
        label="Would it move?",
        required=False,
        choices=[("", "either"), ("true", "moves with the next run"), ("false", "stays")],
        widget=UnfoldAdminSelectWidget,
    )


def candidates_view(request: HttpRequest) -> HttpResponse:
    """Show how the promotion rules evaluate memory that was used: what would move, what would not, and why."""
    viewer = principal_of(request)
    if not viewer.reads_all_edits:
        raise PermissionDenied
    form = CandidatesForm(request.GET)
    wanted: dict[str, Any] = form.cleaned_data if form.is_valid() else {}
    before = None
    with suppress(ValueError):
        before = uuid.UUID(request.GET.get("before", ""))
    asked = {"tier": wanted.get("tier"), "would_move": {"true": True, "false": False}.get(wanted.get("would_move", ""))}
    found, last = queries.candidates(viewer, asked, before=before, limit=MAX_LISTED)
    rows = []
    for one in found:
        evidence = json.loads(one.evidence or "{}")
        rows.append(
            {
                "chunk": _chunk_link(one.chunk_id),
                "tier": one.tier,
                "wanted_tier": one.wanted_tier,
                "moves": one.failed is None,
                "why": lack_of(one.failed, evidence),
                "rests_on": evidence_in_words(evidence),
                "at": one.at,
                "due_at": one.due_at,
            }
        )
    filters = {name: value for name, value in wanted.items() if value}
    context = {
        **site.each_context(request),
        "title": "Promotion candidates",
        "form": form,
        "rows": rows,
        "older": urlencode({**filters, "before": last}) if last else "",
    }
    return TemplateResponse(request, "admin/memory/candidates.html", context)
