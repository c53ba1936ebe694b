"""The log of promotions and the candidates: what moved, what would move, what would not, and why."""

from urllib.parse import urlencode

import pytest

from tests.tiers.usage import DAY, NOW

pytestmark = pytest.mark.django_db


def listed(api, path="promotions", **parameters):
    return api.ok("get", f"{path}?{urlencode(parameters)}")


def chunks_of(answer):
    return [one["chunk_id"] for one in answer["results"]]


@pytest.fixture
def moved(world, usage):
    """(moved by the job, moved by hand)"""
    by_job, by_hand = world.chunk(), world.chunk("Another")
    usage.used(by_job, "one", times=2)
    usage.run()
    world.bob.ok("post", f"chunks/{by_hand}/promote", {"tier": "longterm", "reason": "a test"})
    return by_job, by_hand


def test_the_log_has_every_move_newest_first(world, moved):
    by_job, by_hand = moved
    assert chunks_of(listed(world.auditor)) == [by_hand, by_job]
    one = listed(world.alice, chunk_id=by_job)["results"][0]
    assert (one["from_tier"], one["to_tier"], one["kind"]) == ("task", "session", "automatic")
    assert one["evidence"]["uses_in_session"] == 2


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"from_tier": "task"}, 2),
        ({"to_tier": "session"}, 1),
        ({"kind": "manual"}, 1),
        ({"kind": "automatic", "to_tier": "longterm"}, 0),
        ({"since": (NOW - DAY).isoformat()}, 2),
        ({"until": (NOW - DAY).isoformat()}, 0),
    ],
)
def test_the_log_is_filtered(world, moved, filters, count):
    assert len(listed(world.bob, **filters)["results"]) == count


def test_the_log_is_paged(world, moved):
    by_job, by_hand = moved
    first = listed(world.bob, limit=1)
    assert chunks_of(first) == [by_hand]
    second = listed(world.bob, limit=1, cursor=first["next"])
    assert (chunks_of(second), second["next"]) == ([by_job], None)


def test_agents_read_the_moves_of_what_they_may_read(world, moved, agent_in):
    by_job, by_hand = moved
    world.edit(by_job, "retract")
    assert chunks_of(listed(world.alice)) == [by_hand]
    assert len(listed(world.auditor)["results"]) == 2
    assert chunks_of(listed(agent_in("public"))) == []


def test_candidates_say_what_would_move_and_what_would_not(world, usage):
    goes, stays, checked = world.chunk(), world.chunk("Another"), world.chunk("A third")
    usage.used(checked, "one")
    usage.run()
    usage.used(goes, "one", times=2, at=NOW - DAY)
    usage.used(stays, "one", at=NOW - DAY)
    for chunk in (goes, stays):
        usage.due(chunk, NOW - DAY)
    answer = listed(world.alice, "promotions/candidates")
    assert {one["chunk_id"]: (one["wanted_tier"], one["would_move"], one["failed"]) for one in answer["results"]} == {
        goes: ("session", True, None),
        stays: ("session", False, "uses_in_session"),
        checked: ("session", False, "uses_in_session"),
    }
    assert chunks_of(listed(world.alice, "promotions/candidates", would_move="true")) == [goes]
    assert chunks_of(listed(world.alice, "promotions/candidates", would_move="false")) == [checked, stays]
    assert len(listed(world.alice, "promotions/candidates", tier="task")["results"]) == 3
    assert listed(world.alice, "promotions/candidates", tier="archive")["results"] == []
    (one,) = listed(world.alice, "promotions/candidates", chunk_id=goes)["results"]
    assert one["evidence"]["uses_in_session"] == 2


def test_candidates_are_paged_without_gaps(world, usage):
    made = [world.chunk(f"The quick brown fox {number}") for number in range(5)]
    for chunk in made:
        usage.used(chunk, "one")
    usage.run()
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = listed(world.bob, "promotions/candidates", limit=2, **cursor)
        found += chunks_of(page)
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert found == sorted(made, reverse=True)


def test_what_waits_for_time_says_until_when(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "longterm", at=NOW - DAY)
    usage.run()
    (one,) = listed(world.bob, "promotions/candidates")["results"]
    assert (one["failed"], one["due_at"] is not None) == ("unused_days", True)


def test_agents_read_the_candidates_that_they_may_read(world, usage, agent_in):
    chunk = world.chunk(channel="private")
    usage.used(chunk, "one", times=2)
    usage.run()
    assert chunks_of(listed(world.alice, "promotions/candidates")) == [chunk]
    assert chunks_of(listed(agent_in("public"), "promotions/candidates")) == []
    world.edit(chunk, "retract")
    assert chunks_of(listed(world.alice, "promotions/candidates")) == []
    usage.run()
    (one,) = listed(world.auditor, "promotions/candidates")["results"]
    assert one["failed"] == "retracted"


def test_another_tenant_reads_nothing_of_it(world, elsewhere, moved):
    assert listed(elsewhere.auditor)["results"] == []
    assert listed(elsewhere.auditor, "promotions/candidates")["results"] == []


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("promotions", {"kind": "loud"}),
        ("promotions", {"chunk_id": "x"}),
        ("promotions", {"tier": "task"}),
        ("promotions", {"cursor": "x"}),
        ("promotions", {"limit": "0"}),
        ("promotions/candidates", {"would_move": "perhaps"}),
        ("promotions/candidates", {"cursor": "x"}),
        ("promotions/candidates", {"kind": "manual"}),
    ],
)
def test_bad_parameters_are_named(world, path, parameters):
    answer = world.bob.get(f"{path}?{urlencode(parameters)}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["parameter"] in parameters
