"""A9: a capsule expires."""

from datetime import timedelta

import pytest

from capsules.services import expiry

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_the_job_marks_it_and_bob_no_longer_finds_it(world, given, handed, expiring):
    capsule, other = handed([world.chunk()]), handed([world.chunk()])
    expiring(capsule, timedelta(days=-2))

    expiry.expire_capsules()

    assert world.alice.ok("get", f"capsules/{capsule}")["status"] == "expired"
    assert [one["capsule_id"] for one in given("agent-bob").ok("get", "capsules")["results"]] == [other]
    assert given("agent-bob").get(f"capsules/{capsule}").status_code == 403


def test_reading_does_not_wait_for_the_job(world, given, handed, expiring):
    capsule = handed([world.chunk()])
    expiring(capsule, timedelta(seconds=-1))

    assert given("agent-bob").ok("get", "capsules")["results"] == []
    assert given("agent-bob").get(f"capsules/{capsule}").status_code == 403
    assert world.alice.ok("get", f"capsules/{capsule}")["status"] == "expired"
