"""Who used a capsule, how often, and who may know."""

import pytest


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
