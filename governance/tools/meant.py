"""What a model means by an argument of another JSON type than its field reads, if it can mean only one thing."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from governance import text as rules
from governance.inputs import (
    BooleanField,
    DecimalField,
    DictField,
    FloatField,
    IdField,
    IntegerField,
    JSONField,
    StrictSerializer,
    TextField,
)
from governance.refusals import Refusal
from governance.strict_json import parse_value

Field = serializers.Field[Any, Any, Any, Any]

_LISTS = (serializers.ListField, serializers.ListSerializer)
_NUMBERS = (IntegerField, FloatField, DecimalField)
_OBJECTS = (StrictSerializer, DictField)


def is_absent(value: Any, field: Field) -> bool:
    """Whether an optional argument is as if it were not given: null, an empty text, or `"null"` where no text is
    asked for."""
    if field.required or value is None:
        return not field.required
    if isinstance(field, JSONField):
        return False
    if isinstance(field, TextField):
        return value == "" and not field.rule.may_be_empty
    return isinstance(value, str) and value.strip().lower() in ("", "null", "none")


def as_meant(value: Any, field: Field) -> Any:
    """The value that `field` can read, if `value` can mean nothing else. Otherwise `value`, which the field refuses."""
    if isinstance(field, _NUMBERS):
        return _number(value, is_whole=isinstance(field, IntegerField))
    if isinstance(field, BooleanField):
        return {"true": True, "false": False}.get(value.strip().lower(), value) if isinstance(value, str) else value
    if isinstance(field, _LISTS):
        return _list(value, field.child)
    if isinstance(field, _OBJECTS):
        return _object(value, field)
    if isinstance(field, IdField):
        found = _parsed(value, list) if isinstance(value, str) else value
        return found[0] if isinstance(found, list) and len(found) == 1 else value
    if isinstance(field, TextField) and field.rule == rules.IDENTIFIER and type(value) is int:
        return str(value)
    return value


def _number(value: Any, *, is_whole: bool) -> Any:
    found = _parsed(value, int, float) if isinstance(value, str) else value
    if is_whole and isinstance(found, float) and found.is_integer():
        return int(found)
    return found


def _list(value: Any, child: Any) -> Any:
    """A list in a text, or a list of the only item that was given."""
    if isinstance(value, str):
        value = _parsed(value, list)
    if isinstance(value, str):
        return value if value.lstrip().startswith("[") else _items(value, child)
    is_item = type(value) in (int, float) or (isinstance(value, Mapping) and isinstance(child, _OBJECTS))
    return [value] if is_item else value


def _items(value: str, child: Any) -> Any:
    """A text instead of a list: one item, or several with commas if no item has a comma."""
    if isinstance(child, IntegerField | IdField):
        return [one.strip() for one in value.split(",")]
    if not isinstance(child, TextField) or (child.rule == rules.IDENTIFIER and "," in value):
        return value
    return [value]


def _object(value: Any, field: Any) -> Any:
    """An object in a text, or a list for the only field of the object that it can be."""
    if isinstance(value, str):
        value = _parsed(value, dict, list)
    stands_for = getattr(field, "stands_for", None)
    return {stands_for: value} if stands_for and isinstance(value, str | list) else value


def _parsed(value: str, *types: type) -> Any:
    """The JSON value in a text if it has one of the types, else the text."""
    try:
        found = parse_value(value)
    except Refusal:
        return value
    return found if type(found) in types else value
