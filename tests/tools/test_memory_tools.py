"""The tools of memory: what REST does, with fewer arguments and defaults for a model."""

import uuid
from typing import Any

import pytest

from governance.tools import registry, schemas
from memory.models import Kind
from tests.tools.calls import call, faults

pytestmark = pytest.mark.django_db

CONTENT: dict[str, dict[str, Any]] = {
    "message": {"text": "Jack wants his refund"},
    "tool_call": {"tool": "refund", "arguments": {"orderId": 7}, "call_id": "c1"},
    "tool_result": {"tool": "refund", "call_id": "c1", "exit_code": 0, "data": {"paidOut": True}},
    "decision": {"decision": "Refund by bank transfer", "rationale": ["The card has expired"]},
    "task_update": {"title": "Refund Jack", "status": "open"},
    "artifact": {"name": "refund.md", "media_type": "text/markdown", "text": "The refund"},
}


def test_there_is_content_for_every_kind() -> None:
    assert set(CONTENT) == set(Kind.values)


@pytest.mark.parametrize("kind", CONTENT)
def test_it_records_every_kind_as_the_caller_s_own_in_its_most_private_channel(world: Any, kind: str) -> None:
    given = {"session_id": "s1", "kind": kind, "content": CONTENT[kind]}
    recorded = call(world.alice, "record_event", given)
    event = world.alice.ok("get", f"events/{recorded['event_id']}")
    assert (event["kind"], event["channel"]) == (kind, "private")
    assert (event["actor_type"], event["actor_id"]) == ("agent", "alice")
    assert CONTENT[kind].items() <= event["content"].items()
    assert (recorded["decision_id"] is not None) == (kind == "decision")


def test_it_records_what_somebody_else_said(world: Any) -> None:
    given = {
        "sessionId": "s1",
        "kind": "message",
        "content": {"text": "I moved to Bern"},
        "actorType": "human",
        "actorId": "ann",
        "channel": "team",
        "subjectType": "user",
        "subjectId": "ann",
        "tags": ["address"],
    }
    event = world.alice.ok("get", f"events/{call(world.alice, 'record_event', given)['event_id']}")
    assert (event["actor_type"], event["actor_id"], event["channel"]) == ("human", "ann", "team")
    assert (event["scope"], event["subject_id"], event["tags"]) == ("user", "ann", ["address"])


@pytest.mark.parametrize(
    ("channels", "chosen"),
    [(("public", "team"), "team"), (("public", "agent", "team"), "agent"), (("public",), "public")],
)
def test_the_default_channel_is_the_first_that_the_key_allows(agent_in: Any, channels: Any, chosen: str) -> None:
    agent = agent_in(*channels)
    given = {"session_id": "s1", "kind": "message", "content": {"text": "hello"}}
    recorded = call(agent, "record_event", given)
    assert agent.ok("get", f"events/{recorded['event_id']}")["channel"] == chosen
    assert call(agent, "build_context", {"session_id": "s1"})["text"].count("hello") == 1
    refused = agent.post("tools/record_event", {**given, "channel": "private"})
    assert faults(refused, 403) == {"#/channel": "This key may not use that channel."}


def test_a_person_records_as_a_person(world: Any) -> None:
    given = {"session_id": "s1", "kind": "message", "content": {"text": "hello"}}
    event = world.bob.ok("get", f"events/{call(world.bob, 'record_event', given)['event_id']}")
    assert (event["actor_type"], event["actor_id"]) == ("human", world.bob_name)


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("decision", {}, {"#/content/decision": "required"}),
        ("task_update", {"title": "x"}, {"#/content/status": "required"}),
        ("task_update", {"title": "x", "status": "open", "taskId": "7"}, {"#/content/taskId": "valid UUID"}),
        ("message", {}, {"#/content/text": "no text"}),
        ("message", {"stdout": "x"}, {"#/content/stdout": "Did you mean text?"}),
        ("message", {"text": "x", "exit_code": 1}, {"#/content/exit_code": "Unknown field."}),
        ("message", {"text": "x", "exitCode": 1}, {"#/content/exitCode": "Unknown field."}),
        ("message", {"text": "a\u0000"}, {}),
        ("artifact", {"name": "x", "mediaType": "text", "text": "x"}, {"#/content/mediaType": "Not a media type"}),
        ("message", "words", {"#/content": "dictionary"}),
        ("chat", {"text": "x"}, {"#/kind": "Choose one of"}),
    ],
)
def test_content_is_checked_as_in_post_events(world: Any, kind: str, content: Any, expected: dict[str, str]) -> None:
    answer = world.alice.post("tools/record_event", {"session_id": "s1", "kind": kind, "content": content})
    assert answer.status_code == 400
    if expected:
        found = faults(answer)
        assert set(found) == set(expected)
        assert all(said in found[place] for place, said in expected.items()), found


def test_search_finds_what_rest_finds(world: Any) -> None:
    for number in range(3):
        world.chunk(f"fox number {number}")
    found = call(world.alice, "search_memory", {"query": "fox", "limit": 2})
    assert found["chunks"] == world.alice.ok("post", "chunks/search", {"query": "fox", "limit": 2})["chunks"]
    rest = call(world.alice, "search_memory", {"query": "fox", "limit": 2, "cursor": found["next"]})
    assert len(rest["chunks"]) == 1
    assert rest["next"] is None
    refused = world.alice.post("tools/search_memory", {"query": "wolf", "limit": 2, "cursor": found["next"]})
    assert set(faults(refused)) == {"#/cursor"}


@pytest.mark.parametrize("limit", [0, 201, "five", 2.5, "2.5", True])
def test_a_limit_is_a_whole_number_from_1_to_200(world: Any, limit: Any) -> None:
    for name in ("search_memory", "timeline", "list_edits", "list_capsules"):
        own = {"query": "x", "chunk_id": str(uuid.uuid4())}
        taken = {
            one: value for one, value in own.items() if one in schemas.arguments_of(registry.find(name))["properties"]
        }
        assert "#/limit" in faults(world.alice.post(f"tools/{name}", {**taken, "limit": limit}))


def test_a_timeline_is_read_page_by_page(world: Any) -> None:
    ids = [world.chunk(f"fox number {number}") for number in range(5)]
    first = call(world.alice, "timeline", {"chunkId": ids[2], "limit": 3})
    assert first["chunks"][0]["chunk_id"] == ids[2]
    second = call(world.alice, "timeline", {"chunk_id": ids[2], "limit": 3, "cursor": first["next"]})
    seen = {one["chunk_id"] for one in (*first["chunks"], *second["chunks"])}
    assert seen == set(ids)
    assert second["is_cut"] is False
    refused = world.alice.post("tools/timeline", {"chunk_id": ids[1], "limit": 3, "cursor": first["next"]})
    assert set(faults(refused)) == {"#/cursor"}


def test_a_context_is_a_text_within_its_tokens(world: Any) -> None:
    world.chunk("Jack wants his refund on the old card", session_id="call-17")
    built = call(world.alice, "build_context", {"session_id": "call-17", "query": "refund", "max_tokens": 500})
    assert "old card" in built["text"]
    assert built["total_tokens"] <= built["max_tokens"] == 500
    assert call(world.alice, "build_context", {"session_id": "call-17"})["max_tokens"] == 4000


def test_memory_of_another_tenant_is_not_there(world: Any, charlie: Any) -> None:
    chunk = world.chunk("brown fox", session_id="s1")
    assert call(charlie, "search_memory", {"query": "fox"})["chunks"] == []
    assert charlie.post("tools/timeline", {"chunk_id": chunk}).status_code == 404
    assert "brown" not in call(charlie, "build_context", {"session_id": "s1"})["text"]


def test_retracted_memory_is_in_no_answer(world: Any) -> None:
    chunk = world.chunk("brown fox", session_id="s1")
    world.edit(chunk, "retract")
    assert call(world.alice, "search_memory", {"query": "fox"})["chunks"] == []
    assert "brown" not in call(world.alice, "build_context", {"session_id": "s1"})["text"]


def test_edits_are_listed_as_in_rest_and_page_by_page(world: Any) -> None:
    chunk = world.chunk("brown fox")
    for delta in (0.1, 0.2):
        patch = {"importance_delta": delta}
        call(world.alice, "propose_edit", {"target_id": chunk, "op": "attenuate", "patch": patch, "reason": "x"})
    asked = call(world.alice, "propose_edit", {"target_id": chunk, "op": "quarantine", "reason": "wrong"})
    assert asked["status"] == "pending"
    (pending,) = call(world.alice, "list_edits", {"status": "pending"})["results"]
    assert pending["edit_id"] == asked["edit_id"]
    first = call(world.alice, "list_edits", {"target_id": chunk, "limit": 2})
    second = call(world.alice, "list_edits", {"target_id": chunk, "limit": 2, "cursor": first["next"]})
    assert [*first["results"], *second["results"]] == world.alice.ok("get", "edits")["results"]
    assert call(world.auditor, "list_edits", {"target_id": chunk})["results"] != []
    assert second["next"] is None
