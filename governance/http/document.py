"""What the OpenAPI document has beside the views, and the forms that generators of clients take: hooks of
drf-spectacular, in the order in which they run."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from governance.http.problems import CONTENT_TYPE

Schema = dict[str, Any]

_REFERENCE = "#/components/schemas/"
_NULL = {"type": "null"}
_TEXT = {"type": "string"}
_FAULT = {
    "type": "object",
    "description": "One fault, with its place in the body, the address or the headers.",
    "properties": {
        "pointer": {"type": "string", "description": "The place in the body: a JSON pointer as a fragment."},
        "parameter": {"type": "string", "description": "The query parameter."},
        "header": {"type": "string", "description": "The header."},
        "index": {"type": "integer", "description": "The index of the item in a list, from 0."},
        "detail": _TEXT,
        "code": _TEXT,
    },
    "required": ["detail", "code"],
}
_PROBLEM = {
    "type": "object",
    "description": "Why a request failed (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": "`urn:suture:problem:` and the code."},
        "code": {"type": "string", "description": "Identifies the problem for programs."},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what to do."},
        "instance": {"type": "string", "description": "The path of the request."},
        "request_id": {"type": ["string", "null"], "description": "Identifies the request in the server's log."},
        "errors": {"type": "array", "items": {"$ref": f"{_REFERENCE}Fault"}},
    },
    "required": ["type", "code", "title", "status", "detail", "instance", "request_id"],
}
_MEANINGS = {
    HTTPStatus.BAD_REQUEST: "The request is not valid; `errors` lists the faults.",
    HTTPStatus.UNAUTHORIZED: "The API key is missing or not valid.",
    HTTPStatus.FORBIDDEN: "This key may not do that.",
    HTTPStatus.NOT_FOUND: "There is no such record in your tenant, or you may not see it.",
    HTTPStatus.REQUEST_TIMEOUT: "The body did not arrive in time.",
    HTTPStatus.CONFLICT: "The request conflicts with the current state of the record.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is too large.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The Content-Type is not JSON.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests from this key or address. Retry after `Retry-After` seconds.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server failed. Nothing was changed.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Temporarily unavailable. Retry after `Retry-After` seconds.",
}


def name_bodies(result: Schema, **_: Any) -> Schema:
    """Make a component of every body that is described in place and has a `title`, which is the component's name."""
    schemas = result["components"].setdefault("schemas", {})
    for operation in _operations(result):
        for body in (operation.get("requestBody", {}), *operation["responses"].values()):
            for content in _contents(body):
                if (title := content.get("schema", {}).get("title")) is not None:
                    schemas[title] = {name: value for name, value in content["schema"].items() if name != "title"}
                    content["schema"] = {"$ref": f"{_REFERENCE}{title}"}
    return result


def simplify(result: Schema, **_: Any) -> Schema:
    """Write schemas as every generator of clients reads them.

    - Null is a type, not an enum with a name.
    - What takes any JSON takes null too: an alternative for null would contradict it.
    - The default of a field is in its description. As `default`, some generators make the field required, and others
      send it always.
    - A body that must have a field is required.
    """
    schemas = result["components"]["schemas"]
    schemas.pop("NullEnum", None)
    for schema in schemas.values():
        _simplify(schema)
    for operation in _operations(result):
        for body in (operation.get("requestBody", {}), *operation["responses"].values()):
            _simplify(body.get("content", {}))
        if any(_is_required(one.get("schema", {}), schemas) for one in _contents(operation.get("requestBody", {}))):
            operation["requestBody"]["required"] = True
    return result


def _is_required(schema: Schema, schemas: Schema) -> bool:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].removeprefix(_REFERENCE)]
    alternatives = schema.get("oneOf", ())
    return "required" in schema or (bool(alternatives) and all(_is_required(one, schemas) for one in alternatives))


def _simplify(part: Any) -> None:
    if isinstance(part, list):
        for one in part:
            _simplify(one)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name == "properties":
                for schema in value.values():
                    _simplify(schema)
                    _describe_default(schema)
            elif name not in ("default", "enum", "const", "example", "examples"):
                _simplify(value)
        if "oneOf" in part:
            part["oneOf"] = [_NULL if one.get("$ref") == f"{_REFERENCE}NullEnum" else one for one in part["oneOf"]]
            if {} in part["oneOf"]:
                del part["oneOf"]


def _describe_default(schema: Schema) -> None:
    if "default" in schema:
        default = f"Default: `{json.dumps(schema.pop('default'), default=float)}`."
        schema["description"] = f"{schema.get('description', '')} {default}".strip()


def describe_problems(result: Schema, **_: Any) -> Schema:
    """Add the possible problems to every operation, with those that it declares without a body (`404: None`)."""
    result["components"].setdefault("schemas", {}).update(Fault=_FAULT, Problem=_PROBLEM)
    content = {CONTENT_TYPE: {"schema": {"$ref": f"{_REFERENCE}Problem"}}}
    for path, item in result["paths"].items():
        for method, operation in item.items():
            declared = {int(status) for status in operation["responses"] if status >= "400"}
            for status in sorted(declared.union(_problems_of(method, path, operation))):
                described = {"description": _MEANINGS[HTTPStatus(status)], "content": content}
                operation["responses"][str(int(status))] = described
    return result


def _problems_of(method: str, path: str, operation: Schema) -> Iterator[HTTPStatus]:
    yield from (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
    # A list has no results of what does not exist, but does not take every name of an agent.
    if "{" in path or method != "get" or _names_an_agent(operation):
        yield HTTPStatus.NOT_FOUND
    if method != "get":
        yield HTTPStatus.CONFLICT
    if "requestBody" in operation:
        yield from (
            HTTPStatus.REQUEST_TIMEOUT,
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        )
    yield from (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE)


def _names_an_agent(operation: Schema) -> bool:
    return any(one["in"] == "query" and one["name"] in ("agent", "owner") for one in operation.get("parameters", ()))


def _contents(body: Schema) -> Iterator[Schema]:
    yield from body.get("content", {}).values()


def _operations(result: Schema) -> Iterator[Schema]:
    for item in result["paths"].values():
        yield from item.values()
