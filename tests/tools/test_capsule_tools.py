"""The tools of capsules."""

import uuid
from typing import Any

import pytest

from tests.tools.calls import call, faults

pytestmark = pytest.mark.django_db


def given_to(world: Any, *audience: str, **fields: Any) -> dict[str, Any]:
    return {
        "subject_type": "user",
        "subject_id": "jack",
        "audience_agent_ids": list(audience),
        "items": {"chunks": [world.chunk("Jack moved to the premium plan")]},
        **fields,
    }


def test_a_capsule_is_created_found_opened_and_forwarded(world: Any, given: Any) -> None:
    bob, carol = given("agent-bob"), given("agent-carol")
    made = call(world.alice, "create_capsule", given_to(world, "agent-bob", mayForward=True, note="Call on Monday"))
    (listed,) = call(bob, "list_capsules", {"subject_id": "jack"})["results"]
    assert (listed["capsule_id"], listed["scope"]) == (made["capsule_id"], "user")
    opened = call(bob, "open_capsule", {"capsuleId": made["capsule_id"]})
    assert opened["note"] == "Call on Monday"
    assert [one["text"] for one in opened["items"]["chunks"]] == ["Jack moved to the premium plan"]
    forwarded = call(bob, "forward_capsule", {"capsule_id": made["capsule_id"], "audienceAgentIds": ["agent-carol"]})
    opened = call(carol, "open_capsule", {"capsule_id": forwarded["capsule_id"]})
    assert [one["author"] for one in opened["custody"]] == ["alice", "agent-bob"]


def test_the_author_lists_its_own_page_by_page(world: Any, given: Any) -> None:
    given("agent-bob")
    made = [call(world.alice, "create_capsule", given_to(world, "agent-bob"))["capsule_id"] for _ in range(3)]
    assert call(world.alice, "list_capsules")["results"] == []
    first = call(world.alice, "list_capsules", {"authored": True, "limit": 2})
    second = call(world.alice, "list_capsules", {"authored": True, "limit": 2, "cursor": first["next"]})
    assert [one["capsule_id"] for one in (*first["results"], *second["results"])] == made[::-1]
    refused = world.alice.post("tools/list_capsules", {"limit": 2, "cursor": first["next"]})
    assert set(faults(refused)) == {"#/cursor"}


def test_outsiders_open_nothing_and_the_attempt_is_kept(world: Any, given: Any, charlie: Any) -> None:
    given("agent-bob")
    made = call(world.alice, "create_capsule", given_to(world, "agent-bob", may_forward=True))["capsule_id"]
    for arguments, name in (
        ({"capsule_id": made}, "open_capsule"),
        ({"capsule_id": made, "audience_agent_ids": ["alice"]}, "forward_capsule"),
    ):
        assert given("agent-carol").post(f"tools/{name}", arguments).status_code == 403
        assert charlie.post(f"tools/{name}", arguments).status_code == 404
    assert world.alice.ok("get", f"capsules/{made}/usage")["refused_count"] >= 1


def test_every_fault_has_its_place_as_it_was_written(world: Any) -> None:
    nobody = given_to(world, "agent-nobody")
    nobody["audienceAgentIds"] = nobody.pop("audience_agent_ids")
    nobody["items"]["chunks"].append(str(uuid.uuid4()))
    found = faults(world.alice.post("tools/create_capsule", nobody))
    assert set(found) == {"#/audienceAgentIds/0", "#/items/chunks/1"}
    found = faults(
        world.alice.post("tools/create_capsule", {"subjectType": "user", "ttlDays": 0, "items": {"chunk": []}})
    )
    assert set(found) == {"#/subjectId", "#/ttlDays", "#/audienceAgentIds", "#/items/chunk"}
    assert "Did you mean chunks?" in found["#/items/chunk"]
