"""Filters of long lists: by time (using the ids), actor and target."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import TextFilter
from unfold.widgets import UnfoldAdminTextInputWidget

from governance.acting.principals import Principal
from governance.admin.site import principal_of
from governance.edits import provenance
from governance.models import Agent, Edit, Membership, first_id_of
from governance.refusals import Fault, Invalid


class _TimeForm(forms.Form):
    """A time field with the browser's calendar."""

    def __init__(self, name: str, label: str, data: dict[str, str | None]) -> None:
        super().__init__(data)
        widget = UnfoldAdminTextInputWidget(attrs={"type": "datetime-local"})
        self.fields[name] = forms.CharField(label=label, required=False, widget=widget)


class NotATime(Invalid):
    """This is not a time. Write it like 2026-11-22T14:30. It is UTC unless you add an offset."""


class TimeFilter(TextFilter):  # type: ignore[misc] # Unfold has no types
    """Rows made before or after a time (ISO 8601, UTC unless it has an offset)."""

    form_class = _TimeForm

    def condition(self, moment: datetime) -> Q:
        """The condition on the rows."""
        raise NotImplementedError

    def value(self) -> str | None:
        """The value in the calendar's format, with a time."""
        moment = self._moment()
        return moment.strftime("%Y-%m-%dT%H:%M") if moment else None

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        moment = self._moment()
        return queryset if moment is None else queryset.filter(self.condition(moment))

    def _moment(self) -> datetime | None:
        text = super().value()
        return moment_in(text, self.parameter_name) if text else None


class SinceFilter(TimeFilter):
    """Rows made at this time or later. Ids are in order of time."""

    title = "time: since (UTC)"
    parameter_name = "since"

    def condition(self, moment: datetime) -> Q:
        return Q(id__gte=first_id_of(moment))


class UntilFilter(TimeFilter):
    """Rows made before this time. Ids are in order of time."""

    title = "time: until (UTC)"
    parameter_name = "until"

    def condition(self, moment: datetime) -> Q:
        return Q(id__lt=first_id_of(moment))


class ExactFilter(TextFilter):  # type: ignore[misc] # Unfold has no types
    """A text field that shows the matching rows."""

    #: Whether only the newest matching rows were looked up: then the list cannot be exported.
    is_cut = False

    def condition(self, principal: Principal, value: str) -> Q:
        """The condition on the rows for a non-empty value."""
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = (self.value() or "").strip()
        return queryset.filter(self.condition(principal_of(request), value)) if value else queryset


class TargetFilter(ExactFilter):
    """Rows about one record, by its id."""

    title = "target id"
    parameter_name = "target"

    def condition(self, principal: Principal, value: str) -> Q:
        target = id_in(value)
        return Q(pk__in=[]) if target is None else Q(target_id=target)


class SubjectFilter(ExactFilter):
    """Rows about records of one subject."""

    title = "subject id"
    parameter_name = "subject"

    def condition(self, principal: Principal, value: str) -> Q:
        return provenance.targets_about(principal, provenance.About(subject=value))


class ProjectFilter(ExactFilter):
    """Rows about records of one project."""

    title = "project id"
    parameter_name = "project"

    def condition(self, principal: Principal, value: str) -> Q:
        return provenance.targets_about(principal, provenance.About(project=value))


class OfEdits:
    """Mixin before one of the filters above: it applies the filter's condition on edits to rows that belong to
    edits."""

    def condition(self, principal: Principal, value: str) -> Q:
        of_edits: Q = super().condition(principal, value)  # type: ignore[misc] # of the filter it goes before
        return Q(edit_id__in=Edit.objects.filter(of_edits, tenant_id=principal.tenant_id).values("id"))


def moment_in(text: str, parameter: str) -> datetime:
    """Parse `text` as a time in UTC; times before 1970, the start of ids, become 1970. Raises NotATime, naming the
    parameter."""
    try:
        moment = datetime.fromisoformat(text)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise NotATime(errors=[Fault(parameter=parameter, detail=f"{text[:40]!r} is not a time.")]) from None
    return max(moment, datetime(1970, 1, 1, tzinfo=UTC))


def id_range(request: HttpRequest) -> tuple[UUID | None, UUID | None]:
    """The half-open range of ids that SinceFilter and UntilFilter allow."""
    since, until = (
        moment_in(text, one.parameter_name) if (text := request.GET.get(one.parameter_name)) else None
        for one in (SinceFilter, UntilFilter)
    )
    return first_id_of(since) if since else None, first_id_of(until) if until else None


def id_in(text: str) -> UUID | None:
    """Parse `text` as an id; None if it is not one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def actor_ids(tenant_id: UUID, name: str) -> list[UUID]:
    """The ids of the agent and the member with this name; names are unique among each."""
    agents = Agent.objects.filter(tenant_id=tenant_id, slug=name).values_list("id", flat=True)
    members = Membership.objects.filter(tenant_id=tenant_id, user__username=name).values_list("user_id", flat=True)
    return [*agents, *dict.fromkeys(members)]
