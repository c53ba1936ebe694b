"""Whether an agent's own decision of scope policy or global is in force at once is a rule of the policy."""

import json

import pytest
from django.db import Error

from governance.acting import gate
from governance.models import Edit, new_id
from tests.erasure.conftest import admins_of
from tests.surgery.helpers import drift, entries

RULE = {"decision": "Refund without asking", "scope": "policy"}


def decide(world, **content):
    return world.event("so", kind="decision", content={**RULE, **content})


def in_force(world, **fields):
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    found = world.alice.ok("get", f"decisions/active?{query}")["decisions"]
    return [one["decision"] for one in found]


def waiting(world):
    return world.bob.ok("get", "edits?status=pending")["results"]


@pytest.mark.parametrize("policy", ["standard", "open"])
def test_it_is_in_force_at_once(new_world, policy):
    world = new_world(policy)

    recorded = decide(world)

    assert recorded["approval_edit_id"] is None
    assert recorded["quarantined_chunk_ids"] == []
    assert in_force(world) == ["Refund without asking"]
    assert waiting(world) == []


@pytest.mark.parametrize("scope", ["policy", "global"])
def test_under_strict_it_waits_for_approval(strict_world, scope):
    world = strict_world

    recorded = decide(world, scope=scope)

    assert recorded["quarantined_chunk_ids"] == recorded["chunk_ids"]
    assert in_force(world) == []
    assert in_force(world, include_quarantined="true") == ["Refund without asking"]
    assert "Refund" not in str(world.alice.ok("post", "acb/build", {"session_id": "s", "channel": "private"}))
    (edit,) = waiting(world)
    assert edit["edit_id"] == recorded["approval_edit_id"]
    assert (edit["op"], edit["target_id"], edit["approvals_required"]) == ("revert", recorded["decision_id"], 1)

    world.bob.decide(edit["edit_id"], reason="agreed")

    assert in_force(world) == ["Refund without asking"]


def test_a_rejected_one_stays_out_of_force(strict_world):
    world = strict_world
    edit = decide(world)["approval_edit_id"]

    assert world.alice.post(f"edits/{edit}/approve", {"reason": "mine"}).status_code == 403
    world.bob.decide(edit, "reject", reason="too generous")

    assert in_force(world) == []
    assert waiting(world) == []


def test_the_decision_that_it_supersedes_is_in_force_until_then(strict_world):
    world = strict_world
    first = decide(world, decision="Ask first")
    world.bob.decide(first["approval_edit_id"])
    # the first decision is protected, because a person approved it
    free = {"proposer_kind": "agent", "sensitivity": None, "approvals": 0}
    _change_rules(world, {"op": "amend", **free}, {"op": "protected", **free})

    later = decide(world, supersedes=first["decision_id"])

    assert in_force(world) == ["Ask first"]
    world.bob.decide(later["approval_edit_id"])
    assert in_force(world) == ["Refund without asking"]


def _change_rules(world, *overrides):
    """Change the rules of a strict tenant: an admin proposes, another decides."""
    admins = admins_of(world)
    body = {"preset": "strict", "overrides": list(overrides), "reason": "a test"}
    change = admins.carol.ok("post", "policy/changes", body)["change_id"]
    admins.dave.ok("post", f"policy/changes/{change}/apply", {})


@pytest.mark.parametrize("scope", ["session", "user", "project"])
def test_another_scope_does_not_wait(strict_world, scope):
    about = {"user": {"subject_type": "user", "subject_id": "sam"}, "project": {"project_id": "alpha"}}.get(scope, {})

    assert decide(strict_world, scope=scope, **about)["approval_edit_id"] is None


def test_a_persons_own_decision_does_not_wait(strict_world):
    body = strict_world.draft("so", kind="decision", content=RULE)

    assert strict_world.bob.ok("post", "events", body)["approval_edit_id"] is None
    assert in_force(strict_world) == ["Refund without asking"]


def test_a_batch_holds_each(strict_world):
    world = strict_world
    bodies = [world.draft("so", kind="decision", content={**RULE, "decision": f"Rule {n}"}) for n in range(3)]
    bodies.append(world.draft("a message"))

    recorded = world.alice.ok("post", "events/batch", {"events": bodies})["events"]

    assert [one["approval_edit_id"] is not None for one in recorded] == [True, True, True, False]
    assert {one["edit_id"] for one in waiting(world)} == {one["approval_edit_id"] for one in recorded[:3]}


def test_the_ledger_says_what_waits_and_what_hides_it(strict_world):
    world = strict_world
    recorded = decide(world)

    (held,) = entries(world, "edit.approved")
    (asked,) = entries(world, "edit.proposed")
    assert (held.metadata["op"], held.metadata["decided_by"]) == ("quarantine", "policy:decide")
    assert (asked.metadata["op"], asked.metadata["edit"]) == ("revert", recorded["approval_edit_id"])
    assert {held.metadata["target_id"], asked.metadata["target_id"]} == {recorded["decision_id"]}
    with world.inside():
        for edit in Edit.objects.filter(target_id=recorded["decision_id"]):
            said = {one.metadata["edit"]: one.metadata["patch_sha256"] for one in (held, asked)}
            assert said[str(edit.id)] == bytes(edit.patch_sha256).hex()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_the_projection_is_what_the_record_makes(new_world):
    world = new_world("strict")
    decide(world)

    assert drift(world) == []


@pytest.mark.django_db(transaction=True)
def test_whoever_calls_the_database_past_the_service_holds_it_too(new_world):
    """The hold owes the ledger its entries, so without them nothing commits."""
    world = new_world("strict")
    event, words, decision = (str(new_id()) for _ in range(3))
    told = {"session_id": "s", "channel": "private", "actor_type": "agent", "actor_id": "alice", "scope": "policy"}
    lists: dict[str, list[str]] = {"tags": [], "refs": [], "redacted": []}
    rows = (
        [{"id": words, "body": "Obey me"}],
        [{"id": event, "kind": "decision", "ts": "2026-01-01T00:00:00Z", "retention": "relationship", **told, **lists}],
        [{"id": decision, "event_id": event, "content_id": words}],
    )
    with pytest.raises(Error, match="entry"), gate.acting_as(world.alice_principal):
        gate.rows(
            "SELECT * FROM record_events(%s, %s, %s, NULL, %s, NULL, NULL)", [world.tenant_id, *map(json.dumps, rows)]
        )


def test_a_rule_of_the_tenant_decides(world, with_role):
    admin = with_role(world, "admin")
    override = {"op": "decide", "proposer_kind": "agent", "sensitivity": "high", "approvals": 2}
    admin.ok("post", "policy/changes", {"preset": "standard", "overrides": [override], "reason": "care"})

    assert {"op": "decide", "proposer_kind": "agent", "sensitivity": None, "approvals": 0} in world.alice.ok(
        "get", "policy"
    )["rules"]
    assert decide(world)["approval_edit_id"] is None
    body = world.draft("so", kind="decision", content=RULE, sensitivity="high")
    edit = world.alice.ok("post", "events", body)["approval_edit_id"]
    world.bob.decide(edit, reason="one")
    assert world.bob.ok("get", f"edits/{edit}")["status"] == "pending"
    world.ann.decide(edit, reason="two")
    assert world.bob.ok("get", f"edits/{edit}")["status"] == "approved"
