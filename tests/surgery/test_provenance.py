"""Every result says where it comes from: event, agent, session, source; and how often it was corrected."""

import pytest


def results(world, chunk):
    """The chunk as each way of reading answers it."""
    found = {
        "search": world.alice.ok("post", "chunks/search", {"query": "billing"})["chunks"],
        "get": world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"],
        "list": world.alice.ok("get", "chunks")["results"],
        "timeline": world.alice.ok("get", f"chunks/{chunk}/timeline")["chunks"],
    }
    assert {name: len(chunks) for name, chunks in found.items()} == dict.fromkeys(found, 1)
    return {name: chunks[0] for name, chunks in found.items()}


def test_an_events_chunk_names_event_agent_session_and_source(world):
    recorded = world.event("Jack asked about billing", session_id="call-7", actor_type="human", actor_id="jack")
    (chunk,) = recorded["chunk_ids"]

    for way, found in results(world, chunk).items():
        assert found["event_id"] == recorded["event_id"], way
        # who recorded it, by the credential, whoever is said to have acted
        assert found["recorder"] == "alice", way
        assert found["session_id"] == "call-7", way
        assert found["source"] == "event", way
        assert (found["importance"], found["edits_applied"], found["is_quarantined"]) == (0.5, 0, False), way


def test_a_summarys_chunk_has_no_event_and_says_that_it_is_one(world, noted):
    chunk = noted("Jack asked about billing", 0.7)

    for way, found in results(world, chunk).items():
        assert (found["event_id"], found["recorder"], found["source"]) == (None, "alice", "summary"), way
        assert (found["session_id"], found["importance"]) == ("session-1", 0.7), way


@pytest.mark.parametrize("edits", [1, 2, 3])
def test_edits_change_what_is_said_and_not_where_it_comes_from(world, edits):
    recorded = world.event("Jack asked about billing")
    (chunk,) = recorded["chunk_ids"]
    for number in range(edits):
        world.edit(chunk, "amend", text=f"Jane asked about billing {number}", importance=0.9)

    for way, found in results(world, chunk).items():
        assert (found["text"], found["importance"]) == (f"Jane asked about billing {edits - 1}", 0.9), way
        assert found["edits_applied"] == edits, way
        assert (found["event_id"], found["recorder"], found["source"]) == (recorded["event_id"], "alice", "event"), way


def test_the_scope_subject_and_project_are_part_of_it(world):
    about = {"scope": "user", "subject_type": "user", "subject_id": "jack", "project_id": "alpha"}
    (chunk,) = world.event("Jack asked about billing", content=about)["chunk_ids"]

    for way, found in results(world, chunk).items():
        assert {name: found[name] for name in about} == about, way
        assert (found["channel"], found["tier"]) == ("private", "task"), way


def test_a_decision_in_force_names_its_event_and_session(world):
    recorded = world.event("x", kind="decision", session_id="call-7", content={"decision": "Use PostgreSQL"})

    (decision,) = world.alice.ok("get", "decisions/active")["decisions"]

    assert (decision["event_id"], decision["session_id"]) == (recorded["event_id"], "call-7")
    event = world.alice.ok("get", f"events/{decision['event_id']}")
    assert (event["recorded_by"], event["decision_id"]) == ("alice", decision["decision_id"])
