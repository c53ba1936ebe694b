"""The memory browser: what an agent would find in a channel, beside the original text."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from governance import text
from governance.acting import gate
from governance.acting.principals import Principal
from governance.admin import rendering
from governance.admin.fields import TextField
from governance.admin.site import principal_of, site
from governance.database.typed_calls import select
from governance.edits import diffs
from governance.ledger import access
from governance.models import Agent, Channel
from memory.models import Scope
from memory.queries import chunks
from memory.queries.rows import ChunkRow, FoundChunk
from memory.queries.search import search

MAX_FOUND = 50


@dataclass(frozen=True, slots=True)
class BrowsedChunk:
    """A chunk as the agent would read it, with the differences from the original text marked."""

    chunk: ChunkRow | FoundChunk
    effective: Any
    original: Any
    is_changed: bool


@dataclass(frozen=True, slots=True)
class _OriginalText:
    """The recorded text of a chunk."""

    id: uuid.UUID
    body: str


def _identifier(label: str) -> TextField:
    return TextField(text.IDENTIFIER, label=label, required=False, strip=True, widget=UnfoldAdminTextInputWidget)


class BrowserForm(forms.Form):
    """The agent to view as, its channel, and the query. Without a query, the newest chunks are listed."""

    agent = forms.ChoiceField(label="View as agent", widget=UnfoldAdminSelectWidget)
    channel = forms.ChoiceField(
        label="In channel",
        required=False,
        choices=[("", "every channel of its key"), *Channel.choices],
        widget=UnfoldAdminSelectWidget,
    )
    query = TextField(text.QUERY, label="Words", required=False, strip=True, widget=UnfoldAdminTextInputWidget)
    scope = forms.ChoiceField(required=False, choices=[("", "any"), *Scope.choices], widget=UnfoldAdminSelectWidget)
    subject_type = _identifier("Subject type")
    subject_id = _identifier("Subject")
    project_id = _identifier("Project")
    session_id = _identifier("Session")
    include_quarantined = forms.BooleanField(label="Include quarantined", required=False, widget=UnfoldBooleanWidget)
    include_archived = forms.BooleanField(label="Include archived", required=False, widget=UnfoldBooleanWidget)

    def __init__(self, data: Any, agents: list[Agent]) -> None:
        super().__init__(data)
        self.agents = {str(agent.id): agent for agent in agents}
        self.fields["agent"].choices = [(str(agent.id), agent.slug) for agent in agents]  # type: ignore[attr-defined] # a ChoiceField

    def clean(self) -> dict[str, Any]:
        """Add an error for a channel that the agent may not use."""
        cleaned: dict[str, Any] = super().clean() or {}
        agent = self.agents.get(cleaned.get("agent", ""))
        if agent and cleaned.get("channel") and cleaned["channel"] not in agent.channels:
            self.add_error("channel", f"{agent.slug} can only use these channels: {', '.join(agent.channels)}.")
        return cleaned


def browse_view(request: HttpRequest) -> HttpResponse:
    """Show the form and, with an agent chosen, what it finds. Every view writes an access record."""
    viewer = principal_of(request)
    if not viewer.reads_all_edits:
        raise PermissionDenied
    agents = list(Agent.objects.filter(tenant_id=viewer.tenant_id, is_active=True).order_by("slug"))
    form = BrowserForm(request.GET or None, agents)
    browsed: list[BrowsedChunk] | None = None
    if form.is_valid():
        browsed = _browse(viewer, form.agents[form.cleaned_data["agent"]], form.cleaned_data)
    context = {
        **site.each_context(request),
        "title": "Memory browser",
        "form": form,
        "has_agents": bool(agents),
        "seen": browsed,
        "may_correct": viewer.may_decide,
    }
    return TemplateResponse(request, "admin/memory/browser.html", context)


def _browse(viewer: Principal, agent: Agent, wanted: dict[str, Any]) -> list[BrowsedChunk]:
    # the access is the viewer's, limited to what the agent may see
    as_agent = replace(viewer, channels=tuple(agent.channels))
    flags = ("include_quarantined", "include_archived")
    options = {"channel": wanted["channel"] or None, **{name: wanted[name] for name in flags}}
    filters = {name: wanted[name] or None for name in chunks.FILTERS}
    if wanted["query"]:
        found: Sequence[ChunkRow | FoundChunk] = search(
            as_agent, wanted["query"], limit=MAX_FOUND, filters=filters, **options
        ).chunks
    else:
        found = chunks.listed(as_agent, filters=filters, before=None, limit=MAX_FOUND, **options)
    access.log(
        "memory.browsed",
        actor=viewer,
        target_type="agent",
        target_id=agent.id,
        details={"channel": options["channel"], "chunks": [str(chunk.chunk_id) for chunk in found]},
    )
    originals = _originals(viewer, [chunk.chunk_id for chunk in found])
    return [_compared(chunk, originals.get(chunk.chunk_id)) for chunk in found]


def _compared(chunk: ChunkRow | FoundChunk, original: str | None) -> BrowsedChunk:
    if original is None or original == chunk.text:
        return BrowsedChunk(chunk, rendering.shown(chunk.text), None, is_changed=False)
    pieces = diffs.word_diff(original, chunk.text)
    return BrowsedChunk(chunk, rendering.after_side(pieces), rendering.before_side(pieces), is_changed=True)


def _originals(viewer: Principal, chunk_ids: list[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The recorded texts, over the review connection, the only one that may read them."""
    with gate.acting_as(viewer, using="review"):
        rows = select(
            _OriginalText,
            "SELECT k.id, span_of(c.body, k.span_start, k.span_end) AS body FROM memory_chunk k"
            " JOIN governance_content c ON c.tenant_id = k.tenant_id AND c.id = k.content_id"
            " WHERE k.tenant_id = %s AND k.id = ANY (%s)",
            [viewer.tenant_id, chunk_ids],
            using="review",
        )
    return {row.id: row.body for row in rows}
