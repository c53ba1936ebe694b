"""A policy that asks for less takes a second admin, or takes effect after an hour that everybody sees. A stricter one
applies at once."""

from datetime import datetime, timedelta

import pytest
from django.db import Error
from django.utils import timezone

from governance.acting import gate
from governance.edits import policies
from governance.identity import identities
from governance.models import PolicyChangeState
from tests.erasure.conftest import admins_of
from tests.owning import as_owner

from .helpers import entries

HOUR = timedelta(hours=1)


@pytest.fixture
def admins(world):
    """Two admins, carol and dave."""
    return admins_of(world)


def rule(op, kind, approvals, sensitivity=None):
    return {"op": op, "proposer_kind": kind, "sensitivity": sensitivity, "approvals": approvals}


def change(api, preset, *overrides):
    body = {"preset": preset, "overrides": list(overrides), "reason": "a test"}
    return api.ok("post", "policy/changes", body, expect=201)


def preset(world):
    return world.auditor.ok("get", "policy")["preset"]


def let_the_hour_pass(world):
    with as_owner(), world.inside():
        waiting = PolicyChangeState.objects.filter(tenant_id=world.tenant_id, takes_effect_at__isnull=False)
        waiting.update(takes_effect_at=timezone.now() - timedelta(seconds=1))


@pytest.fixture
def job(world, monkeypatch):
    """Run the job, in the test's tenant."""
    monkeypatch.setattr(gate, "tenants", lambda: {world.slug: world.tenant_id})
    return policies.apply_due_changes


def test_nobody_switches_approvals_off_and_on_again_around_an_edit(world, admins, job):
    chunk = world.chunk("Original")
    made = change(admins.carol, "open")
    assert (made["status"], made["needs_second"]) == ("pending", True)
    assert world.edit(chunk, "quarantine", by=world.alice)["status"] == "pending"
    assert job() == 0
    assert admins.carol.post(f"policy/changes/{made['change_id']}/apply", {}).status_code == 403
    assert preset(world) == "standard"


@pytest.mark.django_db(transaction=True)
def test_after_an_hour_it_takes_effect_by_itself(world, admins, job):
    before = timezone.now()
    made = change(admins.carol, "open", rule("retract", "agent", 1))
    due = datetime.fromisoformat(made["takes_effect_at"])
    assert before + HOUR <= due <= timezone.now() + HOUR
    (listed,) = world.auditor.ok("get", "policy/changes")["results"]
    assert listed == made
    let_the_hour_pass(world)

    assert (job(), job()) == (1, 0)

    assert preset(world) == "open"
    assert world.auditor.ok("get", "policy/changes")["results"] == []
    *_, proposed, changed = entries(world, "policy.proposed", "policy.changed")
    assert proposed.metadata["takes_effect_at"] == due.isoformat()
    assert (changed.metadata["change"], changed.metadata["actor"]["kind"]) == (made["change_id"], "system")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by", ["carol", "dave"])
def test_within_the_hour_any_admin_rejects_it(world, admins, job, by):
    made = change(admins.carol, "open")
    rejected = getattr(admins, by).ok("post", f"policy/changes/{made['change_id']}/reject", {})
    assert (rejected["status"], rejected["takes_effect_at"]) == ("rejected", None)
    let_the_hour_pass(world)
    assert (job(), preset(world)) == (0, "standard")


def test_a_second_admin_applies_it_at_once(world, admins):
    made = change(admins.carol, "open")
    assert admins.dave.ok("post", f"policy/changes/{made['change_id']}/apply", {})["status"] == "applied"
    assert preset(world) == "open"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("meanwhile", ["strict", "standard", "by the operator"])
def test_another_policy_that_came_meanwhile_stays(world, admins, job, meanwhile):
    """What the others made stricter is not undone by a change that they did not reject."""
    made = change(admins.carol, "open")
    if meanwhile == "by the operator":
        identities.provision(world.slug, policy="strict")
    else:
        assert change(admins.dave, meanwhile, rule("amend", "agent", 2))["status"] == "applied"
    now = preset(world)
    (listed,) = world.auditor.ok("get", "policy/changes")["results"]
    assert (listed["change_id"], listed["takes_effect_at"]) == (made["change_id"], None)
    let_the_hour_pass(world)
    assert (job(), preset(world)) == (0, now)


@pytest.mark.parametrize(
    ("name", "overrides", "waits"),
    [
        ("standard", [], False),
        ("strict", [], False),
        ("open", [], True),
        ("standard", [rule("retract", "agent", 2)], False),
        ("standard", [rule("retract", "agent", 0, "low")], True),
        ("standard", [rule("retract", "agent", 0, "secret"), rule("retract", "human", 2)], True),
        ("strict", [rule("retract", "agent", 0)], True),
        ("standard", [rule("decide", "agent", 1)], False),
        ("open", [rule(op, "agent", 2) for op in ("retract", "quarantine", "block", "revert", "protected")], False),
    ],
)
def test_what_asks_for_less_anywhere_waits(world, admins, name, overrides, waits):
    made = change(admins.carol, name, *overrides)
    assert (made["status"], made["needs_second"], made["takes_effect_at"] is not None) == (
        ("pending", True, True) if waits else ("applied", False, False)
    )


def test_under_strict_time_alone_applies_nothing(strict_world):
    made = change(admins_of(strict_world).carol, "standard")
    assert (made["status"], made["takes_effect_at"]) == ("pending", None)


@pytest.mark.parametrize("overrides", ['[{"op": "shout"}]', '[{"op": "amend", "proposer_kind": "agent"}]'])
def test_the_database_takes_no_rule_that_would_fail_later(world, admins, overrides):
    sql = "SELECT * FROM propose_policy_change(%s, 'open', %s, 'a test')"
    with pytest.raises(Error, match="not valid"), gate.acting_as(admins.carol_principal):
        gate.rows(sql, [world.tenant_id, overrides])


def test_only_a_job_applies_what_is_due(world, admins):
    with pytest.raises(Error, match="only a job"), gate.acting_as(admins.carol_principal):
        gate.rows("SELECT apply_due_policy_changes(%s)", [world.tenant_id])
