"""Serializers that take nothing they do not know, and the two fields that every body uses."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.utils.serializer_helpers import BindingDict

from governance import body
from governance.text import TextRule

#: What JSON must have for a field, where DRF would convert a text.
_JSON_TYPES: tuple[tuple[type[serializers.Field[Any, Any, Any, Any]], tuple[type, ...], str], ...] = (
    (serializers.IntegerField, (int,), "A valid integer is required."),
    (serializers.FloatField, (int, float), "A valid number is required."),
    (serializers.DecimalField, (int, float, Decimal), "A valid number is required."),
    (serializers.BooleanField, (bool,), "Must be true or false."),
)


def _with_choices(field: Any, value: Any, found: Any) -> Any:
    if not isinstance(field, serializers.ChoiceField) or not isinstance(found, list):
        return found
    return [
        ErrorDetail(body.no_choice(value, field.choices), code=one.code) if one.code == "invalid_choice" else one
        for one in found
    ]


def _item(data: Any, name: str, place: Any) -> Any:
    """The item of a list that an error is about."""
    items = data.get(name) if isinstance(data, Mapping) else None
    return items[place] if isinstance(items, list) and isinstance(place, int) and place < len(items) else None


@cache
def _fields_of(shape: "type[StrictSerializer]") -> BindingDict:
    return super(StrictSerializer, shape()).fields


# A field that is unknown or read-only is an error on that field, at every depth. (Not a docstring: drf-spectacular
# would describe every body with it.)
class StrictSerializer(serializers.Serializer[Any]):
    @cached_property
    def fields(self) -> BindingDict:
        # Once for the class. DRF copies every field for every request, which takes longer than to read a body with
        # them; reading leaves nothing in a field.
        if self.partial or self._context:
            return super().fields
        return _fields_of(type(self))

    def to_internal_value(self, data: Any) -> Any:
        """The validated values of `data`; raises ValidationError with the errors of all fields at once."""
        refused = {**self._mistyped(data), **self._refused(data)} if isinstance(data, Mapping) else {}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not isinstance(error.detail, dict):
                raise
            explained = {name: self._explained(name, data, found) for name, found in error.detail.items()}
            raise serializers.ValidationError({**explained, **refused}) from None
        if refused:
            raise serializers.ValidationError(refused)
        return value

    def _mistyped(self, data: Mapping[str, Any]) -> dict[str, list[ErrorDetail]]:
        """Texts in place of numbers and of true and false, which DRF would take for them."""
        found: dict[str, list[ErrorDetail]] = {}
        for name, field in self.fields.items():
            value = data.get(name)
            for kind, types, message in _JSON_TYPES:
                is_one = isinstance(value, types) and (kind is serializers.BooleanField or not isinstance(value, bool))
                if isinstance(field, kind) and value is not None and not is_one:
                    found[name] = [ErrorDetail(message, code="invalid")]
        return found

    def _explained(self, name: str, data: Any, found: Any) -> Any:
        """The errors of one field; one about a choice lists the choices."""
        field = self.fields.get(name)
        if isinstance(field, serializers.ListField) and isinstance(found, dict):
            return {place: _with_choices(field.child, _item(data, name, place), one) for place, one in found.items()}
        return _with_choices(field, data.get(name) if isinstance(data, Mapping) else None, found)

    def _refused(self, data: Mapping[str, Any]) -> dict[str, list[ErrorDetail]]:
        fields = self.fields
        unknown = body.unknown_fields([name for name in data if name not in fields])
        refused = {name: [ErrorDetail(detail, code="unknown-field")] for name, detail in unknown}
        for name, field in fields.items():
            if name in data and field.read_only:
                refused[name] = [ErrorDetail("Read-only field.", code="read-only")]
            elif name in data and isinstance(field, serializers.HiddenField):
                refused[name] = [ErrorDetail("Unknown field.", code="unknown-field")]
        return refused


# Parameters of an address: every value is a text there.
class QuerySerializer(StrictSerializer):
    """The parameters of an address, where a number is a text as everything is."""

    def _mistyped(self, data: Mapping[str, Any]) -> dict[str, list[ErrorDetail]]:
        return {}


class _Strict(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    target_class = StrictSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        """The schema of a body, which says that it takes no other field."""
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


class TextField(serializers.CharField):
    """Text of one kind (`governance.text`), kept exactly as it came."""

    def __init__(self, rule: TextRule, **kwargs: Any) -> None:
        self.rule = rule
        kwargs |= {"trim_whitespace": False, "max_length": rule.max_length, "allow_blank": rule.may_be_empty}
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        """`data` itself; raises ValidationError for no text (a number too) and for what the rule does not let in."""
        if fault := self.rule.fault_in(data):
            raise serializers.ValidationError(fault)
        return str(data)


class IdField(serializers.UUIDField):
    """A UUID in its text form. DRF's own field would take a number for one."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        """The UUID; raises ValidationError for anything but its text form."""
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


class Instant(serializers.DateTimeField):
    """A moment in ISO 8601 with its offset from UTC. A time without one is refused, not guessed."""

    def to_internal_value(self, value: Any) -> datetime:
        """The moment in UTC; raises ValidationError for any other text, a naive time, and any other type."""
        try:
            return body.moment(value)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None


def defaults_of(shape: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """The values of the fields that a body leaves out, as far as they have a default."""
    fields = shape().fields.items()
    return {name: field.default for name, field in fields if field.default is not serializers.empty}


def serializer_of(
    name: str,
    fields: Mapping[str, body.Field],
    *,
    doc: str,
    help_texts: Mapping[str, str],
    further: Mapping[str, serializers.Field[Any, Any, Any, Any]] = MappingProxyType({}),
) -> type[StrictSerializer]:
    """The serializer of a body whose fields the domain reads: what the schema shows of it. `doc` describes it there,
    and `further` are fields that are serializers already."""
    shown = {field: field_of(shape, help_text=help_texts.get(field)) for field, shape in fields.items()}
    return type(name, (StrictSerializer,), {"__doc__": doc, "__module__": __name__, **shown, **further})


def field_of(shape: body.Field, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    """The serializer's field of a field of the domain."""
    options["allow_null"] = shape.nullable
    if shape.default not in (None, ()):
        options["default"] = shape.default
    else:
        options["required"] = shape.required
    match shape:
        case body.Pattern():
            return serializers.RegexField(f"^{shape.pattern}$", max_length=shape.rule.max_length, **options)
        case body.Text():
            return TextField(shape.rule, **options)
        case body.Choice():
            return serializers.ChoiceField(list(shape.pairs()), **options)
        case body.Identity():
            return IdField(**options)
        case body.Base64():
            return serializers.CharField(**options)
        case body.WholeNumber() | body.Integer():
            return serializers.IntegerField(min_value=shape.least, max_value=shape.most, **options)
        case body.Flag() | body.Truth():
            return serializers.BooleanField(**options)
        case body.Moment():
            return Instant(**options)
        case body.ListOf():
            child = field_of(shape.child)
            return serializers.ListField(
                child=child, max_length=shape.max_length, allow_empty=shape.may_be_empty, **options
            )
        case body.AnyObject():
            return serializers.DictField(**options)
        case body.AnyValue():
            return serializers.JSONField(**options)
    raise TypeError(f"the schema has no field for {shape!r}")
