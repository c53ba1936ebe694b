"""What readers see of capsules is what their record, their edits and the ledger make of it: compared, and mended."""

from datetime import timedelta

import pytest
from django.db import connections

from capsules.models import EffectiveCapsule
from capsules.services import expiry
from memory import maintenance

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def capsules(world, handed, given, expiring):
    """Capsules of every fate, by name."""

    def made(**more):
        return handed(
            [world.chunk("the chunk")], note="Jon is angry", risks=["Jon may leave"], to=["agent-bob"], **more
        )

    found = {name: made(may_forward=True) for name in ("plain", "amended", "retracted", "revoked", "expired", "warned")}
    given("agent-charlie")
    body = {"audience_agent_ids": ["agent-charlie"]}
    found["forwarded"] = given("agent-bob").ok("post", f"capsules/{found['amended']}/forward", body)["capsule_id"]
    world.edit(found["amended"], "amend", target_type="capsule", text="John is calm", importance=0.9)
    world.edit(found["retracted"], "retract", target_type="capsule")
    world.edit(found["plain"], "block", target_type="capsule", channel="public")
    world.alice.ok("delete", f"capsules/{found['revoked']}")
    expiring(found["expired"], timedelta(minutes=-1))
    expiring(found["warned"], timedelta(hours=1))
    expiry.expire_capsules()
    expiry.warn_capsules()
    maintenance.repair(world.tenant_id)  # what moved the two times did so in these rows alone
    return found


def tampered(world, capsule, assignment):
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            f"UPDATE capsules_effectivecapsule SET {assignment} WHERE tenant_id = %s AND id = %s",
            [world.tenant_id, capsule],
        )
        assert cursor.rowcount == 1


def rows(world):
    """All but the two moments that the ledger says a little later."""
    with world.inside():
        names = [field.attname for field in EffectiveCapsule._meta.fields]
        names = [name for name in names if name not in ("expired_at", "warned_at")]
        return list(EffectiveCapsule.objects.filter(tenant_id=world.tenant_id).order_by("id").values(*names))


def test_nothing_drifts_by_itself(world, capsules):
    assert maintenance.find_drift(world.tenant_id) == []
    with world.inside():
        states = EffectiveCapsule.objects.filter(tenant_id=world.tenant_id).values_list("status", flat=True)
        assert set(states) == {"active", "revoked", "expired"}


@pytest.mark.parametrize(
    ("name", "assignment", "problem"),
    [
        ("plain", "subject_id = 'another'", "metadata"),
        ("plain", "audience_count = 5", "metadata"),
        ("revoked", "status = 'active', revoked_at = NULL", "status"),
        ("expired", "status = 'active', expired_at = NULL", "status"),
        ("warned", "warned_at = NULL", "status"),
        ("retracted", "is_retracted = false", "visibility"),
        ("plain", "blocked_channels = '{}'", "visibility"),
        ("forwarded", "risks_id = gen_random_uuid()", "text"),
        ("amended", "importance = 0.1", "importance"),
        ("amended", "edits_applied = 0", "edits_applied"),
    ],
)
def test_a_changed_row_is_named_and_mended(world, capsules, name, assignment, problem):
    before = rows(world)
    tampered(world, capsules[name], assignment)

    (drift,) = maintenance.find_drift(world.tenant_id)
    assert (drift.kind, str(drift.id), drift.problem) == ("capsule", capsules[name], problem)
    assert maintenance.repair(world.tenant_id) == 1
    assert maintenance.find_drift(world.tenant_id) == []
    assert rows(world) == before


def test_lost_rows_are_made_again_with_what_became_of_them(world, capsules):
    before = rows(world)
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM capsules_effectivecapsule WHERE tenant_id = %s", [world.tenant_id])

    assert {drift.problem for drift in maintenance.find_drift(world.tenant_id)} == {"missing"}
    assert maintenance.repair(world.tenant_id) == len(capsules)
    assert rows(world) == before
