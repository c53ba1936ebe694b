"""The page of a principal: its relations now, what it received, and what it reads about a subject and why not."""

import uuid
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminTextInputWidget

from governance import text
from governance.acting.principals import MalformedPrincipal, Principal, is_principal
from governance.admin import rendering
from governance.admin.fields import TextField
from governance.admin.site import principal_of, site
from governance.ledger import access
from governance.relations import listing
from governance.text import TextRule
from memory.audiences import simulating
from memory.models import Delivery, EffectiveChunk

MAX_SHOWN = 50
_WHY_NOT = {
    "audience": "outside the audience",
    "expired": "expired",
    "superseded": "superseded",
    "quarantined": "quarantined",
    "sensitivity": "too sensitive for any reader",
}


class PrincipalForm(forms.Form):
    """The principal, and the subject about which to show what it reads."""

    principal = TextField(TextRule(251), label="Principal", strip=True, widget=UnfoldAdminTextInputWidget)
    subject_type = TextField(
        text.IDENTIFIER, label="Subject type", required=False, strip=True, widget=UnfoldAdminTextInputWidget
    )
    subject_id = TextField(
        text.IDENTIFIER, label="Subject", required=False, strip=True, widget=UnfoldAdminTextInputWidget
    )

    def clean_principal(self) -> str:
        """The principal. Raises ValidationError unless it is type:id."""
        named: str = self.cleaned_data["principal"]
        if not is_principal(named):
            raise forms.ValidationError(MalformedPrincipal().detail)
        return named

    def clean(self) -> dict[str, Any]:
        """Add an error if one half of the subject is missing."""
        cleaned: dict[str, Any] = super().clean() or {}
        given = [name for name in ("subject_type", "subject_id") if cleaned.get(name)]
        if len(given) == 1:
            missing = "subject_id" if given == ["subject_type"] else "subject_type"
            self.add_error(missing, "A subject has a type and an id.")
        return cleaned


def principal_view(request: HttpRequest) -> HttpResponse:
    """Show the form and, with a principal named, its page. Every view writes an access record."""
    viewer = principal_of(request)
    if not viewer.reads_all_edits:
        raise PermissionDenied
    form = PrincipalForm(request.GET or None)
    context = {**site.each_context(request), "title": "What a principal reads", "form": form, "shown": form.is_valid()}
    if form.is_valid():
        wanted = form.cleaned_data
        context |= _page(viewer, wanted["principal"], wanted["subject_type"], wanted["subject_id"])
    return TemplateResponse(request, "admin/memory/principal.html", context)


def _page(viewer: Principal, named: str, subject_type: str, subject_id: str) -> dict[str, Any]:
    rows = []
    if subject_type:
        rows = simulating.readable_about(
            named, subject_type, subject_id, principal=viewer, before=None, limit=MAX_SHOWN
        )
    relations = listing.visible_relations(viewer).filter(listing.current(), principal=named)
    received = Delivery.objects.filter(tenant_id=viewer.tenant_id, on_behalf_of=named).order_by("-id")[:MAX_SHOWN]
    deliveries = [(_link(one.chunk_id), one.at, one.receiver, one.means) for one in received]
    access.log(
        "memory.browsed",
        actor=viewer,
        target_type="principal",
        details={"principal": named, "chunks": [str(row.chunk_id) for row in rows]},
    )
    return {
        "relations": relations.order_by("object", "relation")[:MAX_SHOWN],
        "deliveries": deliveries,
        "asked": bool(subject_type),
        "reading": [
            {
                "chunk": _link(row.chunk_id),
                "ts": row.ts,
                "text": rendering.shown(row.text or ""),
                "is_read": row.why is None,
                "why": _WHY_NOT.get(row.why or "", row.why) if row.why else ", ".join(row.because) or "has no audience",
            }
            for row in rows
        ],
        "at_most": MAX_SHOWN,
    }


def _link(chunk_id: uuid.UUID) -> SafeString:
    address = reverse("admin:memory_effectivechunk_change", args=[chunk_id])
    return format_html('<a class="underline" href="{}" title="{}">…{}</a>', address, chunk_id, str(chunk_id)[-8:])


def readers_of(chunk: EffectiveChunk) -> SafeString:
    """Who can read a chunk: links to the pages of the principals that hear
    every audience, and the usersets of each audience."""
    if not chunk.audience:
        return format_html("{}", "everyone who may read its channel")
    found = simulating.readers_of(chunk.id, tenant_id=chunk.tenant_id)
    names = format_html_join(
        ", ",
        '<a class="underline" href="{}?{}">{}</a>',
        ((reverse("admin:memory_principal"), urlencode({"principal": name}), name) for name in found.names),
    )
    asked = "; and ".join(" or ".join(usersets) for usersets, _ in found.audiences)
    return format_html("{} (for {})", names or "no principal now", asked)
