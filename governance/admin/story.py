"""The history of one record, agent or person, in order: proposals, verdicts, writes and reads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.safestring import SafeString

from governance.acting.principals import Principal
from governance.admin import rendering
from governance.admin.site import principal_of, site
from governance.edits import provenance
from governance.ledger import db, entry_types
from governance.models import AccessRecord, Agent, Edit, Entry, User, Verdict

#: The page shows this many of the newest acts of each kind; the lists have all.
ACTS_AT_MOST = 200


@dataclass(frozen=True, slots=True)
class Act:
    """One line of a story."""

    at: datetime
    actor: str
    what: str
    detail: SafeString
    link: str


#: The acts of one app about an id: `source(tenant_id, what)`, called within the tenant.
ActSource = Callable[[UUID, UUID], Iterable[Act]]

_sources: list[ActSource] = []


def register(source: ActSource) -> None:
    """Register a source of acts about an app's records; called once by the app's admin."""
    _sources.append(source)


def story_view(request: HttpRequest, what: UUID) -> HttpResponse:
    """The page of one id. Raises Http404 for an id without acts in the tenant."""
    principal = principal_of(request)
    if not principal.reads_all_edits:
        raise PermissionDenied
    acts = _acts(principal, what)
    acts += [act for source in _sources for act in source(principal.tenant_id, what)]
    if not acts:
        raise Http404
    context = {
        **site.each_context(request),
        "title": f"Story of {_name(principal.tenant_id, what)}",
        "acts": sorted(acts, key=lambda act: act.at),
        "what": what,
        "acts_at_most": ACTS_AT_MOST if len(acts) >= ACTS_AT_MOST else None,
        "entries": f"{reverse('admin:governance_entry_changelist')}?mentions={what}",
        "accesses": f"{reverse('admin:governance_accessrecord_changelist')}?target={what}",
    }
    return TemplateResponse(request, "admin/governance/story.html", context)


def _acts(principal: Principal, what: UUID) -> list[Act]:
    tenant_id = principal.tenant_id
    edits = Edit.objects.filter(tenant_id=tenant_id, target_id=what).order_by("-id")[:ACTS_AT_MOST]
    of_edits = [edit.id for edit in edits]
    verdicts = Verdict.objects.filter(tenant_id=tenant_id, edit_id__in=of_edits).select_related("edit")
    acts = [
        Act(
            edit.created_at,
            f"{edit.proposer_kind} {edit.proposer}",
            f"proposed {edit.op}",
            rendering.shown(edit.reason),
            reverse("admin:governance_edit_change", args=[edit.id]),
        )
        for edit in edits
    ]
    acts += [
        Act(
            verdict.decided_at,
            verdict.decider,
            f"{verdict.decision} {verdict.edit.op}",
            rendering.shown(verdict.reason),
            reverse("admin:governance_edit_change", args=[verdict.edit_id]),
        )
        for verdict in verdicts
    ]
    accesses = AccessRecord.objects.filter(tenant_id=tenant_id, target_id=what).order_by("-at")[:ACTS_AT_MOST]
    acted = AccessRecord.objects.filter(tenant_id=tenant_id, actor_id=what).order_by("-at")[:ACTS_AT_MOST]
    acts += [
        Act(
            row.at,
            f"{row.actor_kind} {row.actor}",
            row.action if row.outcome == AccessRecord.Outcome.ALLOWED else f"{row.action} (refused)",
            rendering.shown(row.target_type),
            reverse("admin:governance_accessrecord_change", args=[row.id]),
        )
        for row in (*accesses, *acted)
    ]
    # The edits and verdicts above already show these acts, with their reasons.
    shown = {"edit.proposed", "edit.approved", "edit.rejected", "edit.withdrawn", "edit.expired"} if of_edits else set()
    meant = [str(one) for one in provenance.with_holders(what, principal)]
    found = db.entries_mentioning(tenant=tenant_id, what=meant, first=None, end=None, limit=ACTS_AT_MOST)
    entries = Entry.objects.filter(tenant_id=tenant_id, id__in=found).exclude(type__in=shown)
    return acts + [_act_of(entry) for entry in entries]


def _act_of(entry: Entry) -> Act:
    actor: dict[str, Any] = entry.metadata.get("actor") or {}
    return Act(
        entry.ts,
        f"{actor.get('kind', '')} {actor.get('name', '')}".strip(),
        entry_types.label_of(entry.type),
        rendering.shown(str(entry.metadata.get("reason", ""))),
        reverse("admin:governance_entry_change", args=[entry.id]),
    )


def _name(tenant_id: UUID, what: UUID) -> str:
    """The name of an agent or member, the label of an edit, or the end of any other id."""
    if agent := Agent.objects.filter(tenant_id=tenant_id, id=what).first():
        return f"agent {agent.slug}"
    if user := User.objects.filter(memberships__tenant_id=tenant_id, id=what).distinct().first():
        return user.username
    if edit := Edit.objects.filter(tenant_id=tenant_id, id=what).first():
        return f"{edit.op} of {edit.target_type} …{str(edit.target_id)[-8:]}"
    return f"…{str(what)[-8:]}"
