"""Recording memories with a key, metadata, a value and a time to live."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from tests.memories.remembering import ADA, found, listed, remember

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_a_memory_is_returned_as_it_was_recorded(world):
    value = {"cups": [1, 2.50, None], "likes": "ooLong"}
    made = remember(world.alice, value=value, metadata={"topic": "food"}, key="drink", tags=["tea"])
    assert (made["status"], made["key"], made["redacted"], made["notices"]) == ("recorded", "drink", [], [])
    got = world.alice.ok("get", f"memories/{made['id']}")
    assert (got["text"], got["value"], got["metadata"], got["key"]) == (
        "Ada drinks oolong", value, {"topic": "food"}, "drink",
    )  # fmt: skip
    assert (got["kind"], got["recorder"], got["channel"], got["session_id"], got["tags"]) == (
        "message", "alice", "private", "memories", ["tea"],
    )  # fmt: skip
    assert got["created_at"] == got["updated_at"] == made["ts"]
    assert (got["expires_at"], got["edits_applied"], got["chunk_ids"]) == (None, 0, made["chunk_ids"])


def test_a_value_without_a_text_is_found_by_its_words(world):
    world.alice.ok("post", "memories", {"value": {"drink": "oolong", "cups": {"morning": 2}}, **ADA})
    assert found(world.alice, "oolong") == ["drink: oolong\ncups:\n  morning: 2"]


def test_one_id_names_a_memory_of_many_chunks(world):
    text = " ".join(f"Sentence {n} of the long story about the whale." for n in range(120))
    made = remember(world.alice, text, metadata={"book": "Moby-Dick"})
    assert len(made["chunk_ids"]) > 1
    got = world.alice.ok("get", f"memories/{made['id']}")
    assert (got["text"], got["chunk_ids"]) == (text, made["chunk_ids"])
    assert world.alice.ok("get", f"memories/{made['chunk_ids'][-1]}") == got
    assert found(world.alice, "whale story", where={"book": "Moby-Dick"}) == [text]
    assert listed(world.alice) == [text]


def test_recording_a_key_again_replaces_the_memory(world):
    first = remember(world.alice, key="drink")
    second = remember(world.alice, "Ada drinks coffee", key="drink")
    assert second["superseded_chunk_ids"] == first["chunk_ids"]
    assert listed(world.alice, key="drink") == listed(world.alice) == ["Ada drinks coffee"]
    for id in (first["id"], second["id"], first["chunk_ids"][0]):
        got = world.alice.ok("get", f"memories/{id}")
        assert (got["id"], got["created_at"], got["updated_at"]) == (second["id"], first["ts"], second["ts"])


def test_the_key_of_another_agent_or_subject_is_another_key(world, charlie):
    remember(world.alice, key="drink")
    remember(world.alice, "Bo drinks milk", key="drink", subject_id="bo")
    remember(charlie, "Ada drinks water", key="drink")
    assert set(listed(world.alice, key="drink", subject_type="user", subject_id="ada")) == {
        "Ada drinks oolong", "Ada drinks water",
    }  # fmt: skip
    assert listed(world.alice, key="drink", subject_id="bo", subject_type="user") == ["Bo drinks milk"]
    assert listed(world.alice, key="drink", recorder="charlie") == ["Ada drinks water"]


def test_of_many_that_record_one_key_at_once_one_stays(world):
    def put(number: int) -> int:
        try:
            return int(world.alice.post("memories", {"text": f"Count {number}", "key": "counter", **ADA}).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(put, range(100))) == {201}
    assert len(listed(world.alice, key="counter")) == 1


def test_the_same_id_is_recorded_once(world):
    id = "0192f0c1-2d3e-7f40-8a1b-2c3d4e5f6071"
    assert remember(world.alice, id=id, ttl=3600)["status"] == "recorded"
    assert remember(world.alice, id=id, ttl=3600)["status"] == "already_recorded"
    assert world.alice.post("memories", {"text": "Another", "id": id, **ADA}).json()["code"] == "event-id-taken"


def test_a_batch_is_recorded_wholly_or_not_at_all(world):
    good = {"text": "Ada drinks oolong", "key": "drink", **ADA}
    made = world.alice.ok("post", "memories/batch", {"memories": [good, {"text": "Ada eats rice", **ADA}]})
    assert [one["status"] for one in made["memories"]] == ["recorded", "recorded"]
    refused = world.alice.post("memories/batch", {"memories": [{"text": "Ada sleeps", **ADA}, {"metadata": {}}]})
    assert [one["pointer"] for one in refused.json()["errors"]] == ["#/memories/1/text"]
    assert set(listed(world.alice)) == {"Ada drinks oolong", "Ada eats rice"}


def test_a_masked_secret_is_named_in_the_answer(world):
    made = remember(world.alice, value={"password": "hunter2-Zanzibar-99"}, metadata={"api_key": "sk-" + "aB3" * 14})
    assert made["redacted"]
    got = world.alice.ok("get", f"memories/{made['id']}")
    assert "Zanzibar" not in str(got["value"])
    assert "aB3aB3" not in str(got["metadata"])


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"text": " "}, "#/text"),
        ({"key": "k" * 201}, "#/key"),
        ({"metadata": {"x": "y" * 1_000_000}}, "#/metadata"),
        ({"metadata": ["food"]}, "#/metadata"),
        ({"ttl": 0}, "#/ttl"),
        ({"ttl": -5}, "#/ttl"),
        ({"ttl": 60, "ts": "2026-01-05T10:00:00Z"}, "#/ttl"),
        ({"value": None}, "#/value"),
        ({"meta": {}}, "#/meta"),
        ({"subject_id": None}, "#/subject_id"),
    ],
)
def test_bad_input_is_refused_with_its_place(world, fields, pointer):
    refused = world.alice.post("memories", {"text": "Ada drinks oolong", **ADA, **fields})
    assert refused.status_code == 400, refused.content
    assert pointer in {one["pointer"] for one in refused.json()["errors"]}, refused.content


def test_a_message_event_takes_them_in_its_content(world):
    made = world.event("Ada drinks oolong", content={"metadata": {"topic": "food"}, "value": [1], "ttl": 3600.5})
    got = world.alice.ok("get", f"memories/{made['event_id']}")
    assert (got["metadata"], got["value"]) == ({"topic": "food"}, [1])
    assert got["expires_at"] is not None
