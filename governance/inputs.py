"""Input validation: one declaration of a shape validates input and yields its schema for the API and the tools.

The declarations are serializers and fields of Django REST framework, so that drf-spectacular describes them. Their
`read` accepts only the exact JSON types (DRF accepts strings as numbers) and reports every fault with its place. It
does not depend on a request: services also read the lines of a file with it. For an event it takes a sixth of the time
of DRF's own validation, which would take a quarter of the time of recording the event.
"""

import base64
import binascii
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from django.core.validators import RegexValidator
from django.utils import timezone
from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import BindingDict

from governance.faults import MAX_FAULTS, Faults, hint, not_a_choice, unknown_fields
from governance.refusals import json_pointer
from governance.text import BLANK, NO_TEXT, TextRule

_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: A time in a leap second: the last of an hour, or of a quarter in some time zones.
_LEAP_SECOND = re.compile(r"(\d{4}-\d\d-\d\d[Tt ]\d\d:(?:59|29|14|44):)60((?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))")
Choices = Sequence[tuple[str, Any]]

#: How far the clock of a client may be ahead.
CLOCKS_DIFFER = timedelta(minutes=1)


class InputField(serializers.Field[Any, Any, Any, Any]):
    """A field that reads one JSON value. By default it checks the type, and DRF's validators do the rest."""

    json_types: ClassVar[tuple[type, ...]] = ()
    wrong_type: ClassVar[str] = ""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        """The Python value of `value`, which is not null. Adds faults to `faults`; then do not use the result."""
        if not isinstance(value, self.json_types) or (isinstance(value, bool) and bool not in self.json_types):
            faults.add(pointer, self.wrong_type)
            return None
        try:
            return self.run_validation(value)
        except serializers.ValidationError as error:
            for one in error.detail:
                faults.add(pointer, str(one), getattr(one, "code", "invalid").replace("_", "-"))
            return None

    def parse(self, parameter: str) -> Any:
        """The JSON value of the text of a query parameter."""
        return parameter


class IntegerField(InputField, serializers.IntegerField):
    """A whole number."""

    json_types = (int,)
    wrong_type = "A valid integer is required."

    def parse(self, parameter: str) -> Any:
        """The number, or the text if it is not a number."""
        # The length first: int() of a million digits takes seconds.
        return int(parameter) if len(parameter) <= 20 and re.fullmatch(r"-?[0-9]+", parameter) else parameter


class FloatField(InputField, serializers.FloatField):
    """A number."""

    json_types = (int, float)
    wrong_type = "A valid number is required."


class DecimalField(InputField, serializers.DecimalField):
    """A number with a fixed number of decimal places."""

    json_types = (int, float, Decimal)
    wrong_type = "A valid number is required."


class BooleanField(InputField, serializers.BooleanField):
    """`true` or `false`."""

    json_types = (bool,)
    wrong_type = "Must be true or false."

    def parse(self, parameter: str) -> Any:
        """The boolean, or the text if it is not a boolean."""
        return {"true": True, "false": False}.get(parameter.lower(), parameter)


class CharField(InputField, serializers.CharField):
    """A text that the server made itself, such as a cursor or a token."""

    json_types = (str,)
    wrong_type = NO_TEXT


class TextField(InputField, serializers.CharField):
    """Text of one kind (`governance.text`), kept unchanged but for the colours of a terminal."""

    def __init__(self, rule: TextRule, **options: Any) -> None:
        self.rule = rule
        options |= {"trim_whitespace": False, "max_length": rule.max_length, "allow_blank": rule.may_be_empty}
        super().__init__(**options)

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        value = self.rule.taken(value)
        if fault := self.rule.fault_in(value):
            faults.add(pointer, fault)
        return value


class PatternField(TextField):
    """A short text that matches a regular expression; `form` names the format in errors ("a media type")."""

    def __init__(self, rule: TextRule, pattern: str, form: str, **options: Any) -> None:
        super().__init__(rule, **options)
        self.pattern, self.form = re.compile(pattern), form
        self.validators = [*self.validators, RegexValidator(f"^{pattern}$")]  # for the schema

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if fault := self.rule.fault_in(value):
            faults.add(pointer, fault)
        elif not self.pattern.fullmatch(value):
            faults.add(pointer, f"Not {self.form}.")
        return value


class Base64Field(InputField, serializers.CharField):
    """Base64 text. It is not decoded."""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, str):
            faults.add(pointer, NO_TEXT)
        elif not value:
            faults.add(pointer, BLANK)
        else:
            try:
                base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError):
                faults.add(pointer, "Not base64.")
        return value


class ChoiceField(InputField, serializers.ChoiceField):
    """One of several choices: pairs of a value and a label, or a function that returns them when the field is used."""

    def __init__(self, choices: Choices | Callable[[], Choices], **options: Any) -> None:
        super().__init__(choices() if callable(choices) else choices, **options)

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, str) or value not in self.choices:
            faults.add(pointer, not_a_choice(value, self.choices), "invalid-choice")
        return value


class IdField(InputField, serializers.UUIDField):
    """A UUID in its text form."""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if isinstance(value, str):
            with suppress(ValueError):
                return uuid.UUID(value)
        faults.add(pointer, "Must be a valid UUID.")
        return None


class InstantField(InputField, serializers.DateTimeField):
    """A time in ISO 8601 with an offset, converted to UTC. With `reads_dates`, a date alone is its beginning in UTC."""

    def __init__(self, *, reads_dates: bool = False, **options: Any) -> None:
        self.reads_dates = reads_dates
        super().__init__(**options)

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        is_date = self.reads_dates and isinstance(value, str) and _DATE.fullmatch(value)
        try:
            return moment(f"{value}T00:00:00Z" if is_date else value)
        except ValueError as error:
            faults.add(pointer, str(error))
            return None


class PastField(InstantField):
    """A time that has come, or is a little ahead of the server, because clocks differ."""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        found = super().read(value, pointer, faults)
        if found is not None and found > timezone.now() + CLOCKS_DIFFER:
            faults.add(
                pointer,
                "This time is in the future, by more than a minute. Correct your machine's clock, or leave it out.",
            )
        return found


def moment(value: Any) -> datetime:
    """Convert an ISO 8601 time with an offset to UTC. A time without an offset is refused, not guessed. As in RFC 3339,
    T and Z may be small, and a leap second (:60) is the second after it.

    Raises ValueError with a message for the user.
    """
    try:
        if not isinstance(value, str):
            raise TypeError
        leap = _LEAP_SECOND.fullmatch(value)
        found = datetime.fromisoformat((f"{leap[1]}59{leap[2]}" if leap else value).upper())
        if leap:
            found = found.replace(microsecond=0) + timedelta(seconds=1)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("Not an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z.") from None
    raise ValueError("A time zone offset is missing: write 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+02:00.")


class JSONField(InputField, serializers.JSONField):
    """Any JSON value but null."""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        return value


class DictField(InputField, serializers.DictField):
    """A JSON object with any fields."""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, dict):
            faults.add(pointer, f'Expected a dictionary of items but got type "{type(value).__name__}".', "not-a-dict")
        return value


class ListField(InputField, serializers.ListField):
    """A list whose items are all read by one field."""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, list):
            faults.add(pointer, f'Expected a list of items but got type "{type(value).__name__}".', "not-a-list")
        elif not value and not self.allow_empty:
            faults.add(pointer, "This list may not be empty.", "empty")
        elif self.max_length is not None and len(value) > self.max_length:
            faults.add(pointer, f"Ensure this field has no more than {self.max_length} elements.", "max-length")
        elif not isinstance(self.child, JSONField):
            return [read_value(self.child, one, f"{pointer}/{index}", faults) for index, one in enumerate(value)]
        return value


def read_value(field: Any, value: Any, pointer: str, faults: Faults) -> Any:
    """Read `value` with a field or a shape; None for a null that it accepts. Adds its faults to `faults`."""
    if value is None:
        if not field.allow_null:
            faults.add(pointer, "This field may not be null.", "null")
        return None
    return field.read(value, pointer, faults)


@cache
def _fields_of(shape: "type[StrictSerializer]") -> BindingDict:
    return super(StrictSerializer, shape()).fields


@cache
def _listed(shape: "type[StrictSerializer]") -> dict[str, tuple[Any, bool, Any]]:
    """Each field by name, with whether it is required and its default."""
    return {name: (field, field.required, field.default) for name, field in _fields_of(shape).items()}


# Not a docstring: drf-spectacular would describe every body with it. A JSON object with these fields and no others.
class StrictSerializer(serializers.Serializer[Any]):
    #: The names that other systems use for a field, for the hint in an error.
    elsewhere: ClassVar[Mapping[str, Sequence[str]]] = MappingProxyType({})
    #: Other names of a field that tools read too (governance/tools/reading.py).
    also_named: ClassVar[Mapping[str, Sequence[str]]] = MappingProxyType({})
    #: The field that a tool reads from a list, or from a single value, in place of the object.
    stands_for: ClassVar[str | None] = None

    @cached_property
    def fields(self) -> BindingDict:
        # Cached on the class. DRF copies every field for every request, which takes longer than reading a body.
        # Reading does not change a field.
        return _fields_of(type(self))

    @classmethod
    def of(cls, data: Any, pointer: str = "") -> dict[str, Any]:
        """Read a request's body or parameters, or the part of it at `pointer`. Raises Invalid with every fault and its
        place."""
        faults = Faults()
        values = cls().read(data, pointer, faults)
        faults.raise_any()
        return values

    def read(self, value: Any, pointer: str, faults: Faults) -> dict[str, Any]:
        """The values of the object by field, with the defaults of absent fields. Adds faults to `faults`; then do not
        use the values."""
        if not isinstance(value, Mapping):
            faults.add(pointer, f"Invalid data. Expected a dictionary, but got {type(value).__name__}.")
            return {}
        before = len(faults.found)
        values: dict[str, Any] = {}
        fields = _listed(type(self))
        for name, (field, is_required, default) in fields.items():
            if name in value:
                values[name] = read_value(field, value[name], f"{pointer}/{name}", faults)
            elif is_required:
                faults.add(f"{pointer}/{name}", "This field is required.", "required")
            elif default is not serializers.empty:
                values[name] = default() if callable(default) else default
        unknown = [name for name in value if name not in fields]
        for name, fault in unknown_fields(unknown):
            # Only the listed faults need a hint.
            meant = hint(name, fields, self.elsewhere) if len(faults.found) < MAX_FAULTS else ""
            faults.add(f"{pointer}{json_pointer([name])}", f"{fault}{meant}", "unknown-field")
        if len(faults.found) == before:
            self.check(values, pointer, faults)
        return values

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Add faults that concern several fields. Called with the values of all fields, which it may change."""

    def run_validation(self, data: Any = serializers.empty) -> dict[str, Any]:
        """Called by DRF's `is_valid`; the same as `of`."""
        return self.of(data)


class _Strict(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    target_class = StrictSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        """The schema of a body, which allows no other field."""
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


def defaults_of(shape: type[StrictSerializer]) -> dict[str, Any]:
    """The defaults of the fields that have one."""
    return {
        name: default() if callable(default) else default
        for name, (_, _, default) in _listed(shape).items()
        if default is not serializers.empty
    }
