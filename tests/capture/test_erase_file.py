"""Erasing a chunk of a file erases the file's chunks of every version, which share words with it."""

import pytest

from tests.capture.capturing import body, memories, store, texts, words
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_a_chunk_is_erased_with_its_file_in_every_version_and_under_every_path(world):
    store(world.alice, "old.md", words(300, "first"))
    names = {"session_id": "watch:docs", "file_path": "old.md", "new_file_path": "notes.md"}
    world.alice.ok("post", "files/renamed", names)
    store(world.alice, "notes.md", words(300, "second"))
    store(world.alice, "other.md", "Kept.")
    chunk = memories(world.alice, file_path="notes.md")[0]["id"]

    receipt = admins_of(world).erase(by="chunk", id=chunk)

    assert texts(world.alice, "notes.md") == []
    assert [one["content"] for one in memories(world.alice, include_superseded="true")] == ["Kept."]
    assert world.found("second5") == world.found("first5") == []
    assert receipt["status"] == "executed"


def test_a_captured_response_is_erased_with_all_its_chunks(world):
    made = world.alice.ok("post", "captures", body(words(600), {"type": "ClaudeResponse", "response_type": "stop"}))
    admins_of(world).erase(by="chunk", id=made["chunk_ids"][1])
    assert memories(world.alice) == []
    assert world.alice.ok("post", "captures", body("Something else"))["status"] == "recorded"
