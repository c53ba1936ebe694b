"""Filters of long lists: by time, along the ids, and by who acted. Each is answered by an index."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import TextFilter
from unfold.widgets import UnfoldAdminTextInputWidget

from governance.models import Agent, Membership, first_id_of


class _TimeForm(forms.Form):
    """A moment to fill in, with the browser's own calendar."""

    def __init__(self, name: str, label: str, data: dict[str, str | None]) -> None:
        super().__init__(data)
        widget = UnfoldAdminTextInputWidget(attrs={"type": "datetime-local"})
        self.fields[name] = forms.CharField(label=label, required=False, widget=widget)


class _TimeFilter(TextFilter):  # type: ignore[misc] # Unfold has no types
    """Rows made before or after a moment (ISO 8601, UTC unless it says otherwise). Their ids are in order of time."""

    form_class = _TimeForm
    lookup = ""

    def value(self) -> str | None:
        """As the calendar wants it: with a time."""
        moment = self._moment()
        return moment.strftime("%Y-%m-%dT%H:%M") if moment else super().value()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not super().value():
            return queryset
        moment = self._moment()
        return queryset.filter(**{self.lookup: first_id_of(moment)}) if moment else queryset.none()

    def _moment(self) -> datetime | None:
        try:
            moment = datetime.fromisoformat(super().value() or "")
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC) if moment.year >= 1970 else None  # no id is older


class SinceFilter(_TimeFilter):
    title = "time: since (UTC)"
    parameter_name = "since"
    lookup = "id__gte"


class UntilFilter(_TimeFilter):
    title = "time: until (UTC)"
    parameter_name = "until"
    lookup = "id__lt"


def actor_ids(tenant_id: UUID, name: str) -> list[UUID]:
    """The ids of the agent and the member of that name; names are unique among each."""
    agents = Agent.objects.filter(tenant_id=tenant_id, slug=name).values_list("id", flat=True)
    members = Membership.objects.filter(tenant_id=tenant_id, user__username=name).values_list("user_id", flat=True)
    return [*agents, *dict.fromkeys(members)]
