"""A21: POST /events stores scope and subject, and answers 201 with the event's id."""

BODY = {
    "session_id": "session-123",
    "channel": "private",
    "actor_type": "agent",
    "actor_id": "support-agent",
    "kind": "message",
    "content": {
        "text": "Jack Doe called about billing",
        "scope": "user",
        "subject_type": "user",
        "subject_id": "jack-doe-123",
    },
}
SCOPE = {"scope": "user", "subject_type": "user", "subject_id": "jack-doe-123"}


def test_an_event_is_recorded_with_its_scope_and_subject(world):
    response = world.alice.post("events", BODY)

    assert response.status_code == 201
    recorded = response.json()
    assert recorded["event_id"]
    event = world.alice.ok("get", f"events/{recorded['event_id']}")
    assert {name: event[name] for name in SCOPE} == SCOPE
    assert event["content"] == BODY["content"]
    assert {name: event[name] for name in BODY} == BODY
    chunks = world.alice.ok("post", "chunks/get", {"chunk_ids": recorded["chunk_ids"]})["chunks"]
    assert [{name: chunk[name] for name in SCOPE} for chunk in chunks] == [SCOPE]
    assert chunks[0]["text"] == "Jack Doe called about billing"
    assert chunks[0]["event_id"] == recorded["event_id"]
