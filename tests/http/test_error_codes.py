"""What a program learns from a refusal: a code, a type, the place, and in a list the number of the item."""

import uuid
from typing import Any

import pytest

from tests.factories import EditFactory, EventFactory

pytestmark = pytest.mark.django_db(transaction=True)

NOWHERE = str(uuid.UUID(int=7))


def errors(answer: Any, status: int = 400) -> list[dict[str, Any]]:
    assert answer.status_code == status, answer.content
    body = answer.json()
    assert body["type"] == f"urn:suture:problem:{body['code']}"
    for error in body["errors"]:
        assert error["code"]
        assert error["detail"]
    return list(body["errors"])


@pytest.mark.parametrize(
    ("path", "body", "pointer", "choices"),
    [
        ("events", EventFactory(channel="loud"), "#/channel", "private, public, team, agent"),
        ("events", EventFactory(kind="rumour"), "#/kind", "message"),
        ("edits", EditFactory(target_id=NOWHERE, op="erase"), "#/op", "retract, amend, quarantine, attenuate, block"),
        ("chunks/search", {"query": "x", "channel": "loud"}, "#/channel", "private, public, team, agent"),
        ("edits/bulk", {"edits": [EditFactory(target_id=NOWHERE)], "mode": "some"}, "#/mode", "all_or_nothing, each"),
    ],
)
def test_a_wrong_word_is_answered_with_the_words_to_choose_from(world, path, body, pointer, choices):
    (error,) = errors(world.bob.post(path, body))
    assert (error["pointer"], error["code"]) == (pointer, "invalid-choice")
    assert "is not a valid choice. Choose one of: " in error["detail"]
    assert choices in error["detail"]


def test_so_is_one_in_an_address(world):
    (error,) = errors(world.bob.get("edits?status=lost"))
    assert (error["parameter"], error["code"]) == ("status", "invalid-choice")
    assert "Choose one of: pending, approved, rejected" in error["detail"]


def test_a_long_wrong_word_is_not_repeated_whole(world):
    (error,) = errors(world.bob.post("events", EventFactory(channel="x" * 100_000)))
    assert len(error["detail"]) < 400


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"query": "x", "limit": "5"}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "limit": 5.5}, "limit"),
        ({"query": "x", "include_quarantined": "true"}, "include_quarantined"),
        ({"query": "x", "include_quarantined": 1}, "include_quarantined"),
    ],
)
def test_a_text_is_no_number_and_no_yes(world, body, name):
    (error,) = errors(world.bob.post("chunks/search", body))
    assert error["pointer"] == f"#/{name}"


def test_in_a_list_the_number_of_the_item_is_named(world):
    events = [EventFactory(), EventFactory(channel="loud"), EventFactory(surprise=1)]
    found = [(error["index"], error["code"]) for error in errors(world.alice.post("events/batch", {"events": events}))]
    assert found == [(1, "invalid-choice"), (2, "unknown-field")]


def test_each_item_of_a_bulk_says_why_it_was_refused(world):
    chunk = world.chunk("fox")
    retracted = world.edit(world.chunk("hen"), "retract")["edit_id"]
    good = EditFactory(target_id=chunk, op="retract")
    bad = [
        EditFactory(target_id=NOWHERE, op="retract"),
        EditFactory(target_id=chunk, op="revert", patch={"edit_id": retracted}),
        EditFactory(target_id=chunk, op="block", patch={}),
    ]
    answer = world.bob.ok("post", "edits/bulk", {"edits": [bad[0], good, *bad[1:]], "mode": "each"})["edits"]
    assert [item["index"] for item in answer] == [0, 1, 2, 3]
    assert [item["status"] for item in answer] == ["refused", "approved", "refused", "refused"]
    assert [item["code"] for item in answer if item["status"] == "refused"] == [
        "no-such-target",
        "conflict",
        "patch-does-not-fit",
    ]
    for item in answer:
        assert (item.get("type") == f"urn:suture:problem:{item.get('code')}") == (item["status"] == "refused")


def test_what_the_database_refuses_in_a_bulk_has_its_place_too(world):
    """Only the database sees that another edit of the same call reverted it already."""
    chunk = world.chunk("fox")
    applied = world.edit(chunk, "retract")["edit_id"]
    revert = EditFactory(target_id=chunk, op="revert", patch={"edit_id": applied})
    (error,) = errors(world.bob.post("edits/bulk", {"edits": [revert, revert]}), 409)
    assert (error["pointer"], error["index"]) == ("#/edits/1", 1)


@pytest.mark.parametrize("path", ["nothing", "edits/1/approve", "chunks/get"])
def test_every_answer_that_refuses_has_a_type_of_its_own(world, path):
    for answer in (world.bob.get(path), world.bob.request("put", path, {})):
        body = answer.json()
        assert body["type"] == f"urn:suture:problem:{body['code']}"
        assert body["type"] != "urn:suture:problem:"
