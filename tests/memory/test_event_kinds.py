"""The content of each kind of event: its fields, and the words by which readers find it."""

import json
from typing import Any

import pytest

from governance.faults import Faults
from memory import event_content
from memory.models import Chunk, Event, Kind
from tests.factories import ArtifactFactory, DecisionFactory, EventFactory, TaskFactory, ToolResultFactory

CALL = {"tool": "billing", "call_id": "c1", "arguments": {"action": "refund", "invoices": ["INV-20872"]}}
CALLED = "tool: billing\ncall_id: c1\narguments:\n  action: refund\n  invoices:\n    - INV-20872"


def body(kind, content, **fields):
    return EventFactory(kind=kind, content=content, **fields)


def record(world, kind, content, **fields):
    return world.alice.ok("post", "events", body(kind, content, **fields))


def texts(world, recorded):
    answer = world.alice.ok("post", "chunks/get", {"chunk_ids": recorded["chunk_ids"]})
    return [chunk["text"] for chunk in answer["chunks"]]


def event_of(world, recorded):
    return world.alice.ok("get", f"events/{recorded['event_id']}")


RECORDED: list[tuple[str, dict[str, Any], str]] = [
    ("message", {"text": "Jack called", "lang": "en"}, "Jack called"),
    ("message", {"text": "Jack called", "data": {"id": "m1"}}, "Jack called\n\ndata:\n  id: m1"),
    ("message", {"data": ["yes", None, 2.5, True]}, "data:\n  - yes\n  - null\n  - 2.5\n  - true"),
    ("tool_call", CALL, CALLED),
    ("tool_call", {**CALL, "text": ""}, CALLED),
    ("tool_call", {"text": "List the files", "tool": "ls"}, "List the files\n\ntool: ls"),
    ("tool_call", {"text": "Run ls -l.", "tool": "ls", "arguments": ["-l"]}, "Run ls -l.\n\narguments:\n  - -l"),
    ("tool_result", {"text": "", "tool": "true", "exit_code": 0}, "tool: true\nexit_code: 0"),
    ("tool_result", {"data": {"result": "done"}}, "data:\n  result: done"),
    ("tool_result", {"data": "done"}, "data: done"),
    ("decision", {"decision": "Adopt zebras"}, "Adopt zebras"),
    ("decision", {"decision": "Adopt", "rationale": ["cheap"]}, "Adopt\n\nrationale:\n  - cheap"),
    ("decision", {"text": "We talked", "decision": "Adopt"}, "We talked\n\ndecision: Adopt"),
    ("decision", {"text": "We adopt zebras", "decision": "adopt zebras"}, "We adopt zebras"),
    ("task_update", {"title": "Walk", "details": "the zebra", "status": "open"}, "Walk\n\nthe zebra"),
    ("task_update", {"text": "x", "title": "Walk", "status": "open"}, "x\n\ntitle: Walk"),
    ("artifact", {"name": "a.txt", "media_type": "text/plain", "text": "55"}, "55\n\nname: a.txt"),
    ("artifact", {"name": "a.png", "media_type": "image/png", "data": "AAAA", "note": "n"}, "a.png\n\nnote: n"),
]


def test_the_words_of_each_kind(world):
    for kind, content, words in RECORDED:
        recorded = record(world, kind, content)

        assert texts(world, recorded) == [words], (kind, content)
        scope = "policy" if kind == "decision" else "session"
        assert event_of(world, recorded)["content"] == {**content, "scope": scope}, (kind, content)


@pytest.mark.pure
def test_a_word_within_a_word_is_not_said_yet():
    content = {"text": "Please also look", "tool": "ls"}

    assert event_content.words_of("tool_call", content) == "Please also look\n\ntool: ls"


def test_a_control_character_in_free_data_becomes_a_space(world):
    recorded = record(world, "tool_result", {"data": {"answer": "one\u0007two"}})

    assert texts(world, recorded) == ["data:\n  answer: one two"]
    world.edit(recorded["chunk_ids"][0], "amend", text=texts(world, recorded)[0].replace("two", "three"))
    assert len(world.found("three")) == 1


@pytest.mark.parametrize(
    ("op", "patch", "withheld"),
    [("retract", {}, "retracted"), ("quarantine", {}, "quarantined"), ("block", {"channel": "private"}, "blocked")],
)
def test_an_event_without_text_is_found_and_hidden_by_its_chunk(world, op, patch, withheld):
    recorded = record(world, "tool_call", CALL)
    assert world.found("INV-20872") == [CALLED]
    assert [row["event_id"] for row in world.alice.ok("get", "chunks")["results"]] == [recorded["event_id"]]

    world.edit(recorded["chunk_ids"][0], op, **patch)

    assert world.found("INV-20872", channel="private") == []
    for event in (event_of(world, recorded), *world.alice.ok("get", "events")["results"]):
        assert (event["withheld"], event["content"]) == (withheld, None)
        assert "20872" not in json.dumps(event)


@pytest.mark.parametrize("kind", [*Kind])
def test_what_a_retract_removed_from_the_fields_is_in_no_answer(world, kind):
    """The field beside the text is the one that holds the wrong words."""
    beside = {"artifact": "note", "task_update": "details"}.get(kind, "data")
    makers = {"decision": DecisionFactory, "task_update": TaskFactory, "artifact": ArtifactFactory}
    maker = makers.get(kind, EventFactory)
    made = maker(kind=kind)
    made["content"] = {**made["content"], "text": "What we know", beside: "swordfish"}
    recorded = world.alice.ok("post", "events", made)
    assert len(world.found("swordfish")) == 1

    world.edit(recorded["chunk_ids"][0], "retract")

    assert world.found("swordfish") == []
    for path in ("events", f"events/{recorded['event_id']}", "chunks", "decisions/active"):
        assert "swordfish" not in json.dumps(world.alice.ok("get", path))
    bundle = {"session_id": "session-1", "channel": "private"}
    assert "swordfish" not in json.dumps(world.alice.ok("post", "acb/build", bundle))


def test_an_amend_replaces_the_words_of_the_fields_too(world):
    recorded = record(world, "tool_call", CALL)

    world.edit(recorded["chunk_ids"][0], "amend", text="A refund of INV-20873")

    assert world.found("INV-20872") == []
    assert world.found("INV-20873") == ["A refund of INV-20873"]
    assert event_of(world, recorded)["content"] == {"text": "A refund of INV-20873", "scope": "session"}


def test_fields_of_a_long_text_are_in_its_last_chunk(world):
    words = " ".join(f"w{number}" for number in range(450))

    recorded = record(world, "tool_result", {"text": words, "data": {"answer": "zebra"}})

    assert len(recorded["chunk_ids"]) == 3
    assert texts(world, recorded)[-1].endswith("w449\n\ndata:\n  answer: zebra")
    assert event_of(world, recorded)["content"]["text"] == words
    assert len(world.found("zebra")) == 1


def test_secrets_in_fields_are_masked_in_the_words_too(world):
    key = "sut_0123abcd_" + "A" * 43

    recorded = record(world, "tool_call", {"tool": "curl", "arguments": {"header": key}})

    assert texts(world, recorded) == ["tool: curl\narguments:\n  header: [redacted: suture key]"]


UNKNOWN_FIELDS = [
    ("message", {"txet": "x"}, "txet", "text"),
    ("message", {"content": "x"}, "content", "text"),
    ("message", {"output": {}}, "output", "data"),
    ("message", {"text": "x", "dta": 1}, "dta", "data"),
    ("message", {"text": "x", "subject": "jack"}, "subject", "subject_id"),
    ("tool_call", {"name": "ls"}, "name", "tool"),
    ("tool_call", {"tool": "ls", "Args": []}, "Args", "arguments"),
    ("tool_result", {"result": "x"}, "result", "data"),
    ("tool_result", {"output": "x"}, "output", "data"),
    ("decision", {"decision": "x", "reason": "y"}, "reason", None),
    ("task_update", {"title": "x", "status": "open", "description": "y"}, "description", "details"),
    ("artifact", {"name": "x", "media_type": "text/plain", "text": "x", "a/b~": 1}, "a~1b~0", None),
]


def test_an_unknown_field_is_refused_with_the_one_that_may_be_meant(world):
    for kind, content, pointer, meant in UNKNOWN_FIELDS:
        response = world.alice.post("events", body(kind, content))

        assert response.status_code == 400, (kind, content)
        (fault,) = [one for one in response.json()["errors"] if one["pointer"] == f"#/content/{pointer}"]
        allowed = ", ".join(event_content.CONTENT[kind].fields)
        hints = (
            [f" Did you mean {meant}?"] if meant else ["", *(f" Did you mean {name}?" for name in allowed.split(", "))]
        )
        assert fault["detail"] in [f"Unknown field.{hint} Allowed: {allowed}." for hint in hints], (kind, content)
        with world.inside():
            assert not Event.objects.filter(tenant_id=world.tenant_id).exists(), (kind, content)


WITHOUT_WORDS = [{}, {"text": ""}, {"text": " \n"}, {"data": {}}, {"data": " "}, {"lang": "en"}, {"scope": "global"}]


def test_an_event_without_words_is_refused(world):
    for content in WITHOUT_WORDS:
        for kind in ("message", "tool_call", "tool_result"):
            response = world.alice.post("events", body(kind, content))

            assert response.status_code == 400, (kind, content)
            (fault,) = response.json()["errors"]
            assert fault["pointer"] == "#/content/text", (kind, content)
            said = "This event has no text to remember. Set at least one of: text, "
            assert fault["detail"].startswith(said), (kind, content)


WRONG_VALUES = [
    ("message", {"text": "x", "lang": "the language of the text"}, "lang"),
    ("message", {"text": "x", "data": None}, "data"),
    ("message", {"text": None}, "text"),
    ("tool_call", {"tool": ["ls"]}, "tool"),
    ("tool_call", {"tool": " "}, "tool"),
    ("tool_result", {"text": "x", "exit_code": "0"}, "exit_code"),
    ("tool_result", {"text": "x", "exit_code": True}, "exit_code"),
    ("tool_result", {"text": "x", "exit_code": 2**31}, "exit_code"),
    ("artifact", {"name": "x", "media_type": "text/plain", "text": "x", "note": 5}, "note"),
    ("artifact", {"name": "x", "media_type": "text/plain; <script>", "text": "x"}, "media_type"),
]


def test_the_fields_of_each_kind_are_checked(world):
    for kind, content, pointer in WRONG_VALUES:
        response = world.alice.post("events", body(kind, content))

        assert response.status_code == 400, (kind, content)
        assert [fault["pointer"] for fault in response.json()["errors"]] == [f"#/content/{pointer}"], (kind, content)


@pytest.mark.slow
@pytest.mark.parametrize("field", ["data", "arguments"])
def test_free_fields_have_at_most_a_million_characters(world, field):
    most = {field: {"a": "x" * (1_000_000 - len(f"{field}:\n  a: \n"))}}

    assert record(world, "tool_call", {field: "x " * 400_000})["chunk_ids"]
    assert record(world, "tool_call", most)["chunk_ids"]
    response = world.alice.post("events", body("tool_call", {field: ["x" * 400_000] * 3}))
    assert response.status_code == 400
    assert [fault["pointer"] for fault in response.json()["errors"]] == [f"#/content/{field}"]


@pytest.mark.pure
def test_an_oversize_free_field_is_not_read_to_its_end():
    faults = Faults()
    content = {"arguments": [{"a": "x" * 100_000}] * 1_000}
    event_content.CONTENT["tool_call"].read(content, "/content", faults)

    assert [fault["pointer"] for fault in faults.found] == ["/content/arguments"]
    assert len(event_content._lines("", content["arguments"], 1_000_000)) < 25


@pytest.mark.pure
def test_hints_are_written_for_the_faults_that_are_listed_only():
    faults = Faults()
    event_content.CONTENT["message"].read({f"txet{number}": 1 for number in range(300)}, "/content", faults)

    assert len([fault for fault in faults.found if "Allowed" in fault["detail"]]) == 100


def test_a_batch_and_an_import_refuse_the_same(world):
    bad = body("tool_result", {"result": "x"})

    response = world.alice.post("events/batch", {"events": [EventFactory(), bad]})

    assert [fault["pointer"] for fault in response.json()["errors"]] == ["#/events/1/content/result"]
    with world.inside():
        assert not Event.objects.filter(tenant_id=world.tenant_id).exists()


def test_every_recorded_event_has_a_chunk(world):
    events = [
        EventFactory(),
        EventFactory(kind="tool_call", content=CALL),
        ToolResultFactory(content={"data": [1]}),
        DecisionFactory(),
        TaskFactory(),
        ArtifactFactory(content__text="x"),
    ]
    recorded = world.alice.ok("post", "events/batch", {"events": events})["events"]

    assert [len(one["chunk_ids"]) for one in recorded] == [1] * 6
    with world.inside():
        chunks = Chunk.objects.filter(tenant_id=world.tenant_id)
        assert set(chunks.values_list("event_id", flat=True)) == set(
            Event.objects.filter(tenant_id=world.tenant_id).values_list("id", flat=True)
        )


def test_the_schema_is_a_union_by_kind(world):
    schema = world.alice.client.get("/api/schema", headers={"Accept": "application/vnd.oai.openapi+json"}).json()
    shapes = schema["components"]["schemas"]

    union = shapes["EventInputRequest"]
    assert union["discriminator"]["propertyName"] == "kind"
    assert set(union["discriminator"]["mapping"]) == {kind.value for kind in Kind}
    for kind, reference in union["discriminator"]["mapping"].items():
        event = shapes[reference.rpartition("/")[2]]
        content = shapes[event["properties"]["content"]["$ref"].rpartition("/")[2]]
        assert event["properties"]["kind"]["const"] == kind
        assert set(content["properties"]) == set(event_content.CONTENT[kind].fields)
        assert content["additionalProperties"] is event["additionalProperties"] is False
    assert shapes["BatchInputRequest"]["properties"]["events"]["items"] == {
        "$ref": "#/components/schemas/EventInputRequest"
    }


def test_what_a_retract_removed_beside_fields_is_known_again_without_them(world):
    jack = {"subject_type": "user", "subject_id": "jack"}
    first = record(world, "message", {"text": "Jack's card is 1234", "data": {"id": 1}, **jack})
    world.edit(first["chunk_ids"][0], "retract")

    again = record(world, "message", {"text": "Jack's card is 1234", **jack})
    beside = record(world, "message", {"text": "Jack's card is 1234", "data": {"id": 2}, **jack})

    assert again["quarantined_chunk_ids"] == again["chunk_ids"]
    assert beside["quarantined_chunk_ids"] == beside["chunk_ids"]
