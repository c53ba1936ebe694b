"""POST /files: a file's chunks become memory; a later version supersedes what it has not."""

import uuid
from typing import Any

import pytest

from memory.services import completing
from tests.capture.capturing import memories, part, parts, store, texts, words

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def paragraph(name: str) -> str:
    """Forty words that end a sentence: five of them are the most that a chunk holds."""
    return " ".join(f"{name}{place}" for place in range(40)) + "."


def ids(world: Any, path: str = "notes.md") -> list[str]:
    return [one["id"] for one in memories(world.alice, file_path=path)]


def test_a_file_of_500_words_makes_3_memories_with_their_metadata(world):
    whole = part("test.md", words(500))
    made = world.alice.ok("post", "files", whole)

    assert (made["status"], made["added"], made["kept"], made["superseded"]) == ("current", 3, 0, 0)
    found = memories(world.alice, source="MDFileChunk", file_path="test.md")
    assert [one["source"] for one in found] == [{"type": "MDFileChunk", "file_path": "test.md"}] * 3
    assert [one["chunk_metadata"] for one in found] == [
        {
            "file_path": "test.md",
            "chunk_index": place,
            "total_chunks": 3,
            "word_offset": place * 150,
            "file_hash": whole["file_hash"],
        }
        for place in range(3)
    ]
    assert {one["session_id"] for one in found} == {"watch:docs"}
    assert {one["importance"] for one in found} == {0.6}


def test_a_changed_file_supersedes_its_old_chunks_and_adds_new_ones(world):
    store(world.alice, "test.md", words(500, "old"))
    made = store(world.alice, "test.md", words(1_000, "new"))

    assert (made["added"], made["kept"], made["superseded"]) == (7, 0, 3)
    assert len(memories(world.alice, file_path="test.md")) == 7
    assert len(memories(world.alice, file_path="test.md", include_superseded="true")) == 10
    assert world.found("old3") == []


def test_a_file_with_the_same_hash_is_left_alone(world):
    store(world.alice, "notes.md", "One.")
    answer = world.alice.post("files", part("notes.md", "One."))
    assert (answer.status_code, answer.json()["status"]) == (200, "unchanged")


def test_unchanged_chunks_keep_their_identity_and_their_edits(world):
    before = [paragraph(name) for name in "abcdefghij"]
    store(world.alice, "notes.md", " ".join(before))
    first, *_ = was = ids(world)
    world.edit(first, "attenuate", importance=0.1)

    made = store(world.alice, "notes.md", " ".join([*before[:-1], paragraph("z")]))

    now = memories(world.alice, file_path="notes.md")
    assert (made["kept"], made["added"], made["superseded"]) == (2, 1, 1)
    assert [one["id"] for one in now[:2]] == was[:2]
    assert now[0]["importance"] == 0.1
    assert now[0]["chunk_metadata"]["file_hash"] == part("", " ".join([*before[:-1], paragraph("z")]))["file_hash"]


def test_a_text_that_stands_twice_keeps_both_chunks(world):
    same = paragraph("same")
    twice = " ".join([same] * 12)
    store(world.alice, "notes.md", twice)
    was = ids(world)
    made = store(world.alice, "notes.md", twice + " " + paragraph("end"))
    assert made["kept"] >= len(was) - 1
    assert len(set(ids(world))) == len(ids(world))


def test_parts_are_visible_after_the_last_one(world):
    store(world.alice, "notes.md", words(300, "old"))
    *most, last = parts(part("notes.md", words(1_000, "new")), 3)
    for one in most:
        assert world.alice.ok("post", "files", one)["status"] == "stored"
        assert world.alice.ok("post", "files", one)["added"] == 0
    assert world.found("new5") == []
    assert len(world.found("old5")) == 1

    made = world.alice.ok("post", "files", last)

    assert (made["status"], made["added"], made["superseded"]) == ("current", 7, 2)
    assert len(world.found("new5")) == 1
    assert world.found("old5") == []
    assert world.alice.ok("post", "files", last)["added"] == 0


def test_a_version_with_a_missing_part_does_not_become_current(world):
    store(world.alice, "notes.md", "Old.")
    *_, last = parts(part("notes.md", words(1_000)), 3)
    answer = world.alice.post("files", last)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:suture:problem:file-version-incomplete")
    assert texts(world.alice) == ["Old."]


def test_a_version_is_not_used_twice(world):
    version = str(uuid.uuid4())
    store(world.alice, "notes.md", "One.", version_id=version)
    store(world.alice, "notes.md", "Two.")
    answer = world.alice.post("files", part("notes.md", "Three.", version_id=version))
    assert answer.status_code == 409


def test_an_empty_file_supersedes_what_was_there(world):
    store(world.alice, "notes.md", "Old.")
    made = store(world.alice, "notes.md", "")
    assert (made["added"], made["superseded"]) == (0, 1)
    assert memories(world.alice) == []


def test_the_chunks_of_a_deleted_file_are_kept_and_marked(world):
    store(world.alice, "notes.md", "Jack speaks Ladin.")
    assert world.alice.ok("post", "files/deleted", {"session_id": "watch:docs", "file_path": "notes.md"}) == {
        "chunks": 1
    }
    (memory,) = memories(world.alice, file_path="notes.md")
    assert memory["file_deleted_at"] is not None
    assert world.found("Ladin") == ["Jack speaks Ladin."]
    (file,) = world.alice.ok("get", "files")["results"]
    assert file["is_deleted"]

    made = store(world.alice, "notes.md", "Jack speaks Ladin.")
    assert (made["status"], made["kept"]) == ("current", 1)
    (memory,) = memories(world.alice, file_path="notes.md")
    assert memory["file_deleted_at"] is None


def test_a_renamed_file_keeps_its_chunks(world):
    store(world.alice, "notes.md", "Jack speaks Ladin.")
    store(world.alice, "other.md", "Replaced.")
    was = ids(world)
    names = {"session_id": "watch:docs", "file_path": "notes.md", "new_file_path": "other.md"}
    assert world.alice.ok("post", "files/renamed", names) == {"chunks": 1}
    assert ids(world, "other.md") == was
    (memory,) = memories(world.alice)
    assert memory["source"]["file_path"] == "other.md"
    assert [one["file_path"] for one in world.alice.ok("get", "files")["results"]] == ["other.md"]
    assert world.alice.post("files/renamed", names).status_code == 404


def test_deleting_by_path_supersedes_and_answers_how_many(world):
    store(world.alice, "test.md", words(500))
    store(world.alice, "test.md", words(300, "x"), session_id="watch:other")
    one = {"file_path": "test.md", "session_id": "watch:other"}
    assert world.alice.ok("post", "captures/delete", one) == {"deleted": 2}
    assert world.alice.ok("post", "captures/delete", {"file_path": "test.md"}) == {"deleted": 3}
    assert memories(world.alice) == []
    assert len(memories(world.alice, include_superseded="true")) == 5


def test_a_neighbour_gives_up_the_words_that_it_shares_with_a_corrected_chunk(world):
    store(world.alice, "notes.md", words(450))
    first, middle, last = ids(world)
    assert sum("w160 " in text for text in texts(world.alice)) == 2

    edit = world.edit(middle, "retract")

    assert texts(world.alice) == [words(150), " ".join(f"w{place}" for place in range(350, 450))]
    assert world.found("w160") == []
    world.edit(middle, "revert", edit_id=edit["edit_id"])
    assert ids(world) == [first, middle, last]
    assert sum("w160 " in text for text in texts(world.alice)) == 2


@pytest.mark.parametrize("op", ["retract", "quarantine", "amend"])
def test_a_change_of_the_file_does_not_bring_back_what_was_corrected(world, op):
    before = words(345)
    store(world.alice, "notes.md", before)
    _, second = ids(world)
    world.edit(second, op, **({"text": "It was wrong."} if op == "amend" else {}))

    made = store(world.alice, "notes.md", before + " and more")

    assert len(made["quarantined_chunk_ids"]) == 1
    assert all("w340" not in text for text in texts(world.alice))
    waiting = world.bob.ok("get", "edits?status=pending")["results"]
    (release,) = [one for one in waiting if one["target_id"] == made["quarantined_chunk_ids"][0]]
    world.bob.decide(release["edit_id"])
    assert any("w340" in text for text in texts(world.alice))


def test_a_new_chunk_beside_a_corrected_one_lacks_the_words_that_they_share(world):
    first, *rest = [paragraph(name) for name in "abcdefgh"]
    store(world.alice, "notes.md", " ".join([first, *rest]))
    head, *_ = ids(world)
    world.edit(head, "retract")
    store(world.alice, "notes.md", " ".join([first, *rest, paragraph("z")]))
    shared = first.split() + [word for paragraph in rest[:4] for word in paragraph.split()]
    assert not set(shared) & set(" ".join(texts(world.alice)).split())


def test_two_agents_with_the_same_path_do_not_touch_each_other(world):
    store(world.alice, "notes.md", "Of alice.")
    store(world.bob, "notes.md", "Of bob.")
    assert sorted(texts(world.alice)) == ["Of alice.", "Of bob."]


def test_a_file_needs_a_session(world):
    request = part("notes.md", "One.")
    del request["session_id"]
    answer = world.alice.post("files", request)
    assert answer.json()["errors"][0]["detail"] == "session_id is required for memory capture"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"file_hash": "abc"}, "#/file_hash"),
        ({"total_chunks": 0}, "#/chunks"),
        ({"version_id": "x"}, "#/version_id"),
        ({"chunks": [{"text": "a", "word_offset": 0, "start": 5, "end": 5}]}, "#/chunks/0/end"),
    ],
)
def test_a_part_that_is_none_is_refused_with_its_place(world, change, place):
    answer = world.alice.post("files", part("notes.md", "One.", **change))
    assert answer.status_code == 400
    assert [error["pointer"] for error in answer.json()["errors"]] == [place]


def test_the_words_in_context_follow_the_version(world):
    store(world.alice, "notes.md", words(300, "old"))
    completing.complete_context(world.tenant_id)
    *staged, last = parts(part("notes.md", words(1_000, "new")), 3)
    for one in staged:
        world.alice.ok("post", "files", one)
    completing.complete_context(world.tenant_id)
    world.alice.ok("post", "files", last)
    completing.complete_context(world.tenant_id)
    assert len(world.found("new5")) == 1


def test_only_who_began_a_version_continues_it(world, agent_in):
    whole = part("notes.md", words(500))
    first, *rest = parts(whole, 1)
    world.alice.ok("post", "files", first)
    refused = agent_in("private").post("files", rest[0])

    assert (refused.status_code, refused.json()["code"]) == (409, "file-version-of-another")
    for one in rest:
        world.alice.ok("post", "files", one)
    assert len(memories(world.alice, file_path="notes.md")) == 3
