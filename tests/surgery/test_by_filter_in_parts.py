"""Editing more by one filter than one request edits: in parts, by one token."""

import uuid

import pytest

from memory.services import surgery
from tests.factories import EventFactory

from .filtering import commit, previewed
from .helpers import counts, words


@pytest.fixture
def parts_of_two(monkeypatch):
    monkeypatch.setattr(surgery, "PART", 2)


@pytest.mark.usefixtures("parts_of_two")
def test_one_token_covers_all_parts(world):
    for number in range(5):
        world.chunk(f"cheese {number}")
    answer = previewed(world.bob, {"phrase": "cheese"}, "retract")
    assert (answer["count"], answer["parts"]) == (5, 3)

    made = [commit(world.bob, answer["token"]).json() for _ in range(3)]

    assert [(one["part"], one["parts"], one["is_complete"]) for one in made] == [
        (1, 3, False),
        (2, 3, False),
        (3, 3, True),
    ]
    assert [len(one["edits"]) for one in made] == [2, 2, 1]
    (batch,) = {one["batch_id"] for one in made}
    assert len(world.bob.ok("get", f"edits?batch_id={batch}")["results"]) == 5
    assert world.found("cheese") == []
    again = commit(world.bob, answer["token"])
    assert again.status_code == 409
    assert batch in again.json()["detail"]


@pytest.mark.usefixtures("parts_of_two")
def test_a_part_is_committed_once_whichever_way_it_is_asked_for(world):
    for number in range(5):
        world.chunk(f"cheese {number}")
    token = previewed(world.bob, {"phrase": "cheese"}, "attenuate", patch={"importance_delta": -0.2})["token"]
    key = {"Idempotency-Key": f"key-{uuid.uuid4()}"}

    def part(number, **headers):
        return world.bob.post("edits/by-filter", {"token": token, "part": number}, **headers)

    second = part(2, **key)
    assert (second.json()["part"], second.json()["is_complete"]) == (2, False)
    assert part(2, **key).json() == second.json()
    assert part(2).status_code == 409
    assert "Part 2" in part(2).json()["detail"]
    assert [commit(world.bob, token).json()["part"] for _ in range(2)] == [1, 3]
    assert commit(world.bob, token).status_code == 409
    for wrong in (0, 4, "first"):
        assert part(wrong).status_code == 400
    assert world.bob.post("edits/by-filter", {"part": 1}).status_code == 400
    shown = world.alice.ok("get", "chunks")["results"]
    assert {chunk["importance"] for chunk in shown} == {0.3}


@pytest.mark.usefixtures("parts_of_two")
def test_a_part_that_has_changed_says_what_was_done_and_changes_nothing(world):
    chunks = [world.chunk(f"cheese {number}") for number in range(5)]
    token = previewed(world.bob, {"phrase": "cheese"}, "quarantine")["token"]
    commit(world.bob, token)
    edit = world.edit(chunks[3], "amend", text="rock")["edit_id"]
    before = counts(world)

    refused = commit(world.bob, token)

    assert refused.status_code == 409
    assert "part 2 of 3" in refused.json()["detail"]
    assert "committed stay" in refused.json()["detail"]
    assert counts(world) == before
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "cheese it was"})
    assert [commit(world.bob, token).json()["part"] for _ in range(2)] == [2, 3]
    assert world.found("cheese") == []


@pytest.mark.usefixtures("parts_of_two")
def test_the_chunks_of_one_event_are_in_one_part(world):
    world.chunk("word1 first")
    long = world.event(words(230))["chunk_ids"]
    world.chunk("word1 last")

    answer = previewed(world.bob, {"session_id": "session-1"}, "attenuate", patch={"importance_delta": -0.2})
    made = [commit(world.bob, answer["token"]).json() for _ in range(answer["parts"])]

    targets = [{world.bob.ok("get", f"edits/{item['edit_id']}")["target_id"] for item in one["edits"]} for one in made]
    assert sum(set(long) & part != set() for part in targets) == 1
    assert len(set().union(*targets)) == answer["count"]


@pytest.mark.slow
def test_more_than_5000_chunks_are_edited_by_one_token(world):
    for start in range(0, 5_001, 1_000):
        bodies = [EventFactory(content__text=f"cheese {n}") for n in range(start, min(start + 1_000, 5_001))]
        world.alice.ok("post", "events/batch", {"events": bodies})

    answer = previewed(world.bob, {"phrase": "cheese"}, "retract")
    last = world.bob.ok("post", "edits/by-filter", {"token": answer["token"], "part": 2})

    assert (answer["count"], answer["parts"]) == (5_001, 2)
    assert (len(last["edits"]), last["is_complete"]) == (1, False)


def test_a_part_is_recorded_in_slices_and_all_or_nothing(world, monkeypatch):
    monkeypatch.setattr(surgery, "SLICE", 2)
    for number in range(5):
        world.chunk(f"cheese {number}")
    answer = previewed(world.bob, {"phrase": "cheese"}, "retract")

    made = commit(world.bob, answer["token"]).json()

    assert (len(made["edits"]), made["is_complete"]) == (5, True)
    assert len(world.bob.ok("get", f"edits?batch_id={made['batch_id']}")["results"]) == 5
    assert world.found("cheese") == []
