"""Where a second person approves, it is one: not who issued the key of the proposal, nor an account that the same
person made or reset a moment ago."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import Error
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from governance import edits
from governance.acting import gate
from governance.acting.credentials import PersonCredential, system
from governance.acting.principals import Principal
from governance.edits import policies
from governance.erasure import erasures
from governance.identity import identities, people
from governance.models import Agent, ApiKey, EditState, Membership, User
from tests.erasure.conftest import admins_of
from tests.factories import DecisionFactory
from tests.owning import as_owner
from tests.world import Api

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

DAY = timedelta(days=1)
REFUSED = "another person must approve this"


@pytest.fixture
def admins(world):
    """Two admins, carol and dave."""
    return admins_of(world)


def agent_of(world):
    return Agent.objects.get(tenant_id=world.tenant_id, slug="alice")


def issue(world, admin):
    """A key of alice's that `admin` issued."""
    with world.inside():
        return Api(identities.issue_key(actor=admin, agent=agent_of(world)))


def quarantine(world, by):
    made = world.edit(world.chunk("Original"), "quarantine", by=by)
    assert made["status"] == "pending"
    return made["edit_id"]


def approve(api, edit):
    seen = api.get(f"edits/{edit}").json()
    return api.post(f"edits/{edit}/approve", {name: seen[name] for name in ("patch_sha256", "target_state")})


def member(world, name, roles=("admin",)):
    user = User.objects.get(username=name)
    return Principal(
        world.tenant_id, "human", user.id, name, roles=frozenset(roles), credential=PersonCredential(user.id)
    )


def made_by(world, admin, name="puppet", role="admin"):
    """Somebody whom `admin` added, and who chose a password: the admin, or another person."""
    with world.inside():
        user = people.add_person(name, [role], actor=admin).user
    with as_owner():
        User.objects.filter(id=user.id).update(one_time_password_until=None)
    return member(world, user.username, (role,))


def age(world, user_id, by=DAY):
    with as_owner(), world.inside():
        Membership.objects.filter(user_id=user_id).update(created_at=timezone.now() - by)


def status_of(world, edit):
    return world.auditor.ok("get", f"edits/{edit}")["status"]


# -- Who issued the key


@pytest.mark.parametrize("way", ["issue", "rotate"])
def test_whoever_issued_an_agents_key_approves_nothing_of_what_is_proposed_with_it(world, admins, way):
    key = issue(world, admins.dave_principal if way == "rotate" else admins.carol_principal)
    if way == "rotate":
        with world.inside():
            key = Api(identities.rotate_key(key.key.split("_")[1], actor=admins.carol_principal))
    edit = quarantine(world, key)

    refused = approve(admins.carol, edit)

    assert refused.status_code == 403
    assert refused.json()["type"].endswith("needs-second-person")
    assert "you issued the key" in refused.json()["detail"]
    assert status_of(world, edit) == "pending"
    assert approve(admins.dave, edit).json()["status"] == "approved"


def test_it_is_the_key_that_counts_and_not_the_agent(world, admins):
    of_carol = issue(world, admins.carol_principal)
    assert approve(admins.carol, quarantine(world, world.alice)).status_code == 200
    assert approve(admins.carol, quarantine(world, issue(world, admins.dave_principal))).status_code == 200
    edit = quarantine(world, of_carol)
    with world.inside():
        identities.revoke_key(of_carol.key.split("_")[1], actor=admins.carol_principal)
    assert approve(admins.carol, edit).status_code == 403, "revoking it changes nothing of what was proposed"


def test_whoever_issued_it_may_reject(world, admins):
    edit = quarantine(world, issue(world, admins.carol_principal))
    assert admins.carol.decide(edit, "reject", reason="no")["status"] == "rejected"


def test_neither_in_the_admin_alone_or_in_bulk(world, admins, desk):
    edit = quarantine(world, issue(world, admins.carol_principal))
    at = "/admin/governance/edit/"
    client = desk(admins.carol_principal.name).client
    page = client.get(f"{at}{edit}/change/").content.decode()
    assert "You issued the key that this edit was proposed with" in page
    assert "approve-dialog" not in page
    assert "No edit waits for you" in client.get("/admin/").content.decode()
    assert "1 edit" in desk(admins.dave_principal.name).client.get("/admin/").content.decode()
    shown = EditStateOf(world, edit)
    verdict = {"patch_sha256": shown.patch, "target_state": shown.state, "reason": ""}
    assert client.post(f"{at}{edit}/approve/", verdict).status_code == 403
    assert status_of(world, edit) == "pending"


def test_the_database_refuses_it_too(world, admins):
    edit = quarantine(world, issue(world, admins.carol_principal))
    patch = bytes.fromhex(EditStateOf(world, edit).patch)
    sql = "SELECT * FROM record_verdict(%s, %s, 'approved', '', %s, NULL)"
    with pytest.raises(Error, match="another person must approve"), gate.acting_as(admins.carol_principal):
        gate.rows(sql, [world.tenant_id, edit, patch])


def test_of_two_approvals_neither_is_the_issuers(world, admins):
    rule = {"op": "quarantine", "proposer_kind": "agent", "sensitivity": None, "approvals": 2}
    with world.inside():
        policies.propose_change(actor=admins.carol_principal, preset="standard", overrides=[rule], reason="a test")
    edit = quarantine(world, issue(world, admins.carol_principal))
    assert approve(world.bob, edit).json()["status"] == "pending"
    assert approve(admins.carol, edit).status_code == 403
    assert approve(world.ann, edit).json()["status"] == "approved"


def test_a_decision_that_waits_for_approval_is_not_put_in_force_by_who_issued_the_key(strict_world):
    world, admins = strict_world, admins_of(strict_world)
    body = DecisionFactory(content={"decision": "Refund without asking", "scope": "policy"})
    edit = issue(world, admins.carol_principal).ok("post", "events", body)["approval_edit_id"]
    assert approve(admins.carol, edit).status_code == 403
    assert approve(admins.dave, edit).json()["status"] == "approved"


def test_a_key_says_who_issued_it(world, admins):
    key = issue(world, admins.carol_principal)
    with world.inside():
        issued = dict(ApiKey.objects.values_list("prefix", "issued_by"))
    assert issued[key.key.split("_")[1]] == admins.carol_principal.id
    assert issued[world.keys["alice"].split("_")[1]] is None, "the operator's"


class EditStateOf:
    """What a reviewer saw of an edit."""

    def __init__(self, world, edit):
        with world.inside():
            state = EditState.objects.select_related("edit").get(tenant_id=world.tenant_id, edit_id=edit)
            target = state.edit.target_id
            (row,) = gate.rows("SELECT state_of_chunk(%s, %s, false) AS state", [world.tenant_id, target])
        self.patch, self.state = bytes(state.edit.patch_sha256).hex(), row["state"]


# -- Accounts that somebody else may still hold


def decide(actor, edit):
    with gate.acting_as(actor):
        return edits.approve_edit(uuid.UUID(edit), actor=actor)


def test_an_account_that_one_made_approves_nothing_of_ones_own_for_a_day(world, admins):
    edit = quarantine(world, issue(world, admins.carol_principal))
    puppet = made_by(world, admins.carol_principal)
    with pytest.raises(Error, match=REFUSED):
        decide(puppet, edit)
    age(world, puppet.id)
    assert decide(puppet, edit).status == "approved"


def test_nor_does_one_approve_what_the_account_proposed(strict_world):
    world, admins = strict_world, admins_of(strict_world)
    puppet = made_by(world, admins.carol_principal)
    chunk = world.chunk("Original")
    fields: dict[str, Any] = {
        "target_type": "chunk",
        "target_id": uuid.UUID(chunk),
        "op": "quarantine",
        "reason": "a test",
    }
    with gate.acting_as(puppet):
        edit = edits.propose_edit(actor=puppet, patch=edits.Patch(), **fields)
    assert approve(admins.carol, edit.edit_id).status_code == 403
    assert approve(admins.dave, edit.edit_id).json()["status"] == "approved"


def test_nor_through_a_third_account(world, admins):
    edit = quarantine(world, issue(world, admins.carol_principal))
    first = made_by(world, admins.carol_principal)
    second = made_by(world, first, "second", "reviewer")
    with pytest.raises(Error, match=REFUSED):
        decide(second, edit)


def test_two_accounts_of_one_person_are_one_approval(world, admins):
    rule = {"op": "quarantine", "proposer_kind": "agent", "sensitivity": None, "approvals": 2}
    with world.inside():
        policies.propose_change(actor=admins.dave_principal, preset="standard", overrides=[rule], reason="a test")
    edit = quarantine(world, world.alice)
    assert approve(admins.carol, edit).json()["status"] == "pending"
    with pytest.raises(Error, match=REFUSED):
        decide(made_by(world, admins.carol_principal), edit)
    assert approve(admins.dave, edit).json()["status"] == "approved"


def test_a_role_that_decides_begins_the_day_again(world, admins):
    edit = quarantine(world, issue(world, admins.carol_principal))
    auditor = made_by(world, admins.carol_principal, role="auditor")
    age(world, auditor.id, 30 * DAY)
    with world.inside():
        people.grant_role(User.objects.get(id=auditor.id), "reviewer", actor=admins.carol_principal)
    with pytest.raises(Error, match=REFUSED):
        decide(member(world, auditor.name, ("reviewer",)), edit)


@pytest.mark.parametrize("act", [people.give_one_time_password, people.turn_off_second_factor])
def test_an_account_that_one_reset_counts_as_ones_own_for_a_day(world, admins, act):
    edit = quarantine(world, issue(world, admins.carol_principal))
    ann = User.objects.get(username=world.ann_name)
    with as_owner():
        TOTPDevice.objects.create(user=ann, name="a test")
    with world.inside():
        act(ann, actor=admins.carol_principal)
    refused = approve(world.ann, edit)
    assert refused.status_code == 403
    with as_owner():
        User.objects.filter(id=ann.id).update(reset_at=timezone.now() - DAY)
    assert approve(world.ann, edit).json()["status"] == "approved"


def test_an_erasure_takes_a_second_person_too(world, admins):
    event = world.event("to be erased")["event_id"]
    erasure = uuid.UUID(admins.propose(by="event", id=event))
    puppet = made_by(world, admins.carol_principal)
    with pytest.raises(Error, match=REFUSED), gate.acting_as(puppet):
        erasures.approve_erasure(erasure, actor=puppet)
    admins.dave.ok("post", f"erasures/{erasure}/approve", {})


def test_a_change_of_the_policy_takes_a_second_person_too(world, admins):
    with world.inside():
        change = policies.propose_change(actor=admins.carol_principal, preset="open", reason="a test")
    puppet = made_by(world, admins.carol_principal)
    with pytest.raises(Error, match=REFUSED), gate.acting_as(puppet):
        policies.decide_change(change.id, actor=puppet, apply=True)
    with gate.acting_as(puppet):
        policies.decide_change(change.id, actor=puppet, apply=False)


def test_people_whom_the_operator_made_count_as_themselves(world, admins):
    edit = quarantine(world, issue(world, admins.carol_principal))
    with world.inside():
        people.add_person("erin-" + world.slug[-8:], ["reviewer"], actor=system(world.tenant_id, "a test"))
    erin = member(world, "erin-" + world.slug[-8:], ("reviewer",))
    assert decide(erin, edit).status == "approved"
