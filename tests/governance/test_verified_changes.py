"""Whoever holds the web's connection changes no role, key, account or policy but through a function of the gate, which
asks who acts; and no such change commits without its entry in the ledger."""

import uuid
from itertools import product

import pytest
from django.db import Error, IntegrityError, connection, transaction

from governance.acting import gate
from governance.acting.credentials import PersonCredential, system
from governance.identity import people
from governance.ledger import appending
from governance.models import (
    Agent,
    ApiKey,
    AudienceRule,
    ImpliedRelation,
    Invitation,
    Membership,
    PolicyRule,
    RelationTuple,
    Tenant,
    User,
    new_id,
)
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db(transaction=True)

#: SQL that the web might run, by what it would change.
WRITES = {
    "a role": "INSERT INTO governance_membership (tenant_id, id, user_id, role, is_active, created_at)"
    " VALUES (%(tenant)s, gen_random_uuid(), %(user)s, 'admin', true, now())",
    "a role again": "UPDATE governance_membership SET role = 'admin' WHERE user_id = %(user)s",
    "a key": "INSERT INTO governance_apikey (tenant_id, id, user_id, prefix, digest, created_at)"
    " VALUES (%(tenant)s, gen_random_uuid(), %(user)s, 'mallory', '\\x00', now())",
    "a revoked key": "UPDATE governance_apikey SET revoked_at = NULL",
    "a rule": "INSERT INTO governance_policyrule (tenant_id, id, op, proposer_kind, approvals)"
    " VALUES (%(tenant)s, gen_random_uuid(), 'retract', 'agent', 0)",
    "rules": "DELETE FROM governance_policyrule",
    "a decided policy": "UPDATE governance_policychangestate SET status = 'applied'",
    "a policy": "UPDATE governance_tenant SET policy = 'open'",
    "an agent": "UPDATE governance_agent SET channels = '{private}'",
    "a password": "UPDATE governance_user SET password = 'x' WHERE id = %(user)s",
    "a superuser": "UPDATE governance_user SET is_superuser = true WHERE id = %(user)s",
    "an account": "INSERT INTO governance_user (id, username, password, is_superuser, is_staff, is_active, first_name,"
    " last_name, email, date_joined) VALUES (gen_random_uuid(), 'mallory', 'x', true, true, true, '', '', '', now())",
    "a second factor": "DELETE FROM otp_totp_totpdevice WHERE user_id = %(user)s",
    "its secret": "UPDATE otp_totp_totpdevice SET key = '00'",
    "recovery codes": "INSERT INTO otp_static_statictoken (device_id, token) VALUES (1, 'x')",
    "what is owed": "DELETE FROM governance_owedentry",
}


def call(function, *arguments):
    """Call a function as SQL does, whatever Python declares of it."""
    return gate.rows(f"SELECT * FROM {function}({', '.join(['%s'] * len(arguments))})", arguments)


@pytest.fixture
def admin(world):
    return admins_of(world).carol_principal


@pytest.fixture
def ann(world):
    return User.objects.get(username=world.ann_name)


def roles_of(world, user):
    with world.inside():
        held = Membership.objects.filter(tenant_id=world.tenant_id, user=user, is_active=True)
        return set(held.values_list("role", flat=True))


def test_the_web_writes_none_of_it_itself(world, admin, subtests):
    for what, sql in WRITES.items():
        with (
            subtests.test(what),
            pytest.raises(Error, match="permission denied"),
            gate.acting_as(admin),
            connection.cursor() as cursor,
        ):
            cursor.execute(sql, {"tenant": world.tenant_id, "user": world.bob_principal.id})


CALLS = {
    "grant_role": lambda world, user: (user, "admin"),
    "withdraw_role": lambda world, user: (user, "reviewer"),
    "invite_person": lambda world, user: ("mallory", ["reviewer"]),
    "withdraw_invitation": lambda world, user: (uuid.uuid4(),),
    "make_account": lambda world, user: ("mallory", "x", None),
    "give_password": lambda world, user: (user, "x", None),
    "remove_second_factor": lambda world, user: (user,),
    "set_account_active": lambda world, user: (user, False),
    "create_agent": lambda world, user: ("mallory", ["public"]),
    "set_agent_active": lambda world, user: (world.alice_principal.id, False),
    "issue_key": lambda world, user: (world.alice_principal.id, None, "mallory", b"x", None, [], False),
    "revoke_key": lambda world, user: (world.keys["ann"].split("_")[1],),
    "change_tenant": lambda world, user: (7, None, None, None, None, None, None),
    "found_tenant": lambda world, user: ("mallory",),
    "replace_policy_rules": lambda world, user: ("open",),
    "propose_policy_change": lambda world, user: ("open", "[]", "a try"),
    "decide_policy_change": lambda world, user: (uuid.uuid4(), True),
    "add_implied_relation": lambda world, user: ("patient", "clinician_of", "covering"),
    "remove_implied_relation": lambda world, user: (uuid.uuid4(),),
    "set_audience_rule": lambda world, user: ("patient", "", "", ["#"], "a try"),
    "remove_audience_rule": lambda world, user: (uuid.uuid4(),),
}


def test_a_function_of_the_gate_refuses_an_agent_and_a_reviewer(world, ann, subtests):
    for function, who in product(CALLS, (world.alice_principal, world.bob_principal)):
        with subtests.test(function, who=who.name):
            with pytest.raises(Error) as refused, gate.acting_as(who):
                call(function, world.tenant_id, *CALLS[function](world, ann.id))
            assert getattr(refused.value.__cause__, "sqlstate", None) == "SU403"


def test_an_admin_gives_a_stranger_no_role(world, elsewhere, admin):
    theirs = User.objects.get(username=elsewhere.bob_name)
    with gate.acting_as(admin):
        (refused,) = call("grant_role", world.tenant_id, theirs.id, "auditor")
    assert refused == {"was_granted": False, "refusal": "needs_invitation"}
    assert roles_of(world, theirs) == set()


def test_an_admin_makes_accounts_of_their_tenants_own_name_only(world, elsewhere, admin):
    with pytest.raises(Error, match="cannot contain @"), gate.acting_as(admin):
        call("make_account", world.tenant_id, f"mallory@{elsewhere.slug}", "x", None)


def test_a_job_changes_no_identity(world, ann):
    with pytest.raises(Error, match="only an admin"), gate.job(world.tenant_id):
        call("grant_role", world.tenant_id, ann.id, "admin")


def test_an_admin_replaces_no_policy_at_once(world, admin):
    with pytest.raises(Error, match="only the operator"), gate.acting_as(admin):
        call("replace_policy_rules", world.tenant_id, "open")


IDENTITIES = (Tenant, Agent, ApiKey, Membership, Invitation, PolicyRule)
CHANGES = {
    "grant_role": lambda world, ann: (ann.id, "admin"),
    "withdraw_role": lambda world, ann: (ann.id, "reviewer"),
    "invite_person": lambda world, ann: ("mallory", ["reviewer"]),
    "create_agent": lambda world, ann: ("mallory", ["public"]),
    "set_agent_active": lambda world, ann: (world.alice_principal.id, False),
    "issue_key": lambda world, ann: (world.alice_principal.id, None, "mallory", b"x", None, [], False),
    "revoke_key": lambda world, ann: (world.keys["ann"].split("_")[1],),
    "make_account": lambda world, ann: (f"mallory-{world.slug}", "x", None),
    "give_password": lambda world, ann: (ann.id, "x", None),
    "change_tenant": lambda world, ann: (7, None, None, None, None, None, None),
    "propose_policy_change": lambda world, ann: ("open", "[]", "a try"),
    "add_relation": lambda world, ann: ("user:charlie", "clinician_of", "patient:ada", None, None, "a try"),
    "add_implied_relation": lambda world, ann: ("patient", "clinician_of", "covering"),
    "set_audience_rule": lambda world, ann: ("patient", "", "", ["#"], "a try"),
}


@pytest.mark.parametrize("function", CHANGES)
def test_no_change_commits_without_its_entry(world, admin, ann, function):
    def state():
        with world.inside():
            return (
                [
                    list(model.objects.order_by("id").values())
                    for model in (*IDENTITIES, RelationTuple, ImpliedRelation, AudienceRule)
                ],
                User.objects.count(),
                User.objects.get(id=ann.id).password,
            )

    def change():
        with gate.acting_as(admin):
            (row,) = call(function, world.tenant_id, *CHANGES[function](world, ann))
            assert not row.get("refusal")

    before = state()
    with pytest.raises(IntegrityError, match="has no entry in the ledger"):
        change()
    assert state() == before


def test_an_entry_about_another_does_not_settle_it(world, admin, ann):
    def grant():
        with gate.acting_as(admin):
            call("grant_role", world.tenant_id, ann.id, "admin")
            appending.record("role.granted", actor=admin, metadata={"user": str(ann.id), "role": "auditor"})
            appending.record("role.granted", actor=admin, metadata={"user": str(admin.id), "role": "admin"})

    with pytest.raises(IntegrityError, match="has no entry"):
        grant()
    assert roles_of(world, ann) == {"reviewer"}


def test_with_its_entry_it_commits(world, admin, ann):
    with gate.acting_as(admin):
        assert people.grant_role(ann, "admin", actor=admin)
    assert roles_of(world, ann) == {"admin", "reviewer"}


@pytest.mark.parametrize("forged", ["kind", "id", "name"])
def test_nobody_appends_an_entry_in_anothers_name(world, admin, monkeypatch, forged):
    actor = {"kind": "system", "id": str(world.bob_principal.id), "name": world.bob_name}
    named = {**admin.as_json(), forged: actor[forged]}
    monkeypatch.setattr(type(admin), "as_json", lambda self: named)
    with pytest.raises(Error, match="names a different actor"), gate.acting_as(admin):
        appending.record("test", actor=admin, metadata={})


def test_a_job_appends_as_the_operator_and_as_nobody_else(world, monkeypatch):
    with gate.job(world.tenant_id):
        appending.record("test", actor=system(world.tenant_id, "a test"), metadata={})
    bob = world.bob_principal.as_json()
    monkeypatch.setattr(type(world.bob_principal), "as_json", lambda self: bob)
    with pytest.raises(Error, match="names a different actor"), gate.job(world.tenant_id):
        appending.record("test", actor=system(world.tenant_id, "a test"), metadata={})


def test_a_person_writes_their_own_password_and_nobody_elses(world, ann):
    with transaction.atomic():
        token = PersonCredential(world.bob_principal.id).token()
        call("set_own_password", token, "a hash", True)
    assert User.objects.get(id=world.bob_principal.id).password == "a hash"
    assert User.objects.get(id=ann.id).password == ann.password
    with pytest.raises(Error, match="not minted for this transaction"), transaction.atomic():
        call("set_own_password", token, "another", True)


def test_the_owed_entry_itself_is_not_for_the_web(world):
    for call in (
        "owe_entry",
        "settle_entry",
        "delete_second_factor",
        "write_policy_rules",
        "owe_everywhere",
        "put_role",
    ):
        found = gate.rows("SELECT has_function_privilege(%s::regproc::oid, 'EXECUTE') AS may", [call])
        assert found == [{"may": False}], call
    with pytest.raises(Error, match="permission denied"), world.inside():
        gate.rows("SELECT owe_entry(%s, 'x', %s)", [world.tenant_id, str(new_id())])
