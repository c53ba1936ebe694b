"""Who used a capsule, how often, and who may know."""

import uuid

import pytest

from governance.identity import identities
from governance.models import AccessRecord
from tests.world import Api

ABOUT = {"subject_type": "user", "subject_id": "jack-doe-123", "scope": "user"}


@pytest.mark.django_db(transaction=True)
def test_reads_are_counted_by_reader(world, given, handed):
    capsule = handed([world.chunk()], to=["agent-bob", "agent-charlie"])
    for name, times in (("agent-bob", 2), ("agent-charlie", 1)):
        for _ in range(times):
            given(name).ok("get", f"capsules/{capsule}")
    assert given("agent-dora").get(f"capsules/{capsule}").status_code == 403

    usage = world.alice.ok("get", f"capsules/{capsule}/usage")

    assert (usage["access_count"], usage["direct"], usage["acb"], usage["reader_count"]) == (3, 3, 0, 2)
    assert {reader["actor"]: reader["direct"] for reader in usage["readers"]} == {"agent-bob": 2, "agent-charlie": 1}
    assert usage["last_accessed_at"] == max(reader["last_accessed_at"] for reader in usage["readers"])
    assert usage["refused_count"] == 1


def test_what_was_never_read_says_so(world, handed):
    usage = world.alice.ok("get", f"capsules/{handed([world.chunk()])}/usage")

    assert (usage["access_count"], usage["last_accessed_at"], usage["readers"]) == (0, None, [])


def test_only_the_author_and_people_with_a_role_know(world, given, handed):
    capsule = handed([world.chunk()])

    for api in (world.alice, world.bob, world.auditor):
        assert api.get(f"capsules/{capsule}/usage").status_code == 200
    for name in ("agent-bob", "agent-charlie"):
        assert given(name).get(f"capsules/{capsule}/usage").status_code == 403


@pytest.mark.django_db(transaction=True)
def test_a_refused_channel_is_counted_too(world, given, handed):
    name = "public-only"
    key = identities.provision(world.slug, agents=[(name, ["public"])]).agents[name]["key"]
    capsule = handed([world.chunk()], to=["agent-bob"])
    audience = {"audience_agent_ids": [name], "items": {"chunks": [world.chunk("other")]}}
    for_public = world.alice.ok("post", "capsules", {**ABOUT, **audience})["capsule_id"]
    reader = Api(key)

    assert reader.get(f"capsules/{for_public}?channel=private").status_code == 403
    assert reader.get(f"capsules/{capsule}?channel=private").status_code == 403
    assert reader.get(f"capsules/{uuid.uuid4()}?channel=private").status_code == 404
    assert reader.get("capsules?channel=private").status_code == 403
    assert reader.get("capsules?channel=private&authored=true").status_code == 403

    for one in (for_public, capsule):
        assert world.alice.ok("get", f"capsules/{one}/usage")["refused_count"] == 1
    with world.inside():
        refused = AccessRecord.objects.filter(tenant_id=world.tenant_id, outcome="refused").order_by("at")
        noted = [(str(one.target_id), one.action, one.details["refusal"]) for one in refused]
    assert noted == [
        (for_public, "capsule.read", "channel"),
        (capsule, "capsule.read", "outside"),
        ("None", "capsules.listed", "channel"),
        ("None", "capsules.listed", "channel"),
    ]
