"""A server that goes away leaves a change of who may do what whole, with its entries, or not there."""

import secrets
from dataclasses import replace

import pytest
from django_otp.plugins.otp_totp.models import TOTPDevice

from governance.acting.credentials import system
from governance.edits import policies
from governance.identity import agents, identities, invitations, people
from governance.models import Agent, ApiKey, Invitation, Membership, Tenant, User
from tests.erasure.conftest import admins_of
from tests.ledger.breaking import assert_whole_or_not_there
from tests.ledger.governed import make_superuser
from tests.owning import as_owner

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


@pytest.fixture
def break_inside(world):
    """`break_inside(call, made, is_done)`: the call as one transaction of the tenant, by the operator."""
    actor = system(world.tenant_id, "a test")

    def run(call, made, is_done=None):
        def inside():
            with world.inside():
                call(actor)

        def done():
            with world.inside():
                return is_done()

        assert_whole_or_not_there(world, inside, made, is_done and done)

    return run


@pytest.fixture
def alice(world):
    with world.inside():
        return Agent.objects.get(tenant_id=world.tenant_id, slug="alice")


@pytest.fixture
def bob(world):
    return User.objects.get(username=world.bob_name)


def key_of(agent):
    return ApiKey.objects.get(tenant_id=agent.tenant_id, agent=agent, revoked_at__isnull=True)


@pytest.fixture
def prefix(world, alice):
    with world.inside():
        return key_of(alice).prefix


def roles(user, tenant_id):
    held = Membership.objects.filter(tenant_id=tenant_id, user=user, is_active=True)
    return set(held.values_list("role", flat=True))


def test_an_issued_key(break_inside, alice):
    break_inside(
        lambda actor: identities.issue_key(actor=actor, agent=alice), {"governance_apikey": 1, "governance_entry": 1}
    )


def test_a_revoked_key(break_inside, world, prefix):
    break_inside(
        lambda actor: identities.revoke_key(prefix, actor=actor),
        {"governance_entry": 1},
        lambda: ApiKey.objects.get(tenant_id=world.tenant_id, prefix=prefix).revoked_at is not None,
    )


def test_a_rotated_key(break_inside, alice, prefix):
    break_inside(
        lambda actor: identities.rotate_key(prefix, actor=actor),
        {"governance_apikey": 1, "governance_entry": 2},
        lambda: key_of(alice).prefix != prefix,
    )


def test_a_granted_role(break_inside, world, bob):
    break_inside(
        lambda actor: people.grant_role(bob, "auditor", actor=actor),
        {"governance_membership": 1, "governance_entry": 1},
        lambda: roles(bob, world.tenant_id) == {"auditor", "reviewer"},
    )


def test_a_withdrawn_role(break_inside, world, bob):
    break_inside(
        lambda actor: people.withdraw_role(bob, "reviewer", actor=actor),
        {"governance_entry": 1},
        lambda: roles(bob, world.tenant_id) == set(),
    )


def test_a_deactivated_agent(break_inside, alice):
    break_inside(
        lambda actor: agents.deactivate_agent(alice, actor=actor),
        {"governance_entry": 1},
        lambda: not Agent.objects.get(tenant_id=alice.tenant_id, id=alice.id).is_active,
    )


def test_an_agent_activated_again(break_inside, world, alice):
    with world.inside():
        agents.deactivate_agent(alice, actor=system(world.tenant_id, "a test"))
    break_inside(
        lambda actor: agents.activate_agent(alice, actor=actor),
        {"governance_entry": 1},
        lambda: Agent.objects.get(tenant_id=alice.tenant_id, id=alice.id).is_active,
    )


def test_a_changed_tenant(break_inside, world):
    break_inside(
        lambda actor: identities.change_tenant(pending_edit_days=7, actor=actor),
        {"governance_entry": 1},
        lambda: Tenant.objects.get(id=world.tenant_id).pending_edit_days == 7,
    )


def test_an_added_person(break_inside):
    name = f"erin-{secrets.token_hex(4)}"
    break_inside(
        lambda actor: people.add_person(name, ["reviewer", "auditor"], actor=actor),
        {"governance_user": 1, "governance_membership": 2, "governance_entry": 3},
        lambda: User.objects.filter(username=name).exists(),
    )


def test_an_invited_person(break_inside):
    name = f"erin-{secrets.token_hex(4)}"
    break_inside(
        lambda actor: invitations.invite(name, ["reviewer"], actor=actor),
        {"governance_invitation": 1, "governance_entry": 1},
        lambda: Invitation.objects.filter(username=name).exists(),
    )


def test_a_removed_person(break_inside, world, bob):
    break_inside(
        lambda actor: identities.remove_person(bob, actor=actor),
        {"governance_entry": 3},
        lambda: (
            roles(bob, world.tenant_id) == set()
            and not ApiKey.objects.filter(user=bob, revoked_at__isnull=True).exists()
        ),
    )


@pytest.mark.parametrize("service", [people.deactivate_person, people.activate_person])
def test_an_account_whose_state_changes(break_inside, world, bob, service):
    is_active = service is people.activate_person
    make_superuser()
    if is_active:
        with world.inside():
            people.deactivate_person(bob, actor=replace(system(world.tenant_id, "a test"), is_superuser=True))
    break_inside(
        lambda actor: service(bob, actor=replace(actor, is_superuser=True)),
        {"governance_entry": 1},
        lambda: User.objects.get(id=bob.id).is_active is is_active,
    )


def test_a_one_time_password(break_inside, bob):
    before = bob.password
    break_inside(
        lambda actor: people.give_one_time_password(bob, actor=actor),
        {"governance_entry": 1},
        lambda: User.objects.get(id=bob.id).password != before,
    )


def test_a_second_factor_that_is_switched_off(break_inside, bob):
    with as_owner():
        TOTPDevice.objects.create(user=bob, name="a test")
    break_inside(
        lambda actor: people.turn_off_second_factor(bob, actor=actor),
        {"governance_entry": 1},
        lambda: not TOTPDevice.objects.filter(user=bob).exists(),
    )


def test_a_provisioned_agent_and_person_under_another_policy(world):
    person = f"erin-{secrets.token_hex(4)}"

    def provision():
        identities.provision(world.slug, agents=[("carol", [])], people=[(person, "auditor")], policy="open")

    assert_whole_or_not_there(
        world,
        provision,
        {
            "governance_agent": 1,
            "governance_user": 1,
            "governance_membership": 1,
            "governance_apikey": 2,
            # the policy, the agent, its chain, the role, two keys
            "governance_entry": 6,
            "governance_chain": 1,
        },
        lambda: policy_of(world) == "open",
    )


def policy_of(world):
    with world.inside():
        approvals = {rule.approvals for rule in policies.rules_of(world.tenant_id)}
        policy = Tenant.objects.get(id=world.tenant_id).policy
    assert (policy == "open") is (approvals == {0})
    return policy


@pytest.mark.parametrize("apply", [True, False])
def test_a_policy_change_decided_by_a_second_admin(strict_world, apply):
    admins = admins_of(strict_world)
    with strict_world.inside():
        change = policies.propose_change(actor=admins.carol_principal, preset="open", reason="a test")

    def decide():
        with strict_world.inside():
            policies.decide_change(change.id, actor=admins.dave_principal, apply=apply, reason="seen")

    before = policy_of(strict_world)
    # the presets have as many rules as each other
    assert_whole_or_not_there(
        strict_world,
        decide,
        {"governance_entry": 1},
        (lambda: policy_of(strict_world) != before) if apply else None,
    )
