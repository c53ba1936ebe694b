"""A1: events and chunks take scope and subject from what was said of them."""

SCOPE = {"scope": "user", "subject_type": "user", "subject_id": "jack-doe-123"}


def test_an_event_and_its_chunks_take_scope_and_subject_from_the_content(world):
    recorded = world.event("Jack Doe called regarding billing issue", content={**SCOPE, "project_id": None})

    event = world.alice.ok("get", f"events/{recorded['event_id']}")
    (chunk,) = world.alice.ok("post", "chunks/get", {"chunk_ids": recorded["chunk_ids"]})["chunks"]
    for stored in (event, chunk):
        assert {name: stored[name] for name in SCOPE} == SCOPE
        assert stored["project_id"] is None


def test_every_chunk_of_a_long_event_inherits_them(world):
    recorded = world.event(" ".join(f"word{number}" for number in range(450)), content=SCOPE)

    chunks = world.alice.ok("post", "chunks/get", {"chunk_ids": recorded["chunk_ids"]})["chunks"]
    assert len(chunks) == 3
    assert [{name: chunk[name] for name in SCOPE} for chunk in chunks] == [SCOPE] * 3
