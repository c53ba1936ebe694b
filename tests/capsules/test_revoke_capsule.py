"""Revoking a capsule: who may, and what it leaves."""

from datetime import timedelta

import pytest

from capsules.services import expiry
from governance.identity import identities
from governance.models import Entry


def test_an_admin_revokes_and_a_reviewer_does_not(world, given, handed):
    capsule = handed([world.chunk()])
    assert world.bob.request("delete", f"capsules/{capsule}").status_code == 403
    made = identities.provision(world.slug, people=[(f"carol-{world.slug}", "admin")])
    carol = type(world.bob)(made.users[f"carol-{world.slug}"]["key"])

    assert carol.ok("delete", f"capsules/{capsule}")["status"] == "revoked"
    assert given("agent-bob").get(f"capsules/{capsule}").status_code == 403


def test_nobody_else_revokes(world, given, handed):
    capsule = handed([world.chunk()])

    for api in (given("agent-bob"), given("agent-charlie"), world.auditor):
        assert api.request("delete", f"capsules/{capsule}").status_code == 403
    assert given("agent-bob").get(f"capsules/{capsule}").status_code == 200


def test_revoking_again_answers_the_same_and_leaves_one_entry(world, handed):
    capsule = handed([world.chunk()])

    first, again = (world.alice.ok("delete", f"capsules/{capsule}") for _ in range(2))

    assert first["revoked_at"] == again["revoked_at"]
    with world.inside():
        assert Entry.objects.filter(tenant_id=world.tenant_id, type="capsule.revoked").count() == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
@pytest.mark.parametrize("marked", [False, True])
def test_what_has_expired_cannot_be_revoked(world, handed, expiring, marked):
    capsule = handed([world.chunk()])
    expiring(capsule, timedelta(seconds=-1))
    if marked:
        expiry.expire_capsules()

    assert world.alice.request("delete", f"capsules/{capsule}").status_code == 409
