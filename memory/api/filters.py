"""What lists can be narrowed by. An unknown or malformed parameter is a 400, not a filter that is ignored."""

from datetime import datetime
from typing import Any

import django_filters
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from governance.http.pagination import PAGE_PARAMETERS
from governance.http.serializers import Instant
from governance.models import Channel
from memory.models import EffectiveChunk, Event, Kind, Scope, Tier


class InstantFilter(django_filters.CharFilter):  # type: ignore[misc] # the package has no types
    """A moment with its offset; `since` is inclusive, `until` exclusive."""

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        if not value:
            return qs
        narrowed: QuerySet[Any] = super().filter(qs, instant(self.parameter, value))
        return narrowed

    def __init__(self, *, parameter: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.parameter = parameter


class _ScopedFilter(django_filters.FilterSet):  # type: ignore[misc] # the package has no types
    scope = django_filters.ChoiceFilter(choices=Scope.choices)
    subject_type = django_filters.CharFilter()
    subject_id = django_filters.CharFilter()
    project_id = django_filters.CharFilter()
    session_id = django_filters.CharFilter()
    since = InstantFilter(parameter="since", field_name="ts", lookup_expr="gte")
    until = InstantFilter(parameter="until", field_name="ts", lookup_expr="lt")


class ChunkFilter(_ScopedFilter):
    tier = django_filters.ChoiceFilter(choices=Tier.choices)

    class Meta:
        model = EffectiveChunk
        fields: list[str] = []


class EventFilter(_ScopedFilter):
    kind = django_filters.ChoiceFilter(choices=Kind.choices)
    actor_id = django_filters.CharFilter()

    class Meta:
        model = Event
        fields: list[str] = []


def filter_values(filter_class: type[_ScopedFilter], request: Request) -> dict[str, Any]:
    """The filters of the query string by name, checked, for a gate function. Raises as `filtered` does."""
    _require_known(_known_to(filter_class), request)
    checked = filter_class(request.query_params, queryset=EffectiveChunk.objects.none(), request=request)
    _require_valid(checked)
    values: dict[str, Any] = {name: value or None for name, value in checked.form.cleaned_data.items()}
    for name in ("since", "until"):
        if values[name]:
            values[name] = instant(name, values[name])
    return values


def instant(parameter: str, text: str) -> datetime:
    """The moment that a parameter names. Raises ValidationError."""
    try:
        return Instant().to_internal_value(text)
    except ValidationError as error:
        raise ValidationError({parameter: error.detail}) from None


def _known_to(filter_class: type[_ScopedFilter]) -> frozenset[str]:
    return frozenset(filter_class.base_filters) | PAGE_PARAMETERS | AUDIENCE_PARAMETERS


def _require_known(known: frozenset[str], request: Request) -> None:
    unknown = {name: ["Unknown parameter."] for name in request.query_params if name not in known}
    if unknown:
        raise ValidationError(unknown)


def _require_valid(checked: _ScopedFilter) -> None:
    if not checked.is_valid():
        raise ValidationError({name: [str(text) for text in texts] for name, texts in checked.errors.items()})


#: Read by the views themselves: they decide who is listening.
AUDIENCE_PARAMETERS = frozenset({"channel", "include_quarantined"})


def filtered(filter_class: type[_ScopedFilter], request: Request, rows: QuerySet[Any]) -> QuerySet[Any]:
    """`rows` narrowed by the query string. Raises ValidationError for an unknown or malformed parameter."""
    _require_known(_known_to(filter_class), request)
    narrowed = filter_class(request.query_params, queryset=rows, request=request)
    _require_valid(narrowed)
    found: QuerySet[Any] = narrowed.qs
    return found


def audience_of(request: Request) -> dict[str, Any]:
    """`channel` and `include_quarantined` of the query string. Raises ValidationError."""
    channel = request.query_params.get("channel")
    if channel is not None and channel not in Channel.values:
        raise ValidationError({"channel": [f"One of {', '.join(Channel.values)}."]})
    quarantined = request.query_params.get("include_quarantined", "false").lower()
    if quarantined not in {"true", "false"}:
        raise ValidationError({"include_quarantined": ["true or false."]})
    return {"channel": channel, "include_quarantined": quarantined == "true"}


def only_audience_of(request: Request) -> dict[str, Any]:
    """As `audience_of`, for a view that reads nothing else. Raises ValidationError for any other parameter too."""
    _require_known(AUDIENCE_PARAMETERS, request)
    return audience_of(request)
