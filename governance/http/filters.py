"""The one way to filter a list: a `ParameterFilter` names the parameters that its address takes, and refuses others.

Over the ORM, `filtered` narrows a QuerySet. Where a function of the gate filters, it is called with the `values`.
"""

import copy
from typing import Any, ClassVar, Self, TypeVar

import django_filters
from django import forms
from django.db.models import Model, QuerySet
from rest_framework.request import Request

from governance import body
from governance.http.pagination import PAGE_PARAMETERS
from governance.http.serializers import StrictSerializer, serializer_of
from governance.models import Tenant
from governance.refusals import Fault

M = TypeVar("M", bound=Model)


def unknown_parameter(name: str) -> Fault:
    """What is said of a parameter that nothing reads."""
    return Fault(parameter=name, detail="Unknown parameter.", code="unknown-parameter")


class _ParameterField(forms.Field):
    """A field of the domain, in the form that django-filter makes of a list's parameters."""

    def __init__(self, *, shape: body.Field, **options: Any) -> None:
        super().__init__(**options)
        self.shape = shape

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: a form copies its fields, because a form may change them. Nothing changes these."""
        return self

    def clean(self, value: Any) -> Any:
        """What the parameter means, its default where it is absent. Raises ValidationError."""
        if value is None:
            return self.shape.default
        faults = body.Faults()
        meant = self.shape.read(value, "", faults)
        if faults.found:
            raise forms.ValidationError(
                [forms.ValidationError(fault["detail"], code=fault["code"]) for fault in faults.found]
            )
        return meant


class Parameter(django_filters.Filter):  # type: ignore[misc] # the package has no types
    """One parameter, read as a field of the domain. `field_name` and `lookup_expr` are Django's; `method` as well."""

    field_class = _ParameterField

    def __init__(self, shape: body.Field, *, help_text: str | None = None, **options: Any) -> None:
        super().__init__(shape=shape, label="", **options)
        self.shape, self.help_text = shape, help_text

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy for one request. A filter set sets itself on its filters; nothing else of a parameter ever changes."""
        made = copy.copy(self)
        made.method = self.method  # the method looks for the filter set on its own filter, so it needs the copy
        return made


class ParameterFilter(django_filters.FilterSet):  # type: ignore[misc] # the package has no types
    """The parameters of a list. A subclass declares them; none of them is required."""

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
            raise body.invalid(faults)
        return found

    @property
    def values(self) -> dict[str, Any]:
        """What the parameters mean, by name; what is absent by its default or as None."""
        return dict(self.form.cleaned_data)

    @classmethod
    def schema(cls) -> type[StrictSerializer]:
        """The parameters for drf-spectacular: `@extend_schema(parameters=[EditFilter.schema(), ...])`."""
        shapes = {name: one.shape for name, one in cls.base_filters.items()}
        help_texts = {name: one.help_text for name, one in cls.base_filters.items() if one.help_text}
        return serializer_of(cls.__name__, shapes, doc=cls.__doc__ or "", help_texts=help_texts)


def filtered(parameters: type[ParameterFilter], request: Request, rows: QuerySet[M]) -> QuerySet[M]:
    """`rows` narrowed as the address asks. Raises Invalid for an unknown or malformed parameter."""
    found: QuerySet[M] = parameters.read(request, rows).qs
    return found
