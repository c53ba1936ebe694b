"""Filters of lists: a `ParameterFilter` declares the query parameters of an address, and refuses others.

`filtered` narrows a QuerySet. A gate function that filters is called with the `values`.
"""

import copy
from typing import Any, ClassVar, Self, TypeVar

import django_filters
from django import forms
from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from governance.faults import Faults, invalid
from governance.http.pagination import PAGE_PARAMETERS
from governance.inputs import InputField, StrictSerializer
from governance.models import Tenant
from governance.refusals import Fault

M = TypeVar("M", bound=Model)


def unknown_parameter(name: str) -> Fault:
    """The fault of an unknown query parameter."""
    return Fault(parameter=name, detail="Unknown parameter.", code="unknown-parameter")


class _ParameterField(forms.Field):
    """An input field, as a form field for django-filter."""

    def __init__(self, *, shape: InputField, **options: Any) -> None:
        super().__init__(**options)
        self.shape = copy.deepcopy(shape)  # this evaluates choices that are a function

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the field itself. Forms copy their fields because they may change them; nothing changes these."""
        return self

    def clean(self, value: Any) -> Any:
        """The value of the parameter, or its default if it is absent. Raises ValidationError."""
        if value is None and not self.shape.required:
            return None if self.shape.default is serializers.empty else self.shape.default
        faults = Faults()
        meant = None
        if value is None:
            faults.add("", "This field is required.", "required")
        else:
            meant = self.shape.read(self.shape.parse(value), "", faults)
        if faults.found:
            raise forms.ValidationError(
                [forms.ValidationError(fault["detail"], code=fault["code"]) for fault in faults.found]
            )
        return meant


class Parameter(django_filters.Filter):  # type: ignore[misc] # the package has no types
    """One parameter, read by an input field. `field_name`, `lookup_expr` and `method` are django-filter's."""

    field_class = _ParameterField

    def __init__(self, shape: InputField, **options: Any) -> None:
        super().__init__(shape=shape, label="", **options)
        self.shape = shape

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A shallow copy for one request: a filter set sets itself on its filters, and nothing else ever changes."""
        made = copy.copy(self)
        made.method = self.method  # the method finds the filter set through its filter, so it must refer to the copy
        return made


class ParameterFilter(django_filters.FilterSet):  # type: ignore[misc] # the package has no types
    """The query parameters of an address. A subclass declares them."""

    #: Parameters that other code reads.
    also_accepted: ClassVar[frozenset[str]] = PAGE_PARAMETERS
    _form_class: ClassVar[type[forms.Form]]

    def get_form_class(self) -> type[forms.Form]:
        """The form of these parameters, created once for all requests."""
        mine = type(self)
        if "_form_class" not in vars(mine):
            mine._form_class = super().get_form_class()
        return mine._form_class

    @classmethod
    def read(cls, request: Request, rows: "QuerySet[Any] | None" = None) -> "ParameterFilter":
        """Check the parameters of `request`. Raises Invalid, naming each unknown or malformed one."""
        unknown = set(request.query_params) - set(cls.base_filters) - cls.also_accepted
        faults = [unknown_parameter(name) for name in sorted(unknown)]
        found = cls(request.query_params, Tenant.objects.none() if rows is None else rows, request=request)
        if not found.is_valid():
            for name, errors in found.form.errors.as_data().items():
                faults += [
                    Fault(parameter=name, detail=str(error.message), code=error.code or "invalid") for error in errors
                ]
        if faults:
            raise invalid(faults)
        return found

    @property
    def values(self) -> dict[str, Any]:
        """The values by parameter; absent ones have their default or None."""
        return dict(self.form.cleaned_data)

    @classmethod
    def schema(cls) -> type[StrictSerializer]:
        """The parameters for drf-spectacular: `@extend_schema(parameters=[EditFilter.schema(), ...])`."""
        shapes = {name: one.shape for name, one in cls.base_filters.items()}
        return type(cls.__name__, (StrictSerializer,), {"__doc__": cls.__doc__, "__module__": __name__, **shapes})


def filtered(parameters: type[ParameterFilter], request: Request, rows: QuerySet[M]) -> QuerySet[M]:
    """Filter `rows` by the query parameters. Raises Invalid for an unknown or malformed parameter."""
    found: QuerySet[M] = parameters.read(request, rows).qs
    return found
