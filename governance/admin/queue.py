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

from governance.acting.principals import Principal
from governance.admin.filters import ExactFilter, actor_ids, id_in
from governance.admin.site import principal_of
from governance.admin.waiting import Rows, decidable, pending, stale
from governance.edits import targets
from governance.models import Edit, EditState

ALL = "all"


@dataclass(frozen=True, slots=True)
class View:
    """A saved view of the queue: a tab, which edits it shows, and the text for an empty list."""

    name: str
    title: str
    narrow: Callable[[Rows, Principal], Rows]
    empty: str


VIEWS = {
    view.name: view
    for view in (
        View(
            "mine",
            "For me to decide",
            decidable,
            "No edit waits for your decision. Edits that need a person's approval appear here, oldest first.",
        ),
        View("pending", "All pending", lambda rows, _: pending(rows), "No edit is pending."),
        View(
            "second",
            "Waiting for a second approval",
            lambda rows, _: pending(rows).filter(state__approvals__gte=1),
            "No edit has one of two approvals.",
        ),
        View(
            "proposed",
            "Proposed by me",
            lambda rows, principal: pending(rows).filter(proposed_by=principal.id),
            "None of your proposals is pending. To propose an edit, use POST /api/v1/edits.",
        ),
        View(
            "stale",
            "Stale",
            stale,
            "No pending edit is stale: no target has changed since its edit was proposed.",
        ),
    )
}


def default_view(principal: Principal) -> str:
    """The view that the queue opens with."""
    return "mine" if principal.may_decide else "pending"


class TargetTypeFilter(admin.SimpleListFilter):
    """Edits of one kind of target."""

    title = "target type"
    parameter_name = "target_type__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name.capitalize()) for name in targets.names()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(target_type=self.value()) if self.value() else queryset


class ViewFilter(admin.SimpleListFilter):
    """The tabs above the list; the panel of filters also offers the statuses of decided edits."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        decided = [
            (value, str(label)) for value, label in EditState.Status.choices if value != EditState.Status.PENDING
        ]
        self.chosen = chosen_view(request)
        return [*((view.name, view.title) for view in VIEWS.values()), *decided, (ALL, "All")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        for value, title in self.lookup_choices:
            yield {
                "selected": value == self.chosen,
                "query_string": changelist.get_query_string({self.parameter_name: value}),
                "display": title,
            }

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        if self.chosen == ALL:
            return queryset
        if self.chosen in VIEWS:
            return VIEWS[self.chosen].narrow(queryset, principal_of(request))
        return queryset.filter(state__status=self.chosen)


def chosen_view(request: HttpRequest) -> str:
    """The tab of the request, or the default one."""
    return request.GET.get(ViewFilter.parameter_name) or default_view(principal_of(request))


class AgeFilter(admin.SimpleListFilter):
    """Edits proposed at least this many days ago."""

    title = "age"
    parameter_name = "older"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "A day or more"), ("7", "A week or more"), ("21", "Three weeks or more")]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        days = self.value()
        if days is None or not days.isdecimal():
            return queryset
        return queryset.filter(state__created_at__lt=timezone.now() - timedelta(days=min(int(days), 36_500)))


class ProposerFilter(ExactFilter):
    title = "proposer"
    parameter_name = "proposer"

    def condition(self, principal: Principal, value: str) -> Q:
        return Q(proposed_by__in=actor_ids(principal.tenant_id, value))


class BatchFilter(ExactFilter):
    title = "batch id"
    parameter_name = "batch"

    def condition(self, principal: Principal, value: str) -> Q:
        batch = id_in(value)
        return Q(pk__in=[]) if batch is None else Q(batch_id=batch)


def indexed(rows: Rows, text: str, principal: Principal) -> Rows | None:
    """The edit or the edits of a target if `text` is an id; those of a proposer if it is a complete name. None for
    other text, which is searched in every row."""
    if (one := id_in(text)) is not None:
        return rows.filter(Q(target_id=one) | Q(id=one))
    if text and (ids := actor_ids(principal.tenant_id, text)):
        return rows.filter(proposed_by__in=ids)
    return None


def neighbours(edit: Edit, principal: Principal) -> tuple[uuid.UUID | None, uuid.UUID | None]:
    """The ids of the edits before and after `edit` in the default queue."""
    everything = Edit.objects.filter(tenant_id=principal.tenant_id).exclude(pk=edit.pk)
    rows = VIEWS[default_view(principal)].narrow(everything, principal)
    here = edit.state.created_at
    before = rows.filter(Q(state__created_at__lt=here) | Q(state__created_at=here, id__lt=edit.pk))
    after = rows.filter(Q(state__created_at__gt=here) | Q(state__created_at=here, id__gt=edit.pk))
    return (
        before.order_by("-state__created_at", "-id").values_list("id", flat=True).first(),
        after.order_by("state__created_at", "id").values_list("id", flat=True).first(),
    )
