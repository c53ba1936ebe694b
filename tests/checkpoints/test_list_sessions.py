"""Which sessions with checkpoints there are, for whoever may see them; and checkpoints by their label."""

from collections.abc import Callable

import pytest

from governance.identity import identities
from tests.world import Api, World

pytestmark = pytest.mark.django_db


def names(api: Api, query: str = "") -> list[str]:
    return [one["session_id"] for one in api.ok("get", f"sessions{query}")["results"]]


def begin(api: Api, *sessions: str) -> None:
    for session in sessions:
        api.ok("post", f"sessions/{session}/checkpoints", {"working_memory": session})


def test_an_agent_lists_its_sessions_newest_first(world: World, given: Callable[[str], Api], charlie: Api) -> None:
    bob = given("agent-bob")
    begin(world.alice, "run-1", "run_2", "other")
    begin(bob, "run-3", "other")
    world.alice.ok("put", "sessions/run_2/shares", {"agents": ["agent-bob"]})

    assert names(world.alice) == ["other", "run_2", "run-1"]
    assert names(bob) == ["other", "run-3"]
    assert names(bob, "?offered=true") == ["run_2"]
    assert names(charlie) == []
    assert names(world.alice, "?prefix=run_") == ["run_2"]
    assert names(world.alice, "?prefix=run%25") == []
    (shared,) = world.alice.ok("get", "sessions?prefix=run_")["results"]
    assert shared == world.alice.ok("get", "sessions/run_2")
    assert shared["shared_with"] == ["agent-bob"]


def test_the_list_has_pages(world: World) -> None:
    begin(world.alice, *(f"run-{number}" for number in range(5)))
    found, cursor = [], ""
    while cursor is not None:
        page = world.alice.ok("get", f"sessions?prefix=run&limit=2{cursor and '&cursor=' + cursor}")
        found += [one["session_id"] for one in page["results"]]
        cursor = page["next"]
    assert found == [f"run-{number}" for number in (4, 3, 2, 1, 0)]


def test_admins_list_all_and_other_people_none(world: World) -> None:
    begin(world.alice, "run-1")
    boss = identities.provision(world.slug, people=[("boss", "admin")]).users["boss"]["key"]
    assert names(Api(boss)) == ["run-1"]
    assert names(world.bob) == names(world.auditor) == []


def test_checkpoints_are_listed_by_the_beginning_of_their_label(world: World) -> None:
    for label in ("a 1", "a 10", "b 1", None):
        world.alice.ok("post", "sessions/labelled/checkpoints", {"working_memory": 1, "label": label})

    def labels(prefix: str) -> list[str]:
        return [one["label"] for one in world.alice.ok("get", f"sessions/labelled/checkpoints?{prefix}")["results"]]

    assert labels("label_prefix=a%201") == ["a 10", "a 1"]
    assert labels("label_prefix=%25") == []
    assert labels("label_prefix=b&kind=manual&depth=0") == ["b 1"]
    assert labels("") == [None, "b 1", "a 10", "a 1"]
