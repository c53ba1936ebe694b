"""The arguments of tools are read as models and the programs between them write them; REST stays strict."""

from collections.abc import Callable
from typing import Any

import pytest

from governance import inputs, text
from governance.refusals import Invalid
from governance.tools import reading, registry
from tests.tools.calls import call, faults

#: What programs add to every call: n8n, LangChain, Cursor (for tools without arguments), Gemini's and OpenAI's loops.
ADDED = {"toolCallId": "call_1", "action": "x", "chatInput": "hi", "random_string": "", "tool": "t", "__arg1": "x"}


class Part(inputs.StrictSerializer):
    stands_for = "ids"

    ids = inputs.ListField(child=inputs.IntegerField(), required=False)
    note = inputs.TextField(text.REASON, required=False)


class Shape(inputs.StrictSerializer):
    also_named = {"target_id": ("chunk_ids",)}
    elsewhere = {"words": ("message",)}

    words = inputs.TextField(text.MEMORY)
    limit = inputs.IntegerField(required=False)
    score = inputs.FloatField(required=False)
    delta = inputs.DecimalField(5, 4, required=False)
    is_core = inputs.BooleanField(required=False)
    kind = inputs.ChoiceField([("a", "A"), ("b", "B")], required=False)
    target_id = inputs.IdField(required=False)
    subject_id = inputs.TextField(text.IDENTIFIER, required=False)
    remark = inputs.TextField(text.REMARK, required=False)
    tags = inputs.ListField(child=inputs.TextField(text.IDENTIFIER), required=False)
    reasons = inputs.ListField(child=inputs.TextField(text.REASON), required=False)
    numbers = inputs.ListField(child=inputs.IntegerField(), required=False)
    free = inputs.JSONField(required=False)
    fields_of = inputs.DictField(required=False)
    part = Part(required=False)


_ID = "0198c0de-0000-7000-8000-000000000001"
MEANT: list[tuple[str, Any, Any]] = [
    ("limit", "5", 5),
    ("limit", " 5 ", 5),
    ("limit", "-5", -5),
    ("limit", 3.0, 3),
    ("limit", "3.0", 3),
    ("limit", "1e2", 100),
    ("score", "0.5", 0.5),
    ("score", "7", 7),
    ("delta", "-0.25", -0.25),
    ("is_core", "true", True),
    ("is_core", "False", False),
    ("target_id", [_ID], _ID),
    ("target_id", f'["{_ID}"]', _ID),
    ("subject_id", 17, "17"),
    ("subject_id", "null", "null"),
    ("subject_id", "5", "5"),
    ("tags", '["a", "b"]', ["a", "b"]),
    ("tags", "a", ["a"]),
    ("tags", [5], ["5"]),
    ("reasons", "because, and so on", ["because, and so on"]),
    ("numbers", "[1, 2]", [1, 2]),
    ("numbers", ["1", 2.0], [1, 2]),
    ("numbers", "1, 2", [1, 2]),
    ("numbers", 5, [5]),
    ("numbers", "5", [5]),
    ("fields_of", '{"a": "5"}', {"a": "5"}),
    ("part", '{"ids": "[1]"}', {"ids": [1]}),
    ("part", [1, 2], {"ids": [1, 2]}),
    ("part", "1", {"ids": [1]}),
    ("part", {"note": None, "ids": ["1"]}, {"ids": [1]}),
    # any value, and text, are as they were written
    ("free", "5", "5"),
    ("free", "", ""),
    ("remark", "", ""),
    ("words", "5", "5"),
    ("words", '["a"]', '["a"]'),
]
NAMES = [str(name) for name in Shape().fields]
ABSENT: list[tuple[str, Any]] = [
    *((name, None) for name in NAMES if name != "words"),
    *((name, "") for name in NAMES if name not in ("words", "free", "remark")),
    *((name, "null") for name in ("limit", "score", "is_core", "kind", "target_id", "tags", "part")),
    ("kind", "None"),
]
REFUSED: list[tuple[str, Any]] = [
    ("words", None),
    ("words", ""),
    ("words", 5),
    ("limit", "five"),
    ("limit", "3.5"),
    ("limit", 3.5),
    ("limit", "5, 6"),
    ("limit", True),
    ("limit", '5, "words": 6'),
    ("limit", "9" * 30),
    ("limit", "NaN"),
    ("score", "Infinity"),
    ("score", "1_000"),
    ("is_core", "yes"),
    ("is_core", 1),
    ("kind", "c"),
    ("target_id", "5"),
    ("target_id", [_ID, _ID]),
    ("subject_id", 1.5),
    ("subject_id", True),
    ("tags", "a, b"),
    ("tags", '["a"'),
    ("tags", '{"a": 1}, 2'),
    ("numbers", "1; 2"),
    ("fields_of", "[1]"),
    ("fields_of", "{'a': 1}"),
    ("part", '{"ids": [1]'),
    ("part", {"notes": "x"}),
]


def read(**given: Any) -> dict[str, Any]:
    return reading.read({"words": "x", **given}, Shape(), in_camel_case=False).checked()


@pytest.mark.pure
@pytest.mark.parametrize(("name", "given", "meant"), MEANT)
def test_an_unambiguous_value_is_read_as_the_type_that_is_asked_for(name: str, given: Any, meant: Any) -> None:
    found = read(**{name: given})[name]
    assert found == (type(found)(str(meant)) if name in ("delta", "target_id") else meant)
    assert isinstance(found, type(meant)) or name in ("score", "delta", "target_id")


@pytest.mark.pure
@pytest.mark.parametrize(("name", "given"), ABSENT)
def test_nothing_for_an_optional_argument_is_as_if_it_were_absent(name: str, given: Any) -> None:
    assert read(**{name: given}) == {"words": "x"}


@pytest.mark.pure
@pytest.mark.parametrize(("name", "given"), REFUSED)
def test_what_is_ambiguous_is_refused_at_its_place(name: str, given: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        read(**{name: given})
    assert refusal.value.errors[0]["pointer"].startswith(f"#/{name}"[1:])


@pytest.mark.pure
def test_other_names_of_an_argument_are_read_in_both_spellings() -> None:
    for name in ("chunk_ids", "chunkIds", "targetId", "target_id"):
        assert str(read(**{name: [_ID]})["target_id"]) == _ID
    with pytest.raises(Invalid, match="same argument as chunkIds"):
        read(chunkIds=_ID, target_id=_ID)
    with pytest.raises(Invalid) as refusal:
        read(chunkIds=["x"])
    assert refusal.value.errors[0]["pointer"] == "/chunkIds"


@pytest.mark.pure
def test_a_misspelled_name_is_refused_and_another_is_ignored() -> None:
    for name in ("limits", "lmit", "isCore ", "subject_ids", "message", "Message", "targetid", "chunk_idss"):
        with pytest.raises(Invalid, match="Unknown field"):
            read(**{name: 1})
    written = reading.read({"words": "x", **ADDED}, Shape(), in_camel_case=False)
    assert written.checked() == {"words": "x"}
    assert written.ignored == list(ADDED)


@pytest.mark.pure
def test_no_tool_has_an_argument_that_resembles_what_programs_add() -> None:
    for tool in registry.all_tools():
        written = reading.read({**tool.example, **ADDED}, tool.arguments(), in_camel_case=False)
        assert written.ignored == list(ADDED), tool.name


@pytest.mark.django_db
def test_a_call_with_arguments_that_a_program_added_is_done_and_says_so(world: Any) -> None:
    answer = call(world.alice, "memory_commit", {"content": "Ann likes tea", "toolCallId": "call_1"})
    assert answer["seq"] >= 0
    assert [one["code"] for one in answer["notices"]] == ["ignored_arguments"]
    assert "toolCallId" in answer["notices"][0]["detail"]
    assert "notices" not in call(world.alice, "memory_commit", {"content": "Ann likes cake"})
    found = call(world.alice, "search_memory", {"query": "tea", "toolCallId": "call_1"})
    assert [one["text"] for one in found["chunks"]] == ["Ann likes tea"]
    assert found["notices"][-1]["code"] == "ignored_arguments"
    assert call(world.alice, "core_memories", {"random_string": "x"})["notices"]


@pytest.mark.django_db
def test_a_notice_names_few_of_many_arguments(world: Any) -> None:
    answer = call(world.alice, "core_memories", {f"{'x' * 300}{number}": 1 for number in range(500)})
    detail = answer["notices"][0]["detail"]
    assert "490 others" in detail
    assert len(detail) < 1_500


@pytest.mark.django_db
def test_ignored_arguments_are_named_if_one_is_missing(world: Any) -> None:
    found = faults(world.alice.post("tools/memory_commit", {"text": "Ann likes tea"}))
    assert set(found) == {"#/text", "#/content"}


@pytest.mark.django_db
def test_calls_as_models_write_them(world: Any) -> None:
    nothing = {"subject_type": None, "subject_id": "", "session_id": "", "cursor": None, "limit": None}
    seqs = [call(world.alice, "memory_commit", {"content": f"tea {n}", "importance": "7"})["seq"] for n in "ab"]
    made = call(world.alice, "memory_rethink", {"supersedes": str(seqs), "new_understanding": "tea twice"})
    assert made["supersedes"] == seqs
    assert len(call(world.alice, "search_memory", {"query": "tea", **nothing})["chunks"]) == 1


@pytest.mark.django_db
def test_the_subject_of_an_event_is_read_beside_its_content_or_in_it(world: Any) -> None:
    about = {"scope": "user", "subjectType": "user", "subject_id": "jack"}
    event = {"session_id": "s", "kind": "message"}
    call(world.alice, "record_event", {**event, **about, "content": {"text": "first tea"}})
    call(world.alice, "record_event", {**event, "content": {"text": "second tea", **about}})
    call(world.alice, "record_event", {**event, "content": '{"text": "third tea", "subject_type": "", "scope": null}'})
    found = call(world.alice, "search_memory", {"query": "tea", "subject_type": "user", "subject_id": "jack"})
    assert {one["text"] for one in found["chunks"]} == {"first tea", "second tea"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "items",
    [
        lambda chunk: {"items": {"chunks": [chunk]}},
        lambda chunk: {"items": [chunk]},
        lambda chunk: {"items": f'["{chunk}"]'},
        lambda chunk: {"chunk_ids": [chunk]},
        lambda chunk: {"chunkIds": chunk},
        lambda chunk: {"chunk_id": chunk},
    ],
)
def test_items_of_a_capsule_and_ids_of_memories_stand_for_one_another(
    world: Any, given: Any, items: Callable[[str], dict[str, Any]]
) -> None:
    given("agent-bob")
    chunk = world.chunk("brown fox")
    about = {"subject_type": "user", "subject_id": "jack", "audience_agent_ids": "agent-bob"}
    assert call(world.alice, "create_capsule", {**about, **items(chunk)})["item_count"] == 1


@pytest.mark.django_db
def test_a_memory_is_named_in_any_tool_as_in_the_others(world: Any) -> None:
    chunk = world.chunk("brown fox")
    for name, given in (("chunk_id", chunk), ("chunk_ids", [chunk]), ("items", [chunk]), ("chunkId", chunk)):
        assert call(world.alice, "timeline", {name: given})
        if name != "items":
            assert call(world.alice, "preview_edit", {name: given, "op": "retract"})["after"]["is_retracted"]


@pytest.mark.django_db
def test_rest_stays_strict(world: Any) -> None:
    for body in ({"query": "x", "limit": "5"}, {"query": "x", "limit": 3.0}, {"query": "x", "toolCallId": "1"}):
        assert world.alice.post("chunks/search", body).status_code == 400
    assert world.alice.post("chunks/search", {"query": "x", "sessionId": "s"}).status_code == 400


@pytest.mark.django_db
def test_a_bootstrap_is_read_in_camel_case_too(world: Any) -> None:
    call(world.alice, "memory_commit", {"content": "Ann likes tea"})
    for query, tokens in (("query", "max_tokens"), ("userMessage", "maxTokens"), ("user_message", "maxTokens")):
        answer = world.alice.ok("post", "context/bootstrap", {query: "tea", tokens: 500, "includeCore": False})
        assert answer["max_tokens"] == 500
        assert "Ann likes tea" in answer["system_prompt"]
    for wrong in ({"maxTokens": "500"}, {"maxTokens": 1}, {"toolCallId": 1}):
        (name,) = wrong
        assert set(faults(world.alice.post("context/bootstrap", wrong))) == {f"#/{name}"}
