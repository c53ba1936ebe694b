"""Tags: answered wherever a chunk or an event is, and lists are filtered by them."""

import pytest

from tests.factories import SummaryFactory


@pytest.fixture
def tagged(world):
    return world.event("tagged fox", tags=["Billing", "späte Rückfrage"])


def test_every_answer_with_a_chunk_has_its_tags(world, tagged):
    (chunk,) = tagged["chunk_ids"]
    tags = ["Billing", "späte Rückfrage"]

    assert world.alice.ok("get", f"events/{tagged['event_id']}")["tags"] == tags
    assert [one["tags"] for one in world.alice.ok("get", "chunks")["results"]] == [tags]
    assert [one["tags"] for one in world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]] == [tags]
    assert [one["tags"] for one in world.alice.ok("post", "chunks/search", {"query": "fox"})["chunks"]] == [tags]
    assert [one["tags"] for one in world.alice.ok("get", f"chunks/{chunk}/timeline")["chunks"]] == [tags]


def test_chunks_and_events_are_filtered_by_a_tag(world, tagged):
    world.event("another fox", tags=["shipping"])
    world.event("untagged fox")
    summary = world.alice.ok("post", "chunks/summary", SummaryFactory(tags=["Billing"]))["chunk_id"]

    def found(path):
        return [one.get("chunk_id") or one["event_id"] for one in world.alice.ok("get", path)["results"]]

    assert found("chunks?tag=Billing") == [summary, tagged["chunk_ids"][0]]
    assert found("chunks?tag=Billing&scope=session") == tagged["chunk_ids"]
    assert found("events?tag=Billing") == [tagged["event_id"]]
    assert found("events?tag=späte Rückfrage") == [tagged["event_id"]]
    assert found("chunks?tag=billing") == found("events?tag=Bill") == []
    page = world.alice.ok("get", "chunks?tag=Billing&limit=1")
    rest = world.alice.ok("get", f"chunks?tag=Billing&limit=1&cursor={page['next']}")
    assert [one["chunk_id"] for one in page["results"] + rest["results"]] == found("chunks?tag=Billing")


def test_an_empty_or_overlong_tag_is_refused(world):
    for path in ("chunks", "events"):
        assert world.alice.get(f"{path}?tag=").status_code == 400
        assert world.alice.get(f"{path}?tag={'x' * 201}").status_code == 400


def test_a_hidden_chunk_is_not_found_by_its_tag(world, tagged):
    world.edit(tagged["chunk_ids"][0], "retract")

    assert world.alice.ok("get", "chunks?tag=Billing")["results"] == []
