"""A12: an amendment replaces text and importance, and leaves the record as it was."""

import uuid

import pytest


def amend(world):
    chunk = world.chunk("Jon Doe called about billing")
    edit = world.edit(
        chunk,
        "amend",
        by=world.alice,
        text="John Doe called about billing",
        importance=0.8,
        reason="Correct customer name spelling",
    )
    return chunk, edit


def test_an_amended_chunk_reads_as_corrected(world):
    chunk, edit = amend(world)

    assert edit["status"] == "approved"
    (read,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
    assert read["text"] == "John Doe called about billing"
    assert read["importance"] == 0.8
    assert read["edits_applied"] == 1


def test_the_edit_keeps_the_patch(world):
    _, edit = amend(world)

    recorded = world.bob.ok("get", f"edits/{edit['edit_id']}")
    assert recorded["op"] == "amend"
    assert recorded["patch"] == {"text": "John Doe called about billing", "importance": 0.8}
    assert recorded["reason"] == "Correct customer name spelling"
    assert (recorded["proposed_by"], recorded["proposer"]) == ("agent", "alice")


def test_it_is_found_by_its_new_words_and_not_by_its_old(world):
    amend(world)

    assert world.found("John") == ["John Doe called about billing"]
    assert world.found("Jon") == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_the_original_record_is_unchanged(world, owner):
    chunk, _ = amend(world)

    with world.inside("owner"):
        (row,) = owner(
            "SELECT c.body, k.importance FROM memory_chunk k JOIN governance_content c"
            " ON c.tenant_id = k.tenant_id AND c.id = k.content_id WHERE k.id = %s",
            [uuid.UUID(chunk)],
        )
    assert row["body"] == "Jon Doe called about billing"
    assert float(row["importance"]) == 0.5
