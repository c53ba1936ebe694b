"""The approval policy over HTTP: who may change it, what it then governs, and the proof that it was changed."""

import uuid

import pytest
from django.db import Error, transaction
from django.db.models import F

from governance.acting import gate
from governance.acting.credentials import system
from governance.edits import policies
from governance.models import Edit, PolicyChangeState
from tests.owning import as_owner

from .helpers import entries, proposal, read

OPS = ["retract", "amend", "quarantine", "attenuate", "block", "revert"]


@pytest.fixture
def admin(world, with_role):
    """An admin of the test's tenant."""
    return with_role(world, "admin")


@pytest.fixture
def admins(strict_world, with_role):
    """Two admins of a tenant under the strict policy."""
    return with_role(strict_world, "admin"), with_role(strict_world, "admin")


def rule(op, proposer_kind, approvals, sensitivity=None):
    return {"op": op, "proposer_kind": proposer_kind, "sensitivity": sensitivity, "approvals": approvals}


def change(api, preset, *overrides, reason="a test"):
    return api.post("policy/changes", {"preset": preset, "overrides": list(overrides), "reason": reason})


def weaken(first, second, preset, *overrides):
    """A change that asks for less, which a second admin applies."""
    made = change(first, preset, *overrides).json()
    assert (made["status"], made["needs_second"]) == ("pending", True)
    return second.ok("post", f"policy/changes/{made['change_id']}/apply", {})


def policy(world):
    return world.auditor.ok("get", "policy")


def approvals_required(world, by, target, op="quarantine", **patch):
    """How many approvals this edit needs; it is proposed for that."""
    return by.ok("post", "edits", proposal(target, op, **patch))["approvals_required"]


def test_it_works(world, admin):
    assert policy(world)["preset"] == "standard"

    response = change(admin, "strict", reason="more care")

    assert response.status_code == 201
    answer = response.json()
    assert (answer["preset"], answer["status"], answer["needs_second"]) == ("strict", "applied", False)
    assert policy(world)["preset"] == "strict"
    assert approvals_required(world, world.bob, world.chunk(), "amend", text="New") == 1


@pytest.mark.parametrize(
    ("preset", "waiting"),
    [
        ("standard", {(op, "agent") for op in OPS} - {("amend", "agent"), ("attenuate", "agent")}),
        ("strict", {(op, kind) for op in OPS for kind in ("agent", "human")}),
        ("open", set()),
    ],
)
def test_a_preset_says_what_waits(new_world, preset, waiting):
    rules = policy(new_world(preset))["rules"]

    assert {*Edit.Op.values} - {"audience"} == {*OPS}  # governance/sql/functions/preset_rules.sql names each
    assert {(one["op"], one["proposer_kind"]): one["approvals"] for one in rules} == {
        **{(op, kind): int((op, kind) in waiting) for op in OPS for kind in ("agent", "human")},
        ("decide", "agent"): int(preset == "strict"),
        ("own", "agent"): int(preset == "strict"),
        ("protected", "agent"): int(preset != "open"),
    }
    assert {one["sensitivity"] for one in rules} == {None}


def test_an_override_goes_before_its_preset_and_the_most_specific_before_all(world, admin, with_role):
    weaken(
        admin,
        with_role(world, "admin"),
        "standard",
        rule("amend", "agent", 1),
        rule("amend", "agent", 2, "high"),
        rule("quarantine", "agent", 0, "low"),
    )
    plain, low, high = (world.chunk("Original", sensitivity=level) for level in ("none", "low", "high"))

    assert approvals_required(world, world.alice, plain, "amend", text="New") == 1
    assert approvals_required(world, world.alice, high, "amend", text="New") == 2
    assert approvals_required(world, world.alice, low, "amend", text="New") == 1
    assert approvals_required(world, world.alice, plain) == 1
    assert approvals_required(world, world.alice, low) == 0
    assert approvals_required(world, world.bob, high, "amend", text="New") == 0


def test_a_change_replaces_all_overrides_of_the_one_before(world, admin, with_role):
    change(admin, "standard", rule("amend", "agent", 2))
    weaken(admin, with_role(world, "admin"), "standard", rule("attenuate", "agent", 1))

    rules = {(one["op"], one["proposer_kind"]): one["approvals"] for one in policy(world)["rules"]}
    assert rules["amend", "agent"] == 0
    assert rules["attenuate", "agent"] == 1


def test_two_approvals_are_two_peoples(world, admin, agent_in):
    change(admin, "standard", rule("retract", "agent", 2))
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "retract", by=agent_in("private"))["edit_id"]

    assert world.bob.decide(edit)["status"] == "pending"
    assert world.bob.post(f"edits/{edit}/approve", {}).status_code == 409
    assert read(world, chunk)["text"] == "Original"
    assert world.ann.decide(edit)["status"] == "approved"
    assert read(world, chunk) is None


def test_a_persons_own_edit_that_needs_two_needs_two_others(world, admin, with_role):
    change(admin, "standard", rule("retract", "human", 2))
    edit = world.edit(world.chunk("Original"), "retract")["edit_id"]

    assert world.bob.post(f"edits/{edit}/approve", {}).status_code == 403
    assert world.ann.decide(edit)["status"] == "pending"
    assert with_role(world, "reviewer").decide(edit)["status"] == "approved"


def test_a_pending_edit_keeps_the_policy_that_it_was_proposed_under(world, admin, with_role):
    chunk = world.chunk("Original")
    before = world.edit(chunk, "quarantine", by=world.alice)
    weaken(admin, with_role(world, "admin"), "open")

    shown = world.bob.ok("get", f"edits/{before['edit_id']}")
    assert (shown["status"], shown["policy"], shown["approvals_required"]) == ("pending", "standard", 1)
    assert read(world, chunk)["text"] == "Original"

    after = world.edit(world.chunk("Another"), "quarantine", by=world.alice)
    assert (after["status"], after["approvals_required"]) == ("approved", 0)
    change(admin, "standard", rule("quarantine", "agent", 2))
    assert world.bob.decide(before["edit_id"])["status"] == "approved"


def test_a_change_is_in_the_ledger_with_who_and_why(world, admin):
    answer = change(admin, "standard", rule("amend", "agent", 1), reason="we trust them less").json()

    proposed, changed = entries(world, "policy.proposed", "policy.changed")[-2:]
    assert (proposed.type, changed.type) == ("policy.proposed", "policy.changed")
    assert proposed.metadata["reason"] == "we trust them less"
    for entry in (proposed, changed):
        assert entry.metadata["change"] == answer["change_id"]
        assert entry.metadata["policy"] == "standard"
        assert entry.metadata["overrides"] == [rule("amend", "agent", 1)]
        assert entry.metadata["actor"]["name"] == answer["proposer"]


@pytest.mark.parametrize("who", ["alice", "bob", "auditor"])
def test_only_an_admin_changes_the_policy(world, who):
    before = policy(world), len(entries(world))

    assert change(getattr(world, who), "open").status_code == 403

    assert (policy(world), len(entries(world))) == before


def test_nobody_changes_it_without_a_key(world, nobody):
    body = {"preset": "open", "reason": "a test"}

    assert nobody("post", "policy/changes", body).status_code == 401
    assert policy(world)["preset"] == "standard"


@pytest.mark.parametrize(
    "body",
    [
        {"preset": "lax", "reason": "x"},
        {"preset": "open"},
        {"preset": "open", "reason": ""},
        {"preset": "open", "reason": "x", "overrides": [rule("forget", "agent", 0)]},
        {"preset": "open", "reason": "x", "overrides": [rule("amend", "robot", 0)]},
        {"preset": "open", "reason": "x", "overrides": [rule("amend", "agent", 3)]},
        {"preset": "open", "reason": "x", "overrides": [rule("amend", "agent", -1)]},
        {"preset": "open", "reason": "x", "overrides": [rule("amend", "agent", 0, "top")]},
        {"preset": "open", "reason": "x", "overrides": [{"op": "amend"}]},
    ],
)
def test_a_change_that_is_none_is_refused(world, admin, body):
    before = policy(world), len(entries(world))

    assert admin.post("policy/changes", body).status_code == 400

    assert (policy(world), len(entries(world))) == before


def test_under_strict_a_change_waits_for_a_second_admin(strict_world, admins):
    first, second = admins

    waiting = change(first, "open").json()

    assert (waiting["status"], waiting["needs_second"]) == ("pending", True)
    assert policy(strict_world)["preset"] == "strict"
    applied = second.ok("post", f"policy/changes/{waiting['change_id']}/apply", {"reason": "agreed"})
    assert applied["status"] == "applied"
    assert policy(strict_world)["preset"] == "open"
    (entry,) = [e for e in entries(strict_world, "policy.changed") if e.metadata.get("change")]
    assert entry.metadata["change"] == waiting["change_id"]
    assert entry.metadata["reason"] == "agreed"
    assert entry.metadata["actor"]["name"] != waiting["proposer"]


def test_under_strict_ones_own_change_is_refused(strict_world, admins):
    first, _ = admins
    waiting = change(first, "open").json()["change_id"]
    before = len(entries(strict_world))

    response = first.post(f"policy/changes/{waiting}/apply", {})

    assert response.status_code == 403
    assert "another admin must decide" in response.json()["detail"]
    assert policy(strict_world)["preset"] == "strict"
    assert len(entries(strict_world)) == before


def test_the_database_refuses_ones_own_change_too(strict_world, admins):
    waiting = change(admins[0], "open").json()["change_id"]

    with (
        pytest.raises(Error, match="policy_change_decided_by_another"),
        strict_world.inside(),
        as_owner(),
        transaction.atomic(),
    ):
        PolicyChangeState.objects.filter(tenant_id=strict_world.tenant_id, change_id=waiting).update(
            status="applied", decided_by=F("proposed_by"), decider="x"
        )


def test_a_change_that_was_proposed_is_never_rewritten(strict_world, admins):
    waiting = change(admins[0], "open").json()["change_id"]

    with pytest.raises(Error, match="permission denied"), strict_world.inside(), transaction.atomic():
        gate.rows("UPDATE governance_policychange SET preset = 'strict' WHERE id = %s RETURNING id", [waiting])


def test_a_second_admin_may_reject_and_the_first_may_take_back(strict_world, admins):
    first, second = admins
    one, other = change(first, "open").json()["change_id"], change(first, "standard").json()["change_id"]

    assert second.ok("post", f"policy/changes/{one}/reject", {"reason": "no"})["status"] == "rejected"
    assert first.ok("post", f"policy/changes/{other}/reject", {})["status"] == "rejected"

    assert policy(strict_world)["preset"] == "strict"
    assert len(entries(strict_world, "policy.rejected")) == 2
    for decided in (one, other):
        assert second.post(f"policy/changes/{decided}/apply", {}).status_code == 409


@pytest.mark.parametrize("who", ["alice", "bob", "auditor"])
def test_only_an_admin_decides_a_change(strict_world, admins, who):
    waiting = change(admins[0], "open").json()["change_id"]

    for verdict in ("apply", "reject"):
        assert getattr(strict_world, who).post(f"policy/changes/{waiting}/{verdict}", {}).status_code == 403
    assert policy(strict_world)["preset"] == "strict"


def test_another_tenants_change_is_a_404(strict_world, admins, elsewhere, with_role):
    waiting = change(admins[0], "open").json()["change_id"]
    stranger = with_role(elsewhere, "admin")

    assert stranger.post(f"policy/changes/{waiting}/apply", {}).status_code == 404
    assert admins[1].post(f"policy/changes/{uuid.uuid4()}/apply", {}).status_code == 404
    assert policy(strict_world)["preset"] == "strict"


def test_another_tenants_policy_is_untouched(world, admin, elsewhere):
    before = policy(elsewhere)

    change(admin, "strict")

    assert policy(elsewhere) == before


@pytest.mark.django_db(transaction=True)
def test_of_two_admins_at_once_one_decides(strict_world, admins, with_role, at_once):
    first, second = admins
    third = with_role(strict_world, "admin")
    waiting = change(first, "open").json()["change_id"]

    answers = at_once(
        lambda: second.post(f"policy/changes/{waiting}/apply", {}),
        lambda: third.post(f"policy/changes/{waiting}/reject", {}),
    )

    assert sorted(answer.status_code for answer in answers) == [200, 409]
    applied = answers[0].status_code == 200
    assert policy(strict_world)["preset"] == ("open" if applied else "strict")


def test_the_operator_sets_a_preset_from_the_command_line(world):
    with world.inside():
        policies.use_preset(world.tenant_id, "strict", actor=system(world.tenant_id, "a test"))
        with pytest.raises(policies.UnknownPolicy):
            policies.use_preset(world.tenant_id, "lax", actor=system(world.tenant_id, "a test"))

    assert policy(world)["preset"] == "strict"
