"""The one way to filter a list: a `ParameterFilter` names the parameters that its address takes, and refuses others.

Over the ORM, `filtered` narrows a QuerySet. Where a function of the gate filters, it is called with the `values`.
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
    """What is said of a parameter that nothing reads."""
    return Fault(parameter=name, detail="Unknown parameter.", code="unknown-parameter")


class _ParameterField(forms.Field):
    """An input field, in the form that django-filter makes of a list's parameters."""

    def __init__(self, *, shape: InputField, **options: Any) -> None:
        super().__init__(**options)
        self.shape = copy.deepcopy(shape)  # which looks the choices of a function up

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: a form copies its fields, because a form may change them. Nothing changes these."""
        return self

    def clean(self, value: Any) -> Any:
        """The value of the parameter, its default where it is absent. Raises ValidationError."""
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
        """A copy for one request. A filter set sets itself on its filters; nothing else of a parameter ever changes."""
        made = copy.copy(self)
        made.method = self.method  # the method looks for the filter set on its own filter, so it needs the copy
        return made


class ParameterFilter(django_filters.FilterSet):  # type: ignore[misc] # the package has no types
    """The parameters of an address. A subclass declares them."""

    #: What something else reads from the address.
    also_accepted: ClassVar[frozenset[str]] = PAGE_PARAMETERS
    _form_class: ClassVar[type[forms.Form]]

    def get_form_class(self) -> type[forms.Form]:
        """The form of these parameters, made once for all requests."""
        mine = type(self)
        if "_form_class" not in vars(mine):
            mine._form_class = super().get_form_class()
        return mine._form_class

    @classmethod
    def read(cls, request: Request, rows: "QuerySet[Any] | None" = None) -> "ParameterFilter":
        """The parameters of `request`, checked. Raises Invalid, naming each that is unknown or malformed."""
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
        """What the parameters mean, by name; what is absent by its default or as None."""
        return dict(self.form.cleaned_data)

    @classmethod
    def schema(cls) -> type[StrictSerializer]:
        """The parameters for drf-spectacular: `@extend_schema(parameters=[EditFilter.schema(), ...])`."""
        shapes = {name: one.shape for name, one in cls.base_filters.items()}
        return type(cls.__name__, (StrictSerializer,), {"__doc__": cls.__doc__, "__module__": __name__, **shapes})


def filtered(parameters: type[ParameterFilter], request: Request, rows: QuerySet[M]) -> QuerySet[M]:
    """`rows` narrowed as the address asks. Raises Invalid for an unknown or malformed parameter."""
    found: QuerySet[M] = parameters.read(request, rows).qs
    return found
