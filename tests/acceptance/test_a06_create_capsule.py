"""A6: an agent makes a capsule of curated memory for another agent."""

from datetime import UTC, datetime, timedelta

import pytest


@pytest.fixture
def made(world, given):
    """Ten chunks about Jack and two decisions; two and one of them in a capsule for agent-bob."""
    given("agent-bob")
    about_jack = {"subject_type": "user", "subject_id": "jack-doe-123"}
    chunks = [world.chunk(f"Jack said {number}", content=about_jack) for number in range(10)]
    decisions = [
        world.event("x", kind="decision", content={"decision": f"Decided {number}", "project_id": "project-alpha"})
        for number in range(2)
    ]
    items = {"chunks": chunks[:2], "decisions": [decisions[0]["decision_id"]]}
    body = {
        "subject_type": "user",
        "subject_id": "jack-doe-123",
        "scope": "user",
        "audience_agent_ids": ["agent-bob"],
        "items": items,
        "ttl_days": 7,
    }
    return world.alice.ok("post", "capsules", body), items


def test_the_capsule_is_active_and_expires_seven_days_from_now(made):
    answer, _ = made

    assert answer["status"] == "active"
    assert answer["item_count"] == 3
    expires = datetime.fromisoformat(answer["expires_at"])
    assert expires - datetime.fromisoformat(answer["created_at"]) == timedelta(days=7)
    assert abs(expires - datetime.now(UTC) - timedelta(days=7)) < timedelta(minutes=5)


def test_it_holds_what_was_asked_for_and_is_its_authors(world, made):
    answer, items = made

    capsule = world.alice.ok("get", f"capsules/{answer['capsule_id']}")

    assert [item["id"] for item in capsule["items"]["chunks"]] == items["chunks"]
    assert [item["text"] for item in capsule["items"]["chunks"]] == ["Jack said 0", "Jack said 1"]
    assert [item["decision"] for item in capsule["items"]["decisions"]] == ["Decided 0"]
    assert capsule["items"]["artifacts"] == []
    assert capsule["author"] == "alice"
    assert capsule["audience"] == ["agent-bob"]
