"""The queue's views and filters, and an edit's neighbours in it."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import TextFilter

from governance import provenance
from governance.admin.site import principal_of
from governance.admin.waiting import Rows, decidable, pending, stale
from governance.models import Edit, EditState
from governance.principals import Principal

ALL = "all"


@dataclass(frozen=True, slots=True)
class View:
    """A saved view of the queue: a tab, which edits it leaves, and what to say when none are."""

    name: str
    title: str
    narrow: Callable[[Rows, Principal], Rows]
    empty: str


VIEWS = {
    view.name: view
    for view in (
        View(
            "mine",
            "Mine to decide",
            decidable,
            "Nothing waits for you. Edits that the policy wants a person to approve appear here, oldest first.",
        ),
        View("pending", "All pending", lambda rows, _: pending(rows), "No edit waits for anybody."),
        View(
            "second",
            "Waiting for a second approval",
            lambda rows, _: pending(rows).filter(state__approvals__gte=1),
            "No edit has one approval of two.",
        ),
        View(
            "proposed",
            "Proposed by me",
            lambda rows, principal: pending(rows).filter(proposed_by=principal.id),
            "None of your proposals is pending. Propose one with POST /api/v1/edits.",
        ),
        View(
            "stale",
            "Stale",
            stale,
            "No target has changed since an edit of it was proposed.",
        ),
    )
}


def default_view(principal: Principal) -> str:
    """What the queue opens with."""
    return "mine" if principal.may_decide else "pending"


class ViewFilter(admin.SimpleListFilter):
    """The tabs above the list; beside them, in the panel of filters, what was decided."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        decided = [
            (value, str(label)) for value, label in EditState.Status.choices if value != EditState.Status.PENDING
        ]
        self.principal = principal_of(request)
        return [*((view.name, view.title) for view in VIEWS.values()), *decided, (ALL, "All")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        chosen = self.value() or default_view(self.principal)
        for value, title in self.lookup_choices:
            yield {
                "selected": value == chosen,
                "query_string": changelist.get_query_string({self.parameter_name: value}),
                "display": title,
            }

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        chosen = self.value() or default_view(self.principal)
        if chosen == ALL:
            return queryset
        if chosen in VIEWS:
            return VIEWS[chosen].narrow(queryset, self.principal)
        return queryset.filter(state__status=chosen)


class AgeFilter(admin.SimpleListFilter):
    """Proposed so long ago at least."""

    title = "age"
    parameter_name = "older"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "A day or more"), ("7", "A week or more"), ("21", "Three weeks or more")]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        days = self.value()
        if days is None or not days.isdecimal():
            return queryset
        return queryset.filter(state__created_at__lt=timezone.now() - timedelta(days=min(int(days), 36_500)))


class _Exactly(TextFilter):  # type: ignore[misc] # Unfold has no types
    """A field to fill in; what is found has exactly that value."""

    def condition(self, principal: Principal, value: str) -> Q:
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        value = (self.value() or "").strip()
        return queryset.filter(self.condition(principal_of(request), value)) if value else queryset


class ProposerFilter(_Exactly):
    title = "proposer"
    parameter_name = "proposer"

    def condition(self, principal: Principal, value: str) -> Q:
        return Q(proposer=value)


class SubjectFilter(_Exactly):
    title = "subject id"
    parameter_name = "subject"

    def condition(self, principal: Principal, value: str) -> Q:
        return provenance.targets_about(principal, subject=value)


class ProjectFilter(_Exactly):
    title = "project id"
    parameter_name = "project"

    def condition(self, principal: Principal, value: str) -> Q:
        return provenance.targets_about(principal, project=value)


class BatchFilter(_Exactly):
    title = "batch id"
    parameter_name = "batch"

    def condition(self, principal: Principal, value: str) -> Q:
        try:
            return Q(batch_id=uuid.UUID(value))
        except ValueError:
            return Q(pk__in=[])


def neighbours(edit: Edit, principal: Principal) -> tuple[uuid.UUID | None, uuid.UUID | None]:
    """The ids of the edits before and after `edit` in the queue that opens by default."""
    everything = Edit.objects.filter(tenant_id=principal.tenant_id).exclude(pk=edit.pk)
    rows = VIEWS[default_view(principal)].narrow(everything, principal)
    here = edit.state.created_at
    before = rows.filter(Q(state__created_at__lt=here) | Q(state__created_at=here, id__lt=edit.pk))
    after = rows.filter(Q(state__created_at__gt=here) | Q(state__created_at=here, id__gt=edit.pk))
    return (
        before.order_by("-state__created_at", "-id").values_list("id", flat=True).first(),
        after.order_by("state__created_at", "id").values_list("id", flat=True).first(),
    )
