"""The OpenAPI document says what a reader needs, in forms that generators of clients take. Each rule holds for whatever
operation or field is added."""

import re
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.urls import resolve

from governance.http import idempotency

pytestmark = pytest.mark.pure

SUMMARY_AT_MOST = 60
OPERATION_ID = re.compile(r"[a-z]+(_[a-z0-9]+)+")
COMPONENT = re.compile(r"[A-Z][A-Za-z0-9]*")
#: Values for places in paths that take no UUID.
A_VALUE = {"{seq}": "1"}
#: A name that drf-spectacular makes up: `StatusA1bEnum`, of a name that several enums have and a digest.
WITH_A_DIGEST = re.compile(r".*[A-Z0-9][0-9a-f]{2}Enum")


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Each operation: its method, its path, and its description."""
    return [(method, path, one) for path, item in document["paths"].items() for method, one in item.items()]


def schemas_in(part: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema at or below a part of the document, with its place."""
    if isinstance(part, list):
        for number, one in enumerate(part):
            yield from schemas_in(one, f"{place}/{number}")
    elif isinstance(part, dict):
        if not place.endswith("/properties"):
            yield place, part
        for name, one in part.items():
            if name not in ("example", "examples", "default", "enum", "const"):
                yield from schemas_in(one, f"{place}/{name}")


def test_every_operation_has_a_short_summary(operations):
    for method, path, one in operations:
        summary = one.get("summary", "")
        assert 0 < len(summary) <= SUMMARY_AT_MOST, (method, path, summary, "say it with @extend_schema(summary=...)")
        assert not summary.endswith("."), (method, path, summary)


def test_every_operation_has_a_readable_name_of_its_own(operations):
    names = Counter(one["operationId"] for _, _, one in operations)
    assert [name for name, number in names.items() if number > 1] == []
    assert [name for name in names if not OPERATION_ID.fullmatch(name) or name.startswith("v1_")] == []


def test_every_operation_has_a_described_tag(document, operations):
    described = {tag["name"]: tag["description"] for tag in document["tags"]}
    used = {tag for _, _, one in operations for tag in one["tags"]}
    assert sorted(described) == sorted(used), "memory_project/openapi.py describes each tag"
    assert all(len(one["tags"]) == 1 for _, _, one in operations)
    assert all(described.values())


def test_the_header_for_retries_is_where_it_is_honoured(operations):
    for method, path, one in operations:
        view: Any = resolve(re.sub(r"\{[^}]*\}", lambda place: A_VALUE.get(place[0], str(uuid.UUID(int=1))), path)).func
        honoured = method != "get" and issubclass(view.view_class, idempotency.IdempotentMixin)
        named = {parameter["name"] for parameter in one["parameters"] if parameter["in"] == "header"}
        assert (idempotency.HEADER in named) == honoured, (method, path)


def test_the_document_says_where_the_server_is(document):
    assert [server["url"] for server in document["servers"]] == ["/"]
    assert document["info"]["version"] == settings.VERSION


def test_every_component_has_a_readable_name(document):
    names = document["components"]["schemas"]
    assert [name for name in names if not COMPONENT.fullmatch(name)] == []


def test_every_enum_has_a_name_and_values(document):
    schemas = document["components"]["schemas"]
    assert not {"NullEnum", "BlankEnum"} & schemas.keys()
    for name, schema in schemas.items():
        if "enum" in schema:
            assert None not in schema["enum"], name
            assert "" not in schema["enum"], name
            assert schema["enum"], name
            assert not WITH_A_DIGEST.fullmatch(name), (name, "name it in memory_project/openapi.py")


def test_no_field_of_a_body_has_a_default_that_clients_would_send_or_require(document):
    found = [place for place, schema in schemas_in(document["components"]["schemas"]) if "default" in schema]
    assert found == []


def test_no_field_is_required_of_those_who_may_not_send_it(document):
    for place, schema in schemas_in(document["components"]["schemas"]):
        assert not schema.get("readOnly"), place
        assert not schema.get("writeOnly"), place
        missing = set(schema.get("required", ())) - schema.get("properties", {}).keys()
        assert not missing or isinstance(schema["required"], dict), (place, missing)


def test_every_field_has_a_type_or_takes_any_json(document):
    typed = {"type", "$ref", "oneOf", "anyOf", "allOf", "const"}
    for place, schema in schemas_in(document["components"]["schemas"]):
        if place.rpartition("/")[0].endswith("/properties") and not typed & schema.keys():
            assert re.search(r"\b[Aa]ny\b", schema.get("description", "")), (place, 'say "Any JSON."')
        if schema.get("type") == "array":
            assert "items" in schema, place


def test_alternatives_have_types(document):
    for place, schema in schemas_in(document["components"]["schemas"]):
        for alternative in [*schema.get("oneOf", ()), *schema.get("anyOf", ())]:
            assert {"type", "$ref"} & alternative.keys(), place


def test_alternatives_of_objects_name_the_field_that_tells_them_apart(document):
    schemas = document["components"]["schemas"]
    for place, schema in schemas_in(schemas):
        names = [one["$ref"].rpartition("/")[2] for one in schema.get("oneOf", ()) if "$ref" in one]
        if len([name for name in names if "properties" in schemas[name]]) > 1:
            assert "propertyName" in schema["discriminator"], place


def test_bodies_are_named(operations):
    for method, path, one in operations:
        for body in (one.get("requestBody", {}), *one["responses"].values()):
            for kind, content in body.get("content", {}).items():
                if kind == "application/json":
                    assert set(content["schema"]) == {"$ref"}, (method, path)


def test_success_has_a_body(operations):
    """No operation answers 204; DELETE says what it did."""
    for method, path, one in operations:
        assert [status for status in one["responses"] if status.startswith("2")], (method, path)
        assert "204" not in one["responses"], (method, path)
