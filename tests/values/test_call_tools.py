"""An agent corrects and forgets a value with one call."""

import pytest

from tests.tools.calls import call
from tests.world import World

pytestmark = pytest.mark.django_db


def test_forgetting_what_it_recorded_takes_effect_at_once(world: World) -> None:
    world.event("Staging runs on orchid-7.")
    answer = call(world.alice, "memory_forget", {"value": "orchid-7", "reason": "Ada asked to forget orchid-7"})
    assert (answer["status"], answer["count"], answer["by_kind"]) == ("approved", 1, {"message": 1})
    assert "orchid" not in str(answer)
    assert world.found("staging") == ["Staging runs on […]."]


def test_correcting_what_others_recorded_waits_for_a_person(world: World) -> None:
    world.bob.ok("post", "events", world.draft("Staging runs on orchid-7.", actor_type="human"))
    answer = call(world.alice, "memory_correct", {"value": "orchid-7", "to": "lotus-2", "reason": "It was moved"})
    assert answer["status"] == "pending"
    world.bob.ok("post", f"edits/{answer['edit_id']}/approve", {})
    assert world.found("staging") == ["Staging runs on lotus-2."]


def test_what_nothing_says_is_refused_with_what_to_do(world: World) -> None:
    problem = world.alice.request("post", "tools/memory_forget", {"value": "orchid-7", "reason": "x"})
    assert problem.status_code == 400
    assert "Search for it" in problem.json()["detail"]
