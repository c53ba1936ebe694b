"""The schema of a tool's arguments for model APIs that take only a part of JSON Schema.

Both know no object with any fields and no value of any type. Such an argument is a text with JSON, which tools
read too.
"""

import json
from typing import Any

from governance.tools.schemas import Schema

_JSON_TEXT = "Write it as JSON."
#: What OpenAI's structured outputs take.
_OF_OPENAI = frozenset(
    [
        "type",
        "description",
        "enum",
        "const",
        "properties",
        "required",
        "items",
        "anyOf",
        "additionalProperties",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    ]
)
_FORMATS_OF_OPENAI = frozenset(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])
#: The fields of `Schema` in Gemini's API.
_OF_GEMINI = frozenset(
    [
        "type",
        "title",
        "description",
        "enum",
        "properties",
        "required",
        "items",
        "anyOf",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "minProperties",
        "maxProperties",
        "pattern",
        "format",
        "default",
        "example",
        "nullable",
        "propertyOrdering",
    ]
)
_FORMATS_OF_GEMINI = frozenset(("date-time", "enum", "int32", "int64", "float", "double"))


def for_openai(schema: Schema) -> Schema:
    """Every property is required, and no other is allowed. One that a model may leave out may be null."""
    found = _kept(schema, _OF_OPENAI, _FORMATS_OF_OPENAI)
    if found.get("type") == "array":
        found["items"] = for_openai(_closed(schema["items"]))
    if found.get("type") == "object":
        required = schema.get("required", ())
        properties = {name: for_openai(_closed(one)) for name, one in schema.get("properties", {}).items()}
        found["properties"] = {
            name: one if name in required else _or_null(one, schema["properties"][name])
            for name, one in properties.items()
        }
        found |= {"required": list(properties), "additionalProperties": False}
    return found


def for_gemini(schema: Schema) -> Schema | None:
    """A schema in the subset of OpenAPI 3.0 that Gemini takes; None for no arguments, because it takes no object
    without properties."""
    found = _kept(schema, _OF_GEMINI, _FORMATS_OF_GEMINI)
    if found.get("type") == "array":
        found["items"] = for_gemini(_closed(schema["items"]))
    if found.get("type") == "object":
        if not schema.get("properties"):
            return None
        found["properties"] = {name: for_gemini(_closed(one)) for name, one in schema["properties"].items()}
    return found


def _kept(schema: Schema, keywords: frozenset[str], formats: frozenset[str]) -> Schema:
    found = {name: value for name, value in schema.items() if name in keywords}
    if found.get("format") not in formats:
        found.pop("format", None)
    return found


def _closed(schema: Schema) -> Schema:
    """The schema of a property; of a text with JSON, if it would accept any value or any fields."""
    is_free = "type" not in schema or (schema["type"] == "object" and not schema.get("properties"))
    if not is_free or {"anyOf", "oneOf", "allOf"} & set(schema):
        return schema
    return {"type": "string", "description": f"{schema.get('description', '')} {_JSON_TEXT}".strip()}


def _or_null(one: Schema, declared: Schema) -> Schema:
    """An optional property. A model that must write a value reads in the description what null means."""
    said = [one.pop("description", "")]
    if "default" in declared:
        said.append(f"Default: {json.dumps(declared['default'])}.")
    found: dict[str, Any] = {"anyOf": [one, {"type": "null"}]}
    if text := " ".join(filter(None, said)):
        found["description"] = text
    return found
