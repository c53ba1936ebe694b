"""Chunks by id: those that may be seen, in the order asked, the others left out without a word."""

import uuid

import pytest


def get(api, ids, **fields):
    return api.ok("post", "chunks/get", {"chunk_ids": [str(one) for one in ids], **fields})["chunks"]


def test_it_works(world):
    recorded = world.event("The quick brown fox", tags=["a"], content={"project_id": "alpha"})
    (chunk_id,) = recorded["chunk_ids"]

    (chunk,) = get(world.alice, [chunk_id])

    assert chunk == {
        "chunk_id": chunk_id,
        "tags": ["a"],
        "text": "The quick brown fox",
        "importance": 0.5,
        "ts": recorded["ts"],
        "edits_applied": 0,
        "is_retracted": False,
        "is_quarantined": False,
        "event_id": recorded["event_id"],
        "session_id": "session-1",
        "scope": "project",
        "subject_type": None,
        "subject_id": None,
        "project_id": "alpha",
        "channel": "private",
        "tier": "task",
        "source": "event",
        "recorder": "alice",
    }


def test_unknown_ids_and_other_tenants_are_left_out(world, elsewhere):
    mine, theirs = world.chunk("mine"), elsewhere.chunk("theirs")

    assert [chunk["text"] for chunk in get(world.alice, [theirs, mine, uuid.uuid4()])] == ["mine"]


def test_an_id_asked_twice_is_answered_once(world):
    chunk, other = world.chunk("one"), world.chunk("other")
    assert [found["text"] for found in get(world.alice, [other, chunk, other])] == ["other", "one"]


def test_no_ids_no_chunks(world):
    assert get(world.alice, []) == []


def test_visibility_is_by_block_and_sensitivity_not_by_the_channel_it_was_said_in(world):
    team = world.chunk("team", channel="team")
    high = world.chunk("high", channel="team", sensitivity="high")
    secret = world.chunk("secret", channel="team", sensitivity="secret")

    assert [chunk["text"] for chunk in get(world.alice, [team, high, secret], channel="public")] == ["team"]
    assert [chunk["text"] for chunk in get(world.alice, [team, high, secret], channel="team")] == ["team", "high"]
    assert [chunk["text"] for chunk in get(world.alice, [team, high, secret])] == ["team", "high"]


def test_retracted_chunks_are_not_there_even_for_who_asks(world):
    chunk = world.chunk()
    world.edit(chunk, "retract")
    for caller in (world.alice, world.bob, world.auditor):
        assert get(caller, [chunk], include_quarantined=True) == []


def test_a_channel_outside_the_keys_is_403(world, agent_in):
    chunk = world.chunk(channel="public")
    speaker = agent_in("public")

    assert len(get(speaker, [chunk], channel="public")) == 1
    assert speaker.post("chunks/get", {"chunk_ids": [chunk], "channel": "private"}).status_code == 403


@pytest.mark.parametrize(
    ("ids", "pointer"),
    [
        ("x", "#/chunk_ids"),
        (None, "#/chunk_ids"),
        (["chunk-1"], "#/chunk_ids/0"),
        ([str(uuid.uuid4()), "5"], "#/chunk_ids/1"),
        ([str(uuid.UUID(int=number)) for number in range(1001)], "#/chunk_ids"),
    ],
)
def test_ids_are_uuids_and_at_most_a_thousand(world, ids, pointer):
    response = world.alice.post("chunks/get", {"chunk_ids": ids})

    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]


def test_a_summary_is_a_chunk_without_an_event(world, noted):
    (chunk,) = get(world.alice, [noted("Jack prefers mail", 0.7)])

    assert (chunk["source"], chunk["event_id"], chunk["importance"]) == ("summary", None, 0.7)
    assert (chunk["subject_id"], chunk["text"]) == ("jack-doe-123", "Jack prefers mail")
