"""A20: of four capsules about Jack, bob is given the one that is active, unexpired and for him."""

from datetime import timedelta

import pytest

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_only_what_is_active_unexpired_and_for_the_agent(world, given, handed, expiring):
    chunk = world.chunk()
    one = handed([chunk], ttl_days=1)
    handed([chunk], to=["agent-charlie"])
    three = handed([chunk])
    expiring(three, timedelta(days=-1))
    four = handed([chunk])
    world.alice.ok("delete", f"capsules/{four}")

    found = given("agent-bob").ok("get", "capsules?subject_type=user&subject_id=jack-doe-123")["results"]

    assert [capsule["capsule_id"] for capsule in found] == [one]
    assert found[0]["status"] == "active"
