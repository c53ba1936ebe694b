"""POST /captures: what hooks say and what agents respond becomes memory."""

import logging
import threading
import uuid
from typing import Any

import pytest

from capture.models import Capture
from memory.models import Event
from tests.capture.capturing import PROMPT, READING, STOP, body, memories, words

pytestmark = pytest.mark.django_db

SPACES = {f"E{number}" for number in range(1, 14)}


def capture(world: Any, content: str, source: dict[str, Any] = READING, **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = world.alice.ok("post", "captures", body(content, source, **fields))
    return made


def test_a_hook_description_is_stored_with_its_source_and_thirteen_embeddings(world):
    made = capture(world, "Reading file config.yaml")

    (chunk,) = made["chunk_ids"]
    memory = world.alice.ok("get", f"captures/{chunk}?include_embeddings=true")
    assert memory["content"] == "Reading file config.yaml"
    assert memory["source"] == {"type": "HookDescription", "hook_type": "PreToolUse", "tool_name": "Read"}
    assert set(memory["teleological_array"]) == SPACES
    assert all(memory["teleological_array"].values())


def test_a_memory_has_every_field_of_the_specification(world):
    made = capture(world, "Reading file config.yaml")

    memory = world.alice.ok("get", f"captures/{made['chunk_ids'][0]}")
    assert memory["id"] == made["chunk_ids"][0]
    assert memory["session_id"] == "test-session"
    assert memory["created_at"] == made["ts"]
    assert memory["chunk_metadata"] is None
    assert memory["importance"] == 0.3
    assert (memory["access_count"], memory["last_accessed"]) == (0, None)


@pytest.mark.parametrize("hook_type", ["SessionStart", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"])
def test_every_hook_makes_a_hook_description(world, hook_type):
    made = capture(world, "exit code 0", {"type": "HookDescription", "hook_type": hook_type})
    memory = world.alice.ok("get", f"captures/{made['chunk_ids'][0]}")
    assert memory["source"] == {"type": "HookDescription", "hook_type": hook_type, "tool_name": None}


@pytest.mark.parametrize("response_type", ["stop", "subagent_stop", "session_end"])
def test_every_response_makes_a_claude_response(world, response_type):
    made = capture(world, "I fixed the bug.", {"type": "ClaudeResponse", "response_type": response_type})
    memory = world.alice.ok("get", f"captures/{made['chunk_ids'][0]}")
    assert memory["source"] == {"type": "ClaudeResponse", "response_type": response_type}
    assert memory["response_id"] == made["response_id"]


@pytest.mark.parametrize(("source", "expected"), [(READING, 0.3), (PROMPT, 0.5), (STOP, 0.5)])
def test_importance_follows_from_the_source_unless_it_is_given(world, source, expected):
    made = capture(world, "one", source)
    assert world.alice.ok("get", f"captures/{made['chunk_ids'][0]}")["importance"] == expected
    given = capture(world, "two", source, importance=0.9)
    assert world.alice.ok("get", f"captures/{given['chunk_ids'][0]}")["importance"] == 0.9


def test_importance_by_source_is_a_setting(world, settings):
    settings.CAPTURE_IMPORTANCE_HOOKS = 0.1
    made = capture(world, "one")
    assert world.alice.ok("get", f"captures/{made['chunk_ids'][0]}")["importance"] == 0.1


@pytest.mark.parametrize(("number", "chunks"), [(500, 1), (501, 3), (521, 4), (1_000, 7), (10_000, 67)])
def test_a_response_above_500_words_is_cut_and_shares_its_response_id(world, number, chunks):
    made = capture(world, words(number), STOP, compute_embedding=False)

    found = memories(world.alice, response_id=made["response_id"])
    assert len(found) == chunks == len(made["chunk_ids"])
    if chunks > 1:
        metadata = [one["chunk_metadata"] for one in found]
        assert [one["chunk_index"] for one in metadata] == list(range(chunks))
        assert [one["word_offset"] for one in metadata] == [place * 150 for place in range(chunks)]
        assert {one["total_chunks"] for one in metadata} == {chunks}


@pytest.mark.parametrize("source", [READING, PROMPT])
def test_anything_else_is_cut_above_220_words(world, source):
    assert len(capture(world, words(220), source)["chunk_ids"]) == 1
    assert len(capture(world, words(221), source)["chunk_ids"]) == 2


@pytest.mark.parametrize("content", ["", "   ", "\n\t"])
def test_an_empty_description_makes_no_memory_and_a_warning(world, caplog, content):
    with caplog.at_level(logging.WARNING, "suture.capture"):
        answer = world.alice.post("captures", body(content))

    assert (answer.status_code, answer.json()["status"]) == (200, "skipped")
    assert "Skipping empty hook description for PreToolUse" in caplog.messages
    assert memories(world.alice) == []


@pytest.mark.parametrize("session", ["", "  ", None, ...])
def test_a_session_is_required(world, session):
    request = body("Reading")
    if session is ...:
        del request["session_id"]
    else:
        request["session_id"] = session
    for path, sent, place in (
        ("captures", request, "#/session_id"),
        ("captures/batch", {"captures": [request]}, "#/captures/0/session_id"),
    ):
        answer = world.alice.post(path, sent)
        assert answer.status_code == 400
        (error,) = answer.json()["errors"]
        assert (error["pointer"], error["detail"]) == (place, "session_id is required for memory capture")


def test_without_an_embedding_nothing_is_stored(world, monkeypatch):
    def fail(*_: Any) -> Any:
        raise ValueError

    monkeypatch.setattr("memory.spaces.spelling.Spelling.embed", fail)
    answer = world.alice.post("captures", body("Reading file config.yaml"))

    assert answer.status_code == 500
    assert answer.json()["detail"].startswith("Failed to generate embeddings for memory: E9 ")
    assert " failed with ValueError" in answer.json()["detail"]
    assert not Capture.objects.filter(tenant_id=world.tenant_id).exists()


def test_the_same_id_is_recorded_once(world):
    name = str(uuid.uuid4())
    first = world.alice.post("captures", body("Reading", id=name))
    again = [world.alice.post("captures", body("Reading", id=name)) for _ in range(4)]

    assert first.status_code == 201
    assert {(one.status_code, one.json()["status"]) for one in again} == {(200, "already_recorded")}
    assert {tuple(one.json()["chunk_ids"]) for one in (first, *again)} == {tuple(first.json()["chunk_ids"])}
    assert len(memories(world.alice)) == 1


def test_an_id_twice_in_a_batch_is_recorded_once(world):
    name = str(uuid.uuid4())
    batch = {"captures": [body("Reading", id=name), body("Writing"), body("Reading", id=name)]}
    answered = world.alice.ok("post", "captures/batch", batch)["captures"]
    assert [one["status"] for one in answered] == ["recorded", "recorded", "already_recorded"]
    assert len(memories(world.alice)) == 2


def test_an_id_that_stands_for_something_else_is_refused(world):
    name = str(uuid.uuid4())
    capture(world, "Reading", id=name)
    answer = world.alice.post("captures", body("Writing", id=name))
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (409, "#/id")


def test_memory_is_found_by_session_and_by_source(world):
    for place in range(5):
        capture(world, f"Reading file {place}")
    capture(world, "elsewhere", session_id="other-session")
    capture(world, "an answer", STOP)

    assert len(memories(world.alice, session_id="test-session", source="HookDescription")) == 5
    assert len(memories(world.alice, session_id="test-session")) == 6
    assert len(memories(world.alice, source="ClaudeResponse")) == 1
    assert len(memories(world.alice, hook_type="PreToolUse", tool_name="Read")) == 6


def test_pages_of_captures_follow_each_other(world):
    for place in range(5):
        capture(world, f"Reading file {place}")
    first = world.alice.ok("get", "captures?limit=3")
    second = world.alice.ok("get", f"captures?limit=3&cursor={first['next']}")
    assert [one["content"] for one in first["results"] + second["results"]] == [
        f"Reading file {place}" for place in (4, 3, 2, 1, 0)
    ]
    assert second["next"] is None


def test_a_deleted_memory_is_superseded_and_its_record_stays(world):
    made = capture(world, "Reading file config.yaml")
    (chunk,) = made["chunk_ids"]

    assert world.alice.ok("post", "captures/delete", {"chunk_ids": [chunk]}) == {"deleted": 1}
    assert world.alice.ok("post", "captures/delete", {"chunk_ids": [chunk]}) == {"deleted": 0}
    assert memories(world.alice) == []
    assert world.found("config.yaml") == []
    assert world.alice.ok("get", f"captures/{chunk}")["is_superseded"]
    assert Event.objects.filter(tenant_id=world.tenant_id, id=made["event_id"]).exists()


def test_only_who_captured_a_memory_deletes_it(world):
    (chunk,) = capture(world, "Reading file config.yaml")["chunk_ids"]
    answer = world.bob.post("captures/delete", {"chunk_ids": [chunk]})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (403, "#/chunk_ids/0")
    assert world.alice.post("captures/delete", {"chunk_ids": [str(uuid.uuid4())]}).status_code == 404


def test_a_retracted_capture_is_gone_for_readers(world):
    (chunk,) = capture(world, "Reading file config.yaml")["chunk_ids"]
    world.edit(chunk, "retract")
    assert memories(world.alice) == []
    assert world.alice.get(f"captures/{chunk}").status_code == 404


def test_secrets_are_masked_and_counted(world):
    token = "ghp_" + "a1B2" * 9
    made = capture(world, f"export TOKEN={token} and again {token}")
    assert made["redacted"] == {"github token": 2}
    (memory,) = memories(world.alice)
    assert token not in memory["content"]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ({"type": "MDFileChunk"}, "#/source/type"),
        ({"type": "HookDescription"}, "#/source/hook_type"),
        ({"type": "HookDescription", "hook_type": "Notification"}, "#/source/hook_type"),
        ({"type": "ClaudeResponse", "response_type": "stop", "tool_name": "x"}, "#/source/tool_name"),
        ({"type": "ClaudeResponse"}, "#/source/response_type"),
        ("PreToolUse", "#/source"),
        ({}, "#/source/type"),
    ],
)
def test_a_source_that_is_none_is_refused_with_its_place(world, source, place):
    answer = world.alice.post("captures", body("Reading", source))
    assert answer.status_code == 400
    assert [error["pointer"] for error in answer.json()["errors"]] == [place]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_capture_does_not_wait_until_a_batch_of_the_same_agent_is_embedded(world, at_once, monkeypatch):
    is_embedding, is_captured = threading.Event(), threading.Event()

    def embed(events):
        if len(events) > 1:
            is_embedding.set()
            assert is_captured.wait(8)
        return []

    def batch():
        bodies = [body(f"Reading file {number}", id=str(uuid.uuid4())) for number in range(100)]
        return world.alice.ok("post", "captures/batch", {"captures": bodies})

    def one():
        assert is_embedding.wait(60)
        made = capture(world, "Reading file config.yaml", id=str(uuid.uuid4()))
        is_captured.set()
        return made

    monkeypatch.setattr("capture.services.recording.embed_prepared", embed)

    many, single = at_once(batch, one)

    assert [made["status"] for made in many["captures"]] == ["recorded"] * 100
    assert single["status"] == "recorded"
