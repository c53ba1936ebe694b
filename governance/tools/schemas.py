"""JSON Schema (2020-12) of a tool's arguments and answer: self-contained, generated from its serializers like
OpenAPI."""

from decimal import Decimal
from functools import cache
from typing import Any, Literal, cast

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from governance.api.shapes import NoticeOutput
from governance.tools.declaration import Tool
from governance.tools.spelling import camel_case, spelled

Schema = dict[str, Any]
Direction = Literal["request", "response"]

#: Keywords whose values are values of arguments, not schemas.
_VALUES = ("default", "enum", "const", "examples")
_REFERENCE = "#/components/schemas/"


@cache
def arguments_of(tool: Tool) -> Schema:
    """The schema of the arguments, in the tool's own spelling. It allows no others, and no null: a model leaves out
    what it has nothing for. Tools read null too."""
    return cast(Schema, _without_null(_described(tool.arguments, "request", in_camel_case=tool.is_camel_case)))


@cache
def answer_shape(tool: Tool) -> type[Serializer[Any]]:
    """The answer as declared, with the notices that every answer may have."""
    if "notices" in tool.answer().fields:
        return tool.answer
    notices = NoticeOutput(many=True, required=False, help_text="What you should know about the answer.")
    return type(f"{camel_case('_' + tool.name)}Answer", (tool.answer,), {"notices": notices})


@cache
def answer_of(tool: Tool) -> Schema:
    """The schema of the answer: an object."""
    return cast(Schema, _with_any_of(_described(answer_shape(tool), "response", in_camel_case=False)))


def _without_null(part: Any) -> Any:
    """A part of a schema that does not accept null."""
    if isinstance(part, list):
        return [_without_null(one) for one in part if one not in ({"type": "null"}, {"enum": [None]})]
    if not isinstance(part, dict):
        return part
    found = {name: value if name in _VALUES else _without_null(value) for name, value in part.items()}
    if isinstance(found.get("type"), list):
        found["type"] = next(one for one in found["type"] if one != "null")
    if None in found.get("enum", ()):
        found["enum"] = [one for one in found["enum"] if one is not None]
    return found


def _with_any_of(part: Any) -> Any:
    """A part of a schema whose lists of types are alternatives, because some clients take a single type only."""
    if isinstance(part, list):
        return [_with_any_of(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: value if name in _VALUES else _with_any_of(value) for name, value in part.items()}
    if not isinstance(found.get("type"), list):
        return found
    beside = {name: found.pop(name) for name in ("title", "description", "default") if name in found}
    return {"anyOf": [_without_null(found), {"type": "null"}], **beside}


def _described(
    shape: type[Serializer[Any]], direction: Literal["request", "response"], *, in_camel_case: bool
) -> Schema:
    mapping = AutoSchema()
    mapping.registry = ComponentRegistry()
    # It asks a view for the context of the serializers. Ours need none.
    view = APIView()
    view.request, view.format_kwarg = None, None  # type: ignore[assignment] # as drf-spectacular itself does
    mapping.view, mapping.path, mapping.method = view, "", "POST"
    reference = mapping.resolve_serializer(shape(), direction).ref
    components = {name: one.schema for (name, _), one in mapping.registry._components.items()}
    found: Schema = _resolved(reference, components, in_camel_case=in_camel_case)
    # A caller does not need the internal name of a serializer, but must see that it has no fields.
    return {
        "type": "object",
        "properties": {},
        **{name: value for name, value in found.items() if name != "description"},
    }


def _resolved(part: Any, components: dict[str, Any], *, in_camel_case: bool) -> Any:
    """A part of the document with every reference resolved."""
    if isinstance(part, list | tuple):
        return [_resolved(one, components, in_camel_case=in_camel_case) for one in part]
    if not isinstance(part, dict):
        return _plain(part)
    if "$ref" in part:
        target = components[part["$ref"].removeprefix(_REFERENCE)]
        beside = {name: value for name, value in part.items() if name != "$ref"}
        return _resolved({**target, **beside}, components, in_camel_case=in_camel_case)
    if len(part.get("allOf", ())) == 1:
        beside = {name: value for name, value in part.items() if name != "allOf"}
        only = _resolved(part["allOf"][0], components, in_camel_case=in_camel_case)
        return {**only, **_resolved(beside, components, in_camel_case=in_camel_case)}
    found: Schema = {}
    for name, value in part.items():
        if name == "properties":
            found[name] = {
                spelled(one, in_camel_case=in_camel_case): _resolved(schema, components, in_camel_case=in_camel_case)
                for one, schema in value.items()
            }
        elif name == "required":
            names = [one for one in part["properties"] if one in value]
            found[name] = [spelled(one, in_camel_case=in_camel_case) for one in names]
        elif name in _VALUES:
            found[name] = _plain(value)
        elif not name.startswith("x-") and name not in ("readOnly", "writeOnly"):
            found[name] = _resolved(value, components, in_camel_case=in_camel_case)
    return found


def _plain(value: Any) -> Any:
    """A limit or a default as a JSON value: that of a decimal field is a Decimal."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)
