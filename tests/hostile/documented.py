"""The API as its OpenAPI schema describes it: its operations, the places of ids in their requests, and the smallest
requests that the schema allows."""

from collections.abc import Iterator
from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from drf_spectacular.generators import SchemaGenerator
from schemathesis.generation.stateful.state_machine import APIStateMachine

#: As /api/schema answers it; asked for there, it would need the database while tests are collected.
DOCUMENT: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
SCHEMA.app = get_wsgi_application()
#: Calls of its operations, each with what the answers before it name.
Calls: type[APIStateMachine] = SCHEMA.as_state_machine()
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]

#: Steps from a schema to one below it: the name of a property, the number of an alternative, or ITEM of a list.
Path = tuple[str | int, ...]
ITEM = "[]"
_NAMES_OF_IDS = ("agent", "author", "proposed_by", "session", "parent")


def requests() -> list[tuple[str, str, dict[str, Any]]]:
    """Every operation: its method, its path below /api/v1/, and its description."""
    return [
        (method, path.removeprefix("/api/v1/"), operation)
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
    ]


def is_id(name: str, schema: dict[str, Any]) -> bool:
    """Whether a parameter or property names a record, a session, an agent or a person."""
    if schema.get("format") == "uuid":
        return True
    named = name in {"id", *_NAMES_OF_IDS} or name.endswith(("_id", "_ids", "Id"))
    return named and "integer" not in str(schema.get("type")) and "enum" not in schema


def body_of(operation: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of the body, if there is one in JSON."""
    content = operation.get("requestBody", {}).get("content", {})
    return resolved(content["application/json"]["schema"]) if "application/json" in content else None


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, for a reference to one."""
    while "$ref" in schema or len(schema.get("allOf", ())) == 1:
        schema = _named(schema["$ref"]) if "$ref" in schema else schema["allOf"][0]
    return schema


def _named(reference: str) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["components"]["schemas"][reference.rsplit("/", 1)[1]]
    return found


def _alternatives(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = schema.get("oneOf") or schema.get("anyOf") or []
    return found


def ids_in(schema: dict[str, Any], name: str = "", at: Path = ()) -> Iterator[Path]:
    """The places of ids in a body of this schema. A place below several alternatives is there once for each."""
    schema = resolved(schema)
    if is_id(name, schema) and not {"properties", "items"} & schema.keys() and not _alternatives(schema):
        yield at
        return
    for number, alternative in enumerate(_alternatives(schema)):
        yield from ids_in(alternative, name, (*at, number))
    for below, one in schema.get("properties", {}).items():
        yield from ids_in(one, below, (*at, below))
    if isinstance(schema.get("items"), dict):
        yield from ids_in(schema["items"], name, (*at, ITEM))


class Builder:
    """Makes the smallest requests that the schema allows. `usual` are values by name, for what is required, and what
    objects with such a property have besides: `{"content": {"text": "x"}}`."""

    def __init__(self, usual: dict[str, Any]) -> None:
        self._usual = usual

    def make(self, schema: dict[str, Any], name: str = "", towards: Path = (), value: Any = None) -> Any:
        """A value for `schema`, with as little as it requires and `value` at the place `towards`, if one is given."""
        schema = resolved(schema)
        if value is not None and not towards:
            return value
        usual = self._usual.get(name)
        if value is None and usual is not None and not isinstance(usual, dict):
            return usual
        step, further = (towards[0], towards[1:]) if towards else (None, ())
        if alternatives := _alternatives(schema):
            if isinstance(step, int):
                return self.make(alternatives[step], name, further, value)
            return self.make(alternatives[0], name, towards, value)
        if "properties" in schema:
            return self._object(schema, usual or {}, step, further, value)
        if step == ITEM:
            return [self.make(schema["items"], name, further, value)]
        return self._plain(schema, name)

    def _object(
        self, schema: dict[str, Any], usual: dict[str, Any], step: Any, further: Path, value: Any
    ) -> dict[str, Any]:
        properties = schema["properties"]
        given = {
            name: self.make(properties[name], name, *((further, value) if name == step else ()))
            for name in dict.fromkeys([*schema.get("required", ()), *([step] if step else [])])
        }
        return {**{name: one for name, one in usual.items() if name in properties}, **given}

    def _plain(self, schema: dict[str, Any], name: str) -> Any:
        for word in ("const", "default"):
            if schema.get(word) is not None:
                return schema[word]
        if "enum" in schema:
            return schema["enum"][0]
        kind = schema.get("type", "object")
        kind = kind if isinstance(kind, str) else kind[0]
        if kind == "array":
            return [self.make(schema["items"], name)] * schema.get("minItems", 0)
        if kind == "string":
            by_format = {"uuid": "00000000-0000-4000-8000-000000000000", "date-time": "2026-01-01T00:00:00Z"}
            return by_format.get(schema.get("format", ""), "x" * max(1, schema.get("minLength", 1)))
        return {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 0.5), "boolean": False}.get(
            kind, {}
        )
