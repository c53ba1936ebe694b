"""Searches, lists and prompts omit archived memory until it is restored."""

import pytest

from tests.curation.agent import Agent
from tests.tiers.usage import DAY, NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def archived(world, usage):
    """A memory of alice that the job archived."""
    made = Agent(world.alice).commit("Jack likes quinces", session_id="of jack")
    made["beside"] = Agent(world.alice).commit("Jack is here", session_id="of jack")["chunk_id"]
    usage.put_in(made["chunk_id"], "longterm", at=NOW - 91 * DAY)
    usage.run()
    assert usage.tier(made["chunk_id"]) == "archive"
    return made


def read(world, made, asked=""):
    """Where the memory is read."""
    api, agent = world.alice, Agent(world.alice)
    near = api.get(f"chunks/{made['beside']}/timeline{asked}")
    found = {
        "search": "quinces" in str(world.found("quinces", **({"include_archived": True} if asked else {}))),
        "list": "quinces" in str(api.ok("get", f"chunks{asked}")),
        "timeline": near.status_code == 200 and "quinces" in str(near.json()),
        "recall": "quinces" in str(agent.recall("quinces", **({"includeArchived": True} if asked else {}))),
    }
    if not asked:
        found["bootstrap"] = "quinces" in str(agent.bootstrap(query="Jack likes"))
        body = {"session_id": "another", "channel": "private", "query": "Jack likes"}
        found["bundle"] = "quinces" in str(api.ok("post", "acb/build", body))
    return {name for name, is_there in found.items() if is_there}


def test_it_leaves_what_looks_for_memory(world, archived):
    assert read(world, archived) == set()


def test_it_is_found_on_request_and_by_its_id(world, archived):
    assert {"search", "list", "timeline"} <= read(world, archived, "?include_archived=true")
    (chunk,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [archived["chunk_id"]]})["chunks"]
    assert (chunk["tier"], chunk["text"]) == ("archive", "Jack likes quinces")


def test_it_comes_back_when_it_is_restored(world, archived):
    body = {"tier": "longterm", "reason": "Jack is back"}
    world.bob.ok("post", f"chunks/{archived['chunk_id']}/promote", body)
    assert read(world, archived) == {"search", "list", "timeline", "recall", "bootstrap", "bundle"}


def test_corrections_still_reach_it(world, archived):
    world.edit(archived["chunk_id"], "amend", text="Jack likes pears")
    assert world.found("pears", include_archived=True) == ["Jack likes pears"]
    world.edit(archived["chunk_id"], "retract")
    assert world.found("pears", include_archived=True) == []
    body = {"tier": "longterm", "reason": "a test"}
    assert world.bob.post(f"chunks/{archived['chunk_id']}/promote", body).status_code == 409
