"""`GET /tools`: every tool, in the form that a framework takes."""

import json
import uuid
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from drf_spectacular.generators import SchemaGenerator

from governance.tools import formats, registry, schemas

pytestmark = pytest.mark.django_db

FORMATS = ("openai", "anthropic", "mcp", "jsonschema")
ALL_FORMATS = ("openai", "openai-responses", "openai-strict", "gemini", "anthropic", "mcp", "jsonschema")
#: The tools that the specification prints in camelCase.
CAMEL = {"memory_commit", "memory_recall", "memory_rethink", "block_get", "block_update"}


def names_in(schema: Any) -> set[str]:
    """The names of the properties of a schema, at every depth."""
    if isinstance(schema, list):
        return set().union(*map(names_in, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", ())).union(*(names_in(value) for value in schema.values()))


def references_in(schema: Any) -> list[Any]:
    if isinstance(schema, list):
        return [found for one in schema for found in references_in(one)]
    if not isinstance(schema, dict):
        return []
    return [value for name, value in schema.items() if name == "$ref"] + [
        found for value in schema.values() for found in references_in(value)
    ]


def test_it_works(world: Any) -> None:
    answer = world.alice.ok("get", "tools")
    assert answer["format"] == "mcp"
    assert [one["name"] for one in answer["tools"]] == [tool.name for tool in registry.all_tools()]


def test_what_a_model_sets_most_often_comes_first() -> None:
    names = list(schemas.arguments_of(registry.find("search_memory"))["properties"])
    assert names[:2] == ["query", "limit"]
    assert names.index("max_tokens") < names.index("phrases")


def test_each_format_has_its_own_form(world: Any) -> None:
    listed = {form: world.alice.ok("get", f"tools?format={form}") for form in FORMATS}
    assert {form: answer["format"] for form, answer in listed.items()} == {form: form for form in FORMATS}
    for openai, anthropic, mcp, plain in zip(*(listed[form]["tools"] for form in FORMATS), strict=True):
        assert set(openai) == {"type", "function"}
        assert openai["type"] == "function"
        assert set(openai["function"]) == {"name", "description", "parameters"}
        assert set(anthropic) == {"name", "description", "input_schema"}
        assert set(mcp) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
        hints = {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert set(mcp["annotations"]) == hints
        assert mcp["annotations"]["openWorldHint"] is False
        assert set(plain) == {"name", "description", "schema", "answer"}
        taken = openai["function"]["parameters"], anthropic["input_schema"], mcp["inputSchema"], plain["schema"]
        assert all(one == taken[0] for one in taken)
        assert mcp["outputSchema"] == plain["answer"]
        assert len({openai["function"]["description"], anthropic["description"], mcp["description"]}) == 1


def test_schemas_are_json_schema_and_stand_alone() -> None:
    for tool in registry.all_tools():
        for schema in (schemas.arguments_of(tool), schemas.answer_of(tool)):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object", tool.name
            assert references_in(schema) == [], tool.name
            assert json.loads(json.dumps(schema)) == schema, tool.name
            # what OpenAPI 3.0 says, and JSON Schema does not know
            assert "nullable" not in str(schema), tool.name
        taken = schemas.arguments_of(tool)
        assert taken["additionalProperties"] is False, tool.name
        # Anthropic's API refuses these at the top
        assert not {"oneOf", "anyOf", "allOf"} & set(taken), tool.name


def test_a_tool_is_printed_in_one_spelling() -> None:
    for tool in registry.all_tools():
        assert tool.is_camel_case or tool.name not in CAMEL, tool.name
        for name in names_in(schemas.arguments_of(tool)):
            assert ("_" not in name) if tool.is_camel_case else (name == name.lower()), (tool.name, name)


def test_a_model_reads_a_short_description_with_one_example_that_holds() -> None:
    for tool in registry.all_tools():
        assert len(tool.description) <= 350, tool.name
        # OpenAI's API takes no more
        assert len(formats.description_of(tool)) <= 1024, tool.name
        jsonschema.Draft202012Validator(schemas.arguments_of(tool)).validate(formats.example_of(tool))
        arguments = tool.arguments(data=dict(tool.example))
        assert arguments.is_valid(), (tool.name, arguments.errors)
        for name, schema in schemas.arguments_of(tool)["properties"].items():
            assert len(schema.get("description", "")) <= 300, (tool.name, name)


def parts_of(schema: Any) -> list[dict[str, Any]]:
    """A schema and all schemas in it."""
    if isinstance(schema, list):
        return [found for one in schema for found in parts_of(one)]
    if not isinstance(schema, dict):
        return []
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return [schema, *parts_of(children), *parts_of(schema.get("items"))]


@pytest.mark.parametrize("form", ALL_FORMATS)
def test_no_format_has_a_list_of_types(world: Any, form: str) -> None:
    """Gemini's declarations and several clients take a single type only."""
    assert '"type": [' not in json.dumps(world.alice.ok("get", f"tools?format={form}"))
    assert '"enum": [null' not in json.dumps(world.alice.ok("get", f"tools?format={form}"))


def test_responses_of_openai_have_the_function_at_the_top(world: Any) -> None:
    plain = world.alice.ok("get", "tools?format=openai")["tools"]
    for tool, one in zip(world.alice.ok("get", "tools?format=openai-responses")["tools"], plain, strict=True):
        assert tool == {"type": "function", "strict": False, **one["function"]}


def test_strict_schemas_require_every_property_and_allow_no_other(world: Any) -> None:
    """What OpenAI's structured outputs require."""
    keywords = {"type", "description", "enum", "properties", "required", "items", "anyOf", "additionalProperties"}
    keywords |= {"pattern", "format", "minimum", "maximum", "minItems", "maxItems"}
    for tool in world.alice.ok("get", "tools?format=openai-strict")["tools"]:
        function = tool["function"]
        assert function["strict"] is True
        jsonschema.Draft202012Validator.check_schema(function["parameters"])
        declared = schemas.arguments_of(registry.find(function["name"]))
        for name, part in function["parameters"]["properties"].items():
            is_required = name in declared.get("required", ())
            assert ({"type": "null"} in part.get("anyOf", ())) is not is_required, name
        for part in parts_of(function["parameters"]):
            assert set(part) <= keywords, (function["name"], part)
            assert "type" in part or "anyOf" in part, (function["name"], part)
            if part.get("type") == "object":
                assert part["required"] == list(part["properties"])
                assert part["additionalProperties"] is False


def test_strict_arguments_with_nulls_are_read(world: Any) -> None:
    """A model that must write every argument writes null for what it would leave out."""
    (tool,) = world.alice.ok("get", "tools?format=openai-strict&only=record_event")["tools"]
    parameters = tool["function"]["parameters"]
    content = dict.fromkeys(parameters["properties"]["content"]["properties"])
    given = dict.fromkeys(parameters["properties"])
    given |= {"session_id": "s", "kind": "message", "content": {**content, "text": "brown fox", "data": '{"a": 1}'}}
    jsonschema.Draft202012Validator(parameters).validate(given)
    world.alice.ok("post", "tools/record_event", given)
    assert len(world.found("fox")) == 1


def test_declarations_for_gemini_use_only_what_its_api_knows(world: Any) -> None:
    """The fields of `Schema` at ai.google.dev/api/caching: google-genai refuses any other. It takes no object without
    properties, enums of texts only, and few formats."""
    keywords = {"type", "title", "description", "enum", "properties", "required", "items", "anyOf", "nullable"}
    keywords |= {"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format", "default"}
    keywords |= {"minProperties", "maxProperties", "example", "propertyOrdering"}
    formats_of = {"string": {"date-time", "enum"}, "integer": {"int32", "int64"}, "number": {"float", "double"}}
    for tool in world.alice.ok("get", "tools?format=gemini")["tools"]:
        assert set(tool) <= {"name", "description", "parameters"}
        assert ("parameters" in tool) is bool(schemas.arguments_of(registry.find(tool["name"]))["properties"])
        for part in parts_of(tool.get("parameters")):
            assert set(part) <= keywords, (tool["name"], part)
            assert part["type"] in ("string", "integer", "number", "boolean", "array", "object"), tool["name"]
            assert part["type"] != "object" or part["properties"], (tool["name"], part)
            assert part["type"] != "array" or part["items"], (tool["name"], part)
            assert "enum" not in part or part["type"] == "string", (tool["name"], part)
            assert "format" not in part or part["format"] in formats_of[part["type"]], (tool["name"], part)


def test_fewer_tools_are_listed_by_set_or_by_name(world: Any) -> None:
    def names(query: str) -> list[str]:
        return [one["name"] for one in world.alice.ok("get", f"tools?{query}")["tools"]]

    basic = ["memory_commit", "memory_recall", "search_memory", "record_event", "propose_edit"]
    assert sorted(names("set=basic")) == sorted(basic)
    assert names("only=timeline,search_memory,%20timeline") == ["timeline", "search_memory"]
    assert names("only=timeline,search_memory&set=basic") == ["search_memory"]
    for query, parameter in (("set=few", "set"), ("only=timelin", "only"), ("only=", "only"), ("only=,", "only")):
        answer = world.alice.get(f"tools?{query}")
        assert answer.status_code == 400, query
        assert [one["parameter"] for one in answer.json()["errors"]] == [parameter]
    assert "Did you mean timeline?" in world.alice.get("tools?only=timelin").json()["detail"]


def test_openapi_documents_every_tool() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)

    def described(body: Any) -> Any:
        reference = body["content"]["application/json"]["schema"]["$ref"]
        return document["components"]["schemas"][reference.rpartition("/")[2]]

    for tool in registry.all_tools():
        operation = document["paths"][f"/api/v1/tools/{tool.name}"]["post"]
        taken, answered = described(operation["requestBody"]), described(operation["responses"]["200"])
        assert operation["summary"] == tool.title, tool.name
        assert tool.description in operation["description"], tool.name
        assert names_in(taken) == names_in(schemas.arguments_of(tool)), tool.name
        assert taken.get("required") == schemas.arguments_of(tool).get("required"), tool.name
        assert answered["properties"].keys() == schemas.answer_of(tool)["properties"].keys(), tool.name


@pytest.mark.parametrize("form", ["json", "api", "OPENAI", "", "openai,mcp", "%00"])
def test_another_format_is_refused_with_all_of_them(world: Any, form: str) -> None:
    answer = world.alice.get(f"tools?format={form}")
    assert answer.status_code == 400
    (fault,) = answer.json()["errors"]
    assert fault["parameter"] == "format"
    assert ", ".join(ALL_FORMATS) in fault["detail"]


@pytest.mark.parametrize("query", ["formats=mcp", "limit=1", "format=mcp&format=openai"])
def test_another_parameter_is_refused(world: Any, query: str) -> None:
    assert world.alice.get(f"tools?{query}").status_code == 400


def test_it_needs_a_key(nobody: Any) -> None:
    assert nobody("get", "tools").status_code == 401


def test_everybody_with_a_key_gets_the_same_list(world: Any, charlie: Any) -> None:
    lists = [one.ok("get", "tools") for one in (world.alice, world.bob, world.auditor, charlie)]
    assert all(one == lists[0] for one in lists)


def test_the_page_lists_every_tool() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
    table = page.partition("\n## ")[0]
    assert [tool.name for tool in registry.all_tools() if f"`{tool.name}`" not in table] == []


def test_a_name_is_declared_once() -> None:
    (first, *_) = registry.all_tools()
    with pytest.raises(ValueError, match="taken"):
        registry.register(first)
    assert uuid.UUID(registry.find("propose_edit").example["target_id"])
