"""The timeline around a chunk: nearest first, bounded by its window, for the same ears as every other answer."""

import uuid
from itertools import chain

import pytest

NOON = "2025-02-10T12:00:00Z"


def timeline(api, chunk, **parameters):
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return api.ok("get", f"chunks/{chunk}/timeline" + (f"?{query}" if query else ""))


def around(api, chunk, **parameters):
    return [(found["text"], found["distance_seconds"]) for found in timeline(api, chunk, **parameters)["chunks"]]


def test_it_works(world):
    center = world.chunk("center", ts=NOON)
    world.chunk("before", ts="2025-02-10T11:59:50Z")
    world.chunk("after", ts="2025-02-10T12:00:05Z")

    answer = timeline(world.alice, center)

    assert set(answer) == {"around_chunk_id", "center_ts", "window_seconds", "chunks", "is_cut", "next"}
    assert (answer["around_chunk_id"], answer["center_ts"], answer["window_seconds"]) == (center, NOON, 3600)
    assert around(world.alice, center) == [("center", 0), ("after", 5), ("before", -10)]


def test_the_ends_of_the_window_belong_to_it(world):
    center = world.chunk("center", ts=NOON)
    for ts in ("11:59:50", "11:59:49.999999", "12:00:10", "12:00:10.000001"):
        world.chunk(ts, ts=f"2025-02-10T{ts}Z")

    assert {text for text, _ in around(world.alice, center, window_seconds=10)} == {"center", "11:59:50", "12:00:10"}


def test_a_window_of_nothing_is_the_moment_itself(world):
    center = world.chunk("center", ts=NOON)
    world.chunk("same moment", ts=NOON)
    world.chunk("later", ts="2025-02-10T12:00:01Z")

    assert around(world.alice, center, window_seconds=0) == [("center", 0), ("same moment", 0)]


def test_the_limit_keeps_the_nearest(world):
    center = world.chunk("center", ts=NOON)
    for second in range(1, 6):
        world.chunk(f"after {second}", ts=f"2025-02-10T12:00:{second:02}Z")
        world.chunk(f"before {second}", ts=f"2025-02-10T11:59:{60 - second:02}Z")

    assert around(world.alice, center, limit=4) == [("center", 0), ("before 1", -1), ("after 1", 1), ("before 2", -2)]
    assert around(world.alice, center, limit=1) == [("center", 0)]


def test_what_may_not_be_heard_is_left_out(world):
    center = world.chunk("center", ts=NOON, channel="team")
    hidden = {
        "retract": world.chunk("retracted", ts=NOON, channel="team"),
        "quarantine": world.chunk("quarantined", ts=NOON, channel="team"),
        "block": world.chunk("blocked", ts=NOON, channel="team"),
    }
    world.chunk("secret", ts=NOON, channel="team", sensitivity="secret")
    world.chunk("of another channel", ts=NOON, channel="public")
    world.chunk("high", ts=NOON, channel="team", sensitivity="high")
    for op, chunk in hidden.items():
        world.edit(chunk, op, **({"channel": "team"} if op == "block" else {}))

    assert {text for text, _ in around(world.alice, center, channel="team")} == {"center", "high"}
    assert {text for text, _ in around(world.alice, center, channel="team", include_quarantined="true")} == {
        *("center", "high", "quarantined")
    }


def test_the_center_is_there_though_it_was_said_in_another_channel(world):
    center = world.chunk("center", ts=NOON, channel="team")
    world.chunk("public", ts=NOON, channel="public")

    assert around(world.alice, center, channel="public") == [("center", 0), ("public", 0)]


@pytest.mark.parametrize("op", ["retract", "quarantine", "block"])
def test_around_what_may_not_be_seen_there_is_nothing(world, op):
    center = world.chunk("center", ts=NOON)
    world.chunk("near", ts=NOON)
    world.edit(center, op, **({"channel": "private"} if op == "block" else {}))

    assert world.alice.get(f"chunks/{center}/timeline").status_code == 404


def test_an_unknown_center_is_404_and_so_is_another_tenants(world, elsewhere):
    theirs = elsewhere.chunk()
    unknown, response = (world.alice.get(f"chunks/{one}/timeline") for one in (uuid.uuid4(), theirs))

    assert response.status_code == unknown.status_code == 404
    assert response.json()["detail"] == unknown.json()["detail"]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("window_seconds=-1", "window_seconds"),
        ("window_seconds=1h", "window_seconds"),
        (f"window_seconds={10**12}", "window_seconds"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("channel=everywhere", "channel"),
        ("include_quarantined=perhaps", "include_quarantined"),
        ("cursor=x", "cursor"),
    ],
)
def test_a_bad_parameter_is_named(world, query, parameter):
    response = world.alice.get(f"chunks/{world.chunk()}/timeline?{query}")

    assert response.status_code == 400
    assert [error["parameter"] for error in response.json()["errors"]] == [parameter]


def test_a_channel_outside_the_keys_is_403(world, agent_in):
    chunk = world.chunk(channel="public")
    assert agent_in("public").get(f"chunks/{chunk}/timeline?channel=team").status_code == 403


def pages(api, chunk, **parameters):
    """Every page of a timeline, as the ids that it answers."""
    found: list[list[str]] = []
    following: dict[str, str] = {}
    while True:
        answer = timeline(api, chunk, **parameters, **following)
        found.append([one["chunk_id"] for one in answer["chunks"]])
        assert answer["is_cut"] is (answer["next"] is not None)
        if answer["next"] is None:
            return found
        following = {"cursor": answer["next"]}


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 23])
def test_a_cut_timeline_says_so_and_its_pages_hold_everything_once(world, limit):
    moments = [NOON] * 4 + [f"2025-02-10T12:00:0{n}Z" for n in (1, 1, 1, 2, 5)]
    moments += [f"2025-02-10T11:59:{60 - n}Z" for n in (1, 1, 1, 2, 3)] + ["2025-02-10T11:59:58Z", NOON]
    chunks = [world.chunk(f"{number}", ts=ts) for number, ts in enumerate(moments)]

    for center in (chunks[0], chunks[2], chunks[-1], chunks[5]):
        whole = timeline(world.alice, center)
        assert (whole["is_cut"], whole["next"]) == (False, None)
        expected = [one["chunk_id"] for one in whole["chunks"]]
        assert sorted(expected) == sorted(chunks)
        assert expected[0] == center
        distances = [abs(one["distance_seconds"]) for one in whole["chunks"]]
        assert distances == sorted(distances)

        found = pages(world.alice, center, limit=limit)
        assert [*chain(*found)] == expected
        assert {len(page) for page in found[:-1]} <= {limit}


def test_a_page_of_a_timeline_whose_rest_was_retracted_is_empty(world):
    center = world.chunk("center", ts=NOON)
    near = world.chunk("near", ts="2025-02-10T12:00:01Z")
    first = timeline(world.alice, center, limit=1)
    world.edit(near, "retract")

    rest = timeline(world.alice, center, limit=1, cursor=first["next"])

    assert (rest["chunks"], rest["is_cut"], rest["next"], rest["center_ts"]) == ([], False, None, NOON)


def test_a_cursor_belongs_to_one_timeline(world):
    center, other = world.chunk("center", ts=NOON), world.chunk("other", ts=NOON)
    cursor = timeline(world.alice, center, limit=1)["next"]

    for address in (
        f"{other}/timeline?limit=1&cursor={cursor}",
        f"{center}/timeline?limit=1&window_seconds=60&cursor={cursor}",
    ):
        response = world.alice.get(f"chunks/{address}")
        assert response.status_code == 400
        assert [error["parameter"] for error in response.json()["errors"]] == ["cursor"]
