"""Whoever gives or takes a right in the database, past the server, is found: no entry of the ledger says so."""

import re
import secrets
import uuid
from dataclasses import replace
from hashlib import sha256

import pytest

from governance.edits import policies
from governance.identity import agents, people
from governance.models import new_id
from tests.ledger.governed import Governed, change, govern
from tests.ledger.tampering import assert_intact, tamper, unguarded, verify_chain

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


@pytest.fixture
def governed(world, elsewhere):
    return govern(world, elsewhere)


def assert_only_found(governed: Governed, *sentences: str) -> None:
    """`verify_chain` fails, and names these and nothing else."""
    code, told = verify_chain(governed.world)
    assert code == 1, told
    for sentence in sentences:
        assert f"authority without proof: rows: {sentence}" in told, told
    assert f": {len(sentences)} finding{'s' * (len(sentences) > 1)} (" in told, told


def assert_entry_found(governed: Governed, sentence: str) -> None:
    """`verify_chain` fails, and names an entry of the chain and nothing else."""
    code, told = verify_chain(governed.world)
    assert code == 1, told
    assert re.search(rf"authority without proof: governance at \d+: {re.escape(sentence)}", told), told
    assert ": 1 finding (" in told, told


def tenant(governed):
    return governed.world.tenant_id


def test_what_the_services_do_follows_from_the_entries(governed):
    assert_intact(governed.world)


def test_a_stranger_who_was_made_an_admin(governed):
    change(
        "INSERT INTO governance_membership (tenant_id, id, user_id, role, is_active, created_at)"
        " VALUES (%s, %s, %s, 'admin', true, now())",
        *(tenant(governed), new_id(), governed.charlie.id),
    )
    assert_only_found(governed, f"{governed.charlie.username} has the role admin, but no entry grants it")


def test_another_role(governed):
    change(
        "UPDATE governance_membership SET role = 'admin' WHERE tenant_id = %s AND user_id = %s",
        *(tenant(governed), governed.bob.id),
    )
    assert_only_found(
        governed,
        f"{governed.bob.username} has the role admin, but no entry grants it",
        f"{governed.bob.username} was granted the role reviewer, but its row is missing",
    )


def test_a_withdrawn_role_that_is_back(governed):
    change(
        "UPDATE governance_membership SET is_active = true WHERE tenant_id = %s AND user_id = %s",
        *(tenant(governed), governed.ann.id),
    )
    assert_only_found(governed, f"{governed.ann.username} has the role reviewer, but its last entry withdrew it")


def test_a_role_that_was_taken(governed):
    change(
        "UPDATE governance_membership SET is_active = false WHERE tenant_id = %s AND user_id = %s",
        *(tenant(governed), governed.bob.id),
    )
    assert_only_found(governed, f"{governed.bob.username} no longer has the role reviewer")


def test_a_planted_agent(governed):
    change(
        "INSERT INTO governance_agent (tenant_id, id, slug, channels, is_active, reads_quarantined, created_at)"
        " VALUES (%s, %s, 'mallory', '{private}', true, true, now())",
        *(tenant(governed), new_id()),
    )
    assert_only_found(governed, "The agent mallory is in the database, but no entry created it")


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("is_active = true", "is_active of the agent dora is True, but the entries say False"),
        ("reads_quarantined = true", "reads_quarantined of the agent dora is True, but the entries say False"),
        ("channels = '{private,agent,team}'", "channels of the agent dora is ['agent', 'private', 'team']"),
        ("slug = 'mallory'", "slug of the agent dora is mallory, but the entries say dora"),
    ],
)
def test_a_changed_agent(governed, assignment, sentence):
    change(
        f"UPDATE governance_agent SET {assignment} WHERE tenant_id = %s AND id = %s",
        *(tenant(governed), governed.dora.id),
    )
    assert_only_found(governed, sentence)


def test_a_planted_key(governed):
    digest = sha256(b"sut_planted").digest()
    change(
        "INSERT INTO governance_apikey (tenant_id, id, user_id, prefix, digest, created_at)"
        " VALUES (%s, %s, %s, 'deadbeef', %s, now())",
        *(tenant(governed), new_id(), governed.bob.id, digest),
    )
    assert_only_found(governed, f"{governed.bob.username} has the key deadbeef, but no entry issued it")


def test_a_replaced_key(governed):
    before = bytes(governed.expiring.digest).hex()
    digest = sha256(b"sut_planted").digest()
    change(
        "UPDATE governance_apikey SET digest = %s WHERE tenant_id = %s AND id = %s",
        *(digest, tenant(governed), governed.expiring.id),
    )
    sentence = f"digest of the key {governed.expiring.prefix} is {digest.hex()}, but the entries say {before}"
    assert_only_found(governed, sentence)


@pytest.mark.parametrize("assignment", ["expires_at = NULL", "expires_at = expires_at + interval '1 year'"])
def test_a_key_that_expires_later(governed, assignment):
    change(
        f"UPDATE governance_apikey SET {assignment} WHERE tenant_id = %s AND id = %s",
        *(tenant(governed), governed.expiring.id),
    )
    assert_only_found(governed, f"expires_at of the key {governed.expiring.prefix} is ")


def test_a_key_that_nobody_seems_to_have_issued(governed):
    """Then its issuer could approve what is proposed with it."""
    change(
        "UPDATE governance_apikey SET issued_by = NULL WHERE tenant_id = %s AND id = %s",
        *(tenant(governed), governed.expiring.id),
    )
    assert_only_found(governed, f"issued_by of the key {governed.expiring.prefix} is nothing")


def test_a_revoked_key_that_is_good_again(governed):
    change(
        "UPDATE governance_apikey SET revoked_at = NULL WHERE tenant_id = %s AND id = %s",
        *(tenant(governed), governed.revoked.id),
    )
    sentence = f"is_revoked of the key {governed.revoked.prefix} is False, but the entries say True"
    assert_only_found(governed, sentence)


def test_a_deleted_key(governed):
    change("DELETE FROM governance_apikey WHERE tenant_id = %s AND id = %s", *(tenant(governed), governed.expiring.id))
    assert_only_found(governed, f"The key {governed.expiring.prefix} of alice was issued, but is not in the database")


def test_an_account_that_is_made_a_superuser(governed):
    change("UPDATE governance_user SET is_superuser = true WHERE id = %s", governed.bob.id)
    assert_only_found(governed, f"{governed.bob.username} is a superuser, but no entry made them one")
    change("UPDATE governance_user SET is_superuser = false WHERE id = %s", governed.bob.id)


def test_a_planted_superuser(governed):
    name, planted = f"mallory-{secrets.token_hex(4)}", uuid.uuid4()
    change(
        "INSERT INTO governance_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name,"
        " email, date_joined, sessions_ended) VALUES (%s, %s, 'x', true, true, true, '', '', '', now(), 0)",
        *(planted, name),
    )
    assert_only_found(governed, f"{name} is a superuser, but no entry made them one")
    change("DELETE FROM governance_user WHERE id = %s", planted)


def test_a_superuser_who_is_none_any_more(governed):
    change("UPDATE governance_user SET is_superuser = false WHERE id = %s", governed.boss.id)
    assert_only_found(governed, f"{governed.boss.username} is no longer a superuser")


def test_a_deactivated_account_that_is_active_again(governed):
    change("UPDATE governance_user SET is_active = true WHERE id = %s", governed.ann.id)
    assert_only_found(governed, f"The account of {governed.ann.username} is active, but no entry made it so")


def test_an_account_that_is_deactivated(governed):
    change("UPDATE governance_user SET is_active = false WHERE id = %s", governed.bob.id)
    assert_only_found(governed, f"The account of {governed.bob.username} is deactivated, but no entry made it so")


def test_an_account_whose_passwords_the_tenants_admins_may_give(governed):
    change("UPDATE governance_user SET made_in_id = %s WHERE id = %s", *(tenant(governed), governed.charlie.id))
    assert_only_found(governed, f"The account of {governed.charlie.username} was created in this tenant")


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("made_by = NULL", "made_by of the account {name} is nothing, but the entries say "),
        ("made_in_id = NULL", "made_in_id of the account {name} is nothing, but the entries say "),
        ("username = 'mallory-' || id", "username of the account {name} is mallory-"),
    ],
)
def test_an_account_of_somebody_else(governed, assignment, sentence):
    """An account counts as that of its maker for a day, and an invitation is for a username."""
    with governed.world.inside():
        erin = people.add_person("erin", ["auditor"], actor=governed.admins.carol_principal).user
    assert_intact(governed.world)
    change(f"UPDATE governance_user SET {assignment} WHERE id = %s", erin.id)
    assert_only_found(governed, sentence.format(name=erin.username))


def test_an_invitation_to_another_role(governed):
    change(
        "UPDATE governance_invitation SET roles = '{admin}' WHERE tenant_id = %s AND id = %s",
        *(tenant(governed), governed.invitation.id),
    )
    assert_only_found(governed, f"roles of the invitation of {governed.charlie.username} is ['admin']")


def test_an_invitation_that_is_open_for_longer(governed):
    change(
        "UPDATE governance_invitation SET expires_at = expires_at + interval '1 year' WHERE tenant_id = %s AND id = %s",
        *(tenant(governed), governed.invitation.id),
    )
    assert_only_found(governed, f"expires_at of the invitation of {governed.charlie.username} is ")


def test_what_somebody_did_who_was_an_admin_for_a_moment(governed):
    """The row is gone again, and the acts of that moment are signed."""
    change(
        "UPDATE governance_membership SET role = 'admin' WHERE tenant_id = %s AND user_id = %s",
        *(tenant(governed), governed.bob.id),
    )
    with governed.world.inside():
        bob = replace(governed.world.bob_principal, roles=frozenset({"admin"}))
        agents.create_agent("mallory", [], actor=bob)
    change(
        "UPDATE governance_membership SET role = 'reviewer' WHERE tenant_id = %s AND user_id = %s",
        *(tenant(governed), governed.bob.id),
    )
    sentence = f"agent.created is by {governed.bob.username}, but no earlier entry made them an admin"
    assert_entry_found(governed, sentence)


def test_a_policy_that_is_set_to_open(governed):
    change("UPDATE governance_tenant SET policy = 'open' WHERE id = %s", tenant(governed))
    assert_only_found(governed, f"policy of the tenant {governed.world.slug} is open, but the entries say standard")


def test_a_rule_that_asks_for_no_approval(governed):
    change(
        "UPDATE governance_policyrule SET approvals = 0"
        " WHERE tenant_id = %s AND op = 'retract' AND proposer_kind = 'agent'",
        tenant(governed),
    )
    assert_only_found(
        governed, "The policy for retract by agent requires no approval, but the entries require 1 approval"
    )


def test_a_planted_rule(governed):
    change(
        "INSERT INTO governance_policyrule (tenant_id, id, op, proposer_kind, sensitivity, approvals)"
        " VALUES (%s, %s, 'retract', 'agent', 'none', 0)",
        *(tenant(governed), new_id()),
    )
    assert_only_found(governed, "The policy has a rule for retract by agent of sensitivity none, but no entry made it")


@pytest.mark.parametrize(("op", "kind"), [("amend", "human"), ("decide", "agent")])
def test_a_deleted_rule(governed, op, kind):
    change(
        "DELETE FROM governance_policyrule WHERE tenant_id = %s AND op = %s AND proposer_kind = %s",
        *(tenant(governed), op, kind),
    )
    assert_only_found(governed, f"The policy has no rule for {op} by {kind}, but the entries made one")


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("takes_effect_at = takes_effect_at - interval '1 hour'", "takes_effect_at of the proposed change"),
        ("needs_second = false", "needs_second of the proposed change of the policy to open is False"),
        ("proposed_by = gen_random_uuid()", "proposed_by of the proposed change of the policy to open is "),
        (
            "status = 'rejected', decided_by = gen_random_uuid(), takes_effect_at = NULL",
            "status of the proposed change of the policy to open is rejected, but the entries say pending",
        ),
    ],
)
def test_a_change_of_the_policy_that_waits_for_something_else(governed, assignment, sentence):
    change(
        f"UPDATE governance_policychangestate SET {assignment} WHERE tenant_id = %s AND change_id = %s",
        *(tenant(governed), governed.waiting.id),
    )
    code, told = verify_chain(governed.world)
    assert (code, f"authority without proof: rows: {sentence}" in told) == (1, True), told


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("preset = 'strict'", "preset of the proposed change of the policy to open is strict"),
        ("needs_second = false", "needs_second of the proposed change of the policy to open is False"),
        ("proposed_by = gen_random_uuid()", "proposed_by of the proposed change of the policy to open is "),
        ("promotion = '{\"sessions\": 1}'", "promotion of the proposed change of the policy to open is "),
    ],
)
def test_another_change_of_the_policy_than_the_one_that_was_proposed(governed, assignment, sentence):
    tamper(
        "governance_policychange",
        f"UPDATE governance_policychange SET {assignment} WHERE tenant_id = %s AND id = %s",
        *(tenant(governed), governed.waiting.id),
    )
    assert_only_found(governed, sentence)


def test_a_change_of_the_policy_that_took_effect_before_its_hour(governed):
    change(
        "UPDATE governance_policychangestate SET takes_effect_at = now() WHERE tenant_id = %s AND change_id = %s",
        *(tenant(governed), governed.waiting.id),
    )
    assert policies.apply_due_changes() == 1
    assert_entry_found(governed, "The change of the policy to open took effect before its time")


def test_a_change_of_the_policy_that_its_proposer_applied(governed):
    for table, column in (("governance_policychangestate", "change_id"), ("governance_policychange", "id")):
        with unguarded("governance_policychange") as cursor:
            cursor.execute(
                f"UPDATE {table} SET needs_second = false WHERE tenant_id = %s AND {column} = %s",
                [tenant(governed), governed.waiting.id],
            )
    with governed.world.inside():
        policies.decide_change(governed.waiting.id, actor=governed.admins.carol_principal, apply=True)
    carol = governed.admins.carol_principal.name
    assert_entry_found(governed, f"The change of the policy to open is applied by {carol}, who proposed it")


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("default_sensitivities = '{}'", "default_sensitivities of the tenant"),
        ("pending_edit_days = 3650", "pending_edit_days of the tenant"),
        ("hybrid_alpha = 0.25", "hybrid_alpha of the tenant"),
        ("search_language = 'simple'", "search_language of the tenant"),
        ("ephemeral_hours = 87600", "ephemeral_hours of the tenant"),
        ("promotion_rules = '{\"sessions\": 1}'", "promotion_rules of the tenant"),
    ],
)
def test_another_setting(governed, assignment, sentence):
    change(f"UPDATE governance_tenant SET {assignment} WHERE id = %s", tenant(governed))
    assert_only_found(governed, sentence)
