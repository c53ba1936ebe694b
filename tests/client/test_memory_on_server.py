"""The scenarios of an application, on the server that the fake one stands in for."""

from typing import Any

import pytest
from django.utils import timezone

from suture_client import Forbidden, Memory
from tests.application.faces import opened
from tests.application.scenarios import SCENARIOS, Scenario
from tests.client.through_django import ThroughDjango

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.__name__)
def test_scenario(scenario: Scenario, world: Any) -> None:
    with opened("Memory", "http://testserver", world.keys["alice"], transport=ThroughDjango()) as memory:
        scenario(memory.about("user:ada", session="call-17"))


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.__name__)
def test_scenario_with_asyncio(scenario: Scenario, world: Any, live_server: Any) -> None:
    with opened("AsyncMemory", live_server.url, world.keys["alice"]) as memory:
        scenario(memory.about("user:ada", session="call-17"))


def test_an_application_hears_of_the_verdict_on_its_change(world: Any) -> None:
    with Memory("http://testserver", world.keys["alice"], transport=ThroughDjango()) as memory:
        _, last = world.alice.get("notices/stream").content.decode().strip().split("id: ")
        given = {"target_type": "chunk", "target_id": world.chunk("fox"), "op": "quarantine", "reason": "wrong"}
        edit_id = world.alice.ok("post", "edits", given)["edit_id"]
        world.bob.decide(edit_id, "reject", reason="It is right")
        verdict = next(memory.verdicts(after=last))
        assert (verdict.edit_id, verdict.status, verdict.by) == (edit_id, "rejected", world.bob_name)
        assert verdict.reason == "It is right"


def test_a_change_of_another_agents_memory_waits_for_its_verdict(world: Any, agent_in: Any) -> None:
    other = Memory("http://testserver", agent_in("private").key, transport=ThroughDjango())
    tea = Memory("http://testserver", world.keys["alice"], transport=ThroughDjango()).remember("Ada drinks oolong")
    change = other.get(tea.id).forget(reason="asked to")
    assert (change.status, change.wait(0)) == ("pending", None)
    world.bob.decide(change.edit_ids[0])
    verdict = change.wait(0)
    assert verdict is not None
    assert (verdict.is_approved, verdict.by) == (True, world.bob_name)


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_a_reviewer_reads_what_an_agent_knew(world: Any) -> None:
    alice = Memory("http://testserver", world.keys["alice"], transport=ThroughDjango()).about("user:ada")
    bob = Memory("http://testserver", world.keys["bob"], transport=ThroughDjango()).about("user:ada")
    tea = alice.remember("Ada drinks oolong", key="drink")
    then = timezone.now()
    tea.correct("Ada drinks coffee", reason="She said so")
    assert [one.text for one in bob.memories(as_of=then)] == ["Ada drinks oolong"]
    assert [one.text for one in bob.recall("What does she drink?", as_of=then)] == ["Ada drinks oolong"]
    assert bob.get(tea.id, as_of=then).text == bob.get(key="drink", as_of=then).text == "Ada drinks oolong"
    assert bob.get(tea.id).text == "Ada drinks coffee"
    with pytest.raises(Forbidden, match="earlier time"):
        alice.get(tea.id, as_of=then)
