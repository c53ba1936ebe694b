"""The thresholds of promotion change as the policy does: proposed with a reason, and by two where they ask for less."""

from datetime import timedelta

import pytest
from django.db import Error
from django.utils import timezone

from governance.acting import gate
from governance.edits import policies
from governance.models import Entry, PolicyChangeState
from tests.erasure.conftest import admins_of
from tests.owning import as_owner
from tests.tiers.usage import DAY, NOW
from tests.tools.calls import faults

pytestmark = pytest.mark.django_db

STANDARD = {
    "uses_in_session": 2,
    "sessions": 3,
    "successes": 1,
    "confidence": 0.8,
    "confidence_days": 7,
    "unused_days": 90,
    "low_trust": 0.3,
    "promoting_agents": [],
}


@pytest.fixture
def admins(world):
    """Two admins, carol and dave."""
    return admins_of(world)


def change(api, expect=201, **body):
    return api.ok("post", "policy/changes", {"reason": "a test", **body}, expect=expect)


def in_force(world):
    return world.auditor.ok("get", "policy")["promotion"]


def test_the_policy_shows_those_in_force(world):
    assert in_force(world) == STANDARD


def test_a_stricter_one_applies_at_once_and_names_only_itself(world, admins):
    made = change(admins.carol, promotion={"sessions": 4, "unused_days": 30})
    assert (made["status"], made["promotion"]) == ("applied", {"sessions": 4, "unused_days": 30})
    assert in_force(world) == {**STANDARD, "sessions": 4, "unused_days": 30}
    change(admins.carol, promotion={"confidence": 0.9})
    assert in_force(world) == {**STANDARD, "sessions": 4, "unused_days": 30, "confidence": 0.9}
    with world.inside():
        *_, entry = Entry.objects.filter(tenant_id=world.tenant_id, type="policy.changed").order_by("seq")
    assert entry.metadata["promotion"] == {"confidence": 0.9}


def test_the_preset_and_its_overrides_stay(world, admins):
    rule = {"op": "retract", "proposer_kind": "agent", "sensitivity": "high", "approvals": 2}
    change(admins.carol, preset="standard", overrides=[rule])
    before = world.auditor.ok("get", "policy")
    change(admins.carol, promotion={"sessions": 4})
    after = world.auditor.ok("get", "policy")
    assert (after["preset"], after["rules"]) == (before["preset"], before["rules"])


def test_a_change_of_the_preset_leaves_the_thresholds(world, admins):
    change(admins.carol, promotion={"sessions": 4})
    change(admins.carol, preset="strict")
    assert in_force(world)["sessions"] == 4


@pytest.mark.parametrize(
    "less",
    [
        {"uses_in_session": 1},
        {"sessions": 2},
        {"successes": 0},
        {"confidence": 0.79},
        {"confidence_days": 6},
        {"low_trust": 0.2},
        {"promoting_agents": ["alice"]},
        {"sessions": 9, "successes": 0},
    ],
)
def test_what_asks_for_less_waits_for_a_second_admin(world, admins, less):
    made = change(admins.carol, promotion=less)
    assert (made["status"], made["needs_second"], made["takes_effect_at"] is not None) == ("pending", True, True)
    assert in_force(world) == STANDARD
    assert admins.carol.post(f"policy/changes/{made['change_id']}/apply", {}).status_code == 403
    assert admins.dave.ok("post", f"policy/changes/{made['change_id']}/apply", {})["status"] == "applied"
    assert in_force(world) == {**STANDARD, **less}


def test_after_an_hour_it_takes_effect_by_itself(world, admins, monkeypatch):
    monkeypatch.setattr(gate, "tenants", lambda: {world.slug: world.tenant_id})
    change(admins.carol, promotion={"sessions": 2})
    assert policies.apply_due_changes() == 0
    with as_owner(), world.inside():
        waiting = PolicyChangeState.objects.filter(tenant_id=world.tenant_id, takes_effect_at__isnull=False)
        waiting.update(takes_effect_at=timezone.now() - timedelta(seconds=1))
    assert policies.apply_due_changes() == 1
    assert in_force(world)["sessions"] == 2


def test_under_strict_a_second_admin_decides_a_stricter_one_too(strict_world):
    admins = admins_of(strict_world)
    made = change(admins.carol, promotion={"sessions": 9})
    assert (made["status"], made["takes_effect_at"]) == ("pending", None)
    admins.dave.ok("post", f"policy/changes/{made['change_id']}/apply", {})
    assert in_force(strict_world)["sessions"] == 9


@pytest.mark.parametrize(
    ("rules", "pointer"),
    [
        ({"uses_in_session": 0}, "uses_in_session"),
        ({"sessions": 1.5}, "sessions"),
        ({"sessions": "3"}, "sessions"),
        ({"successes": -1}, "successes"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": 0.80001}, "confidence"),
        ({"confidence_days": 4000}, "confidence_days"),
        ({"unused_days": None}, "unused_days"),
        ({"low_trust": True}, "low_trust"),
        ({"patience": 3}, "patience"),
        ({"promoting_agents": "alice"}, "promoting_agents"),
        ({"promoting_agents": ["alice", "nobody"]}, "promoting_agents/1"),
    ],
)
def test_a_bad_value_is_refused_with_its_place(world, admins, rules, pointer):
    response = admins.carol.post("policy/changes", {"reason": "a test", "promotion": rules})
    assert list(faults(response)) == [f"#/promotion/{pointer}"]
    assert in_force(world) == STANDARD


@pytest.mark.parametrize("body", [{}, {"promotion": {}}, {"overrides": [], "promotion": {}}])
def test_a_change_of_nothing_is_refused(admins, body):
    response = admins.carol.post("policy/changes", {"reason": "a test", **body})
    assert list(faults(response)) == ["#/preset"]


def test_who_is_no_admin_changes_none(world):
    for api in (world.alice, world.bob, world.auditor):
        assert api.post("policy/changes", {"reason": "a test", "promotion": {"sessions": 4}}).status_code == 403


@pytest.mark.parametrize("rules", ['{"sessions": 0}', '{"patience": 3}', '{"confidence": "high"}', "[]"])
def test_the_database_takes_no_bad_threshold(world, admins, rules):
    sql = "SELECT * FROM propose_policy_change(%s, NULL, '[]', 'a test', %s)"
    with pytest.raises(Error, match="not valid"), gate.acting_as(admins.carol_principal):
        gate.rows(sql, [world.tenant_id, rules])


def test_thresholds_of_the_tenant_decide(world, admins, usage):
    chunk = world.chunk()
    change(admins.carol, promotion={"uses_in_session": 3})
    usage.used(chunk, "one", times=2)
    usage.run()
    assert usage.check(chunk).evidence["thresholds"]["uses_in_session"] == 3
    assert usage.tier(chunk) == "task"


def test_after_a_change_all_that_was_used_is_evaluated_again(world, admins, usage):
    used, kept, unused = world.chunk(), world.chunk("Another"), world.chunk("A third")
    usage.used(used, "one", times=2)
    change(admins.carol, promotion={"uses_in_session": 3})
    usage.put_in(kept, "longterm", at=NOW - 40 * DAY)
    usage.run()
    assert usage.run().evaluated == 0
    made = change(admins.carol, promotion={"uses_in_session": 2, "unused_days": 30})
    admins.dave.ok("post", f"policy/changes/{made['change_id']}/apply", {})
    usage.run(batch=1)
    assert (usage.tier(used), usage.tier(kept), usage.tier(unused)) == ("session", "archive", "task")
    assert usage.run().evaluated == 0
