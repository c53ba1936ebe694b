"""The tools that `Memory` gives to a model, and the calls that a model makes."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from suture_client import Invalid, Memory, Unauthorized
from suture_client.testing import FakeServer
from tests.client.through_django import ThroughDjango

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(world: Any) -> Memory:
    return Memory("http://testserver", world.keys["alice"], transport=ThroughDjango())


#: A call as the packages of each format return it.
CALLS: dict[str, Callable[[str, dict[str, Any]], Any]] = {
    "openai-chat": lambda name, arguments: SimpleNamespace(
        id="c1", type="function", function=SimpleNamespace(name=name, arguments=json.dumps(arguments))
    ),
    "openai-responses": lambda name, arguments: {
        "type": "function_call",
        "call_id": "c1",
        "name": name,
        "arguments": json.dumps(arguments),
    },
    "anthropic": lambda name, arguments: SimpleNamespace(type="tool_use", id="c1", name=name, input=arguments),
}


def function_of(definition: dict[str, Any]) -> dict[str, Any]:
    return dict(definition.get("function", definition))


@pytest.mark.parametrize("format", CALLS)
def test_a_model_remembers_and_recalls(memory: Memory, format: str) -> None:
    ada = memory.about("user:ada", session="call-17")
    assert [function_of(one)["name"] for one in ada.tools(format)] == ["remember", "recall", "correct", "forget"]
    made = json.loads(ada.call(CALLS[format]("remember", {"content": "Ada drinks oolong"})))
    assert made["seq"] == 1
    memory.about("user:bob").call(CALLS[format]("remember", {"content": "Bob drinks oolong"}))
    [found] = json.loads(ada.call(CALLS[format]("recall", {"query": "oolong"})))["chunks"]
    assert (found["text"], found["subject_id"]) == ("Ada drinks oolong", "ada")


def test_a_model_corrects_and_forgets(memory: Memory) -> None:
    ada = memory.about("user:ada")
    ada.call({"name": "remember", "input": {"content": "Ada drinks oolong"}})
    corrected = {"value": "oolong", "to": "coffee", "reason": "She said so"}
    assert json.loads(ada.call({"name": "correct", "input": corrected}))["count"] == 1
    assert json.loads(ada.call({"name": "forget", "input": {"value": "coffee", "reason": "Asked to"}}))["count"] == 1
    [found] = json.loads(ada.call({"name": "recall", "input": {"query": "Ada"}}))["chunks"]
    assert "coffee" not in found["text"]


def test_a_model_cannot_leave_the_scope(memory: Memory) -> None:
    ada = memory.about("user:ada", project="tea", session="call-17", channel="private")
    hidden = {
        "subject_type",
        "subject_id",
        "project_id",
        "channel",
        "subjectType",
        "subjectId",
        "projectId",
        "sessionId",
    }
    for format, schema in (("openai-responses", "parameters"), ("anthropic", "input_schema")):
        for definition in ada.tools(format, only=["remember", "recall"]):
            assert not hidden & definition[schema]["properties"].keys()
    unscoped = memory.tools("anthropic", only=["remember", "recall"])
    assert hidden <= {name for one in unscoped for name in one["input_schema"]["properties"]}
    memory.about("user:bob").call({"name": "remember", "input": {"content": "Bob drinks oolong"}})
    elsewhere = {"query": "oolong", "subject_type": "user", "subject_id": "bob"}
    assert json.loads(ada.call({"name": "recall", "input": elsewhere}))["chunks"] == []
    made = {"content": "Ada drinks sencha", "subjectType": "user", "subject_id": "bob", "sessionId": "other"}
    assert json.loads(ada.call({"name": "remember", "input": made}))["seq"] == 2
    [found] = json.loads(ada.call({"name": "recall", "input": {"query": "sencha"}}))["chunks"]
    assert found["subject_id"] == "ada"


@pytest.mark.parametrize("format", CALLS)
def test_the_fake_server_has_tools_like_these(memory: Memory, format: str) -> None:
    for real, fake in zip(memory.tools(format), Memory(transport=FakeServer()).tools(format), strict=True):
        assert function_of(fake).keys() <= function_of(real).keys()
        [schema] = function_of(fake).keys() & {"parameters", "input_schema"}
        asked, known = function_of(fake)[schema], function_of(real)[schema]
        plain = {name.replace("_", "").lower() for name in known["properties"]}
        assert {name.replace("_", "") for name in asked["properties"]} <= plain
        assert set(asked["required"]) == set(known["required"])


def test_descriptions_use_the_short_names(memory: Memory) -> None:
    said = json.dumps(memory.tools("openai-chat", only=["remember", "recall", "correct", "forget", "record_event"]))
    assert not [name for name in ("memory_commit", "search_memory", "memory_correct", "memory_forget") if name in said]
    assert '"record_event"' in said


def test_a_tool_of_the_server_keeps_its_name(memory: Memory) -> None:
    [definition] = memory.tools("openai-responses", only=["core_memories"])
    assert definition["name"] == "core_memories"
    assert "memories" in json.loads(memory.call({"name": "core_memories", "arguments": ""}))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ({"name": "recall", "arguments": "{"}, "invalid"),
        ({"name": "recall", "input": {}}, "invalid"),
        ({"name": "recal", "input": {}}, "not-found"),
    ],
)
def test_a_refusal_is_an_answer_for_the_model(memory: Memory, call: dict[str, Any], code: str) -> None:
    answer = json.loads(memory.call(call))
    assert answer["status"] >= 400
    assert answer["detail"], code


def test_wrong_names_and_keys_are_the_programs_own_errors(memory: Memory) -> None:
    with pytest.raises(Invalid, match="recal"):
        memory.tools(only=["recal"])
    with pytest.raises(Invalid, match="openai"):
        memory.tools("gpt")
    stranger = Memory("http://testserver", "sut_x", transport=ThroughDjango())
    with pytest.raises(Unauthorized):
        stranger.call({"name": "recall", "input": {"query": "oolong"}})
