"""What the services do follows from the entries, whatever the history."""

import io
import secrets
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from governance.acting import gate
from governance.acting.credentials import PersonCredential, system
from governance.edits import policies
from governance.identity import agents, identities, invitations, people
from governance.identity.proving import policy
from governance.ledger import published_tree_heads
from governance.models import Agent, ApiKey, Entry, Invitation, Tenant, User
from memory.normal_text import words
from memory.word_hash import hash_of_word
from tests.erasure.conftest import admins_of
from tests.factories import UserFactory
from tests.ledger.governed import change, govern, make_superuser
from tests.ledger.tampering import assert_intact, verify_chain

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def operator(world):
    return system(world.tenant_id, "a test")


def entries(tenant_id, *types):
    with gate.tenant(tenant_id):
        found = Entry.objects.filter(tenant_id=tenant_id, type__in=types).order_by("seq")
        return [entry.metadata for entry in found]


def test_a_tenant_with_everything_that_provision_can_make(home):
    slug, bob = f"tenant-{secrets.token_hex(4)}", f"bob-{secrets.token_hex(4)}"
    for policy_name in ("strict", "open"):
        identities.provision(
            slug,
            agents=[("alice", ["private", "agent"])],
            people=[(bob, "reviewer"), (bob, "admin")],
            quarantine_readers=["alice"],
            policy=policy_name,
            default_sensitivities={"public": "high"},
            search_language="german",
            hybrid_alpha=0.1,
            ephemeral_hours=48,
            expires_at=timezone.now() + timedelta(days=1),
        )
    code, told = _verified(slug)
    assert (code, ": intact (" in told) == (0, True), told


def test_a_tenant_that_a_superuser_makes(home):
    boss = make_superuser()
    for is_known in (False, True):
        slug = f"tenant-{secrets.token_hex(4)}"
        admin = boss.username if is_known else f"carla-{secrets.token_hex(4)}"
        identities.make_tenant(slug, policy="strict", admin=admin, is_known=is_known, actor=boss)
        code, told = _verified(slug)
        assert (code, ": intact (" in told) == (0, True), told


def _verified(slug):
    output, code = io.StringIO(), 0
    try:
        call_command("verify_chain", "--tenant", slug, stdout=output, no_color=True)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, output.getvalue()


def test_invitations_that_were_answered_renewed_and_withdrawn(world, elsewhere, operator):
    carol = admins_of(world).carol_principal
    charlie, ann = (User.objects.get(username=name) for name in (elsewhere.bob_name, elsewhere.ann_name))

    def invite(user, *roles):
        with world.inside():
            return invitations.invite(user.username, roles, actor=carol).id

    invitations.decline_invitation(charlie, invite(charlie, "admin"))
    invite(charlie, "auditor")
    invitations.accept_invitation(charlie, invite(charlie, "reviewer", "admin"))
    withdrawn = invite(ann, "auditor")
    with world.inside():
        found = Invitation.objects.get(tenant_id=world.tenant_id, id=withdrawn)
        invitations.withdraw_invitation(found, actor=carol)
    invite(ann, "auditor")
    invite(UserFactory(), "auditor")
    assert_intact(world)
    # whoever was invited as an admin is one
    member = replace(carol, id=charlie.id, name=charlie.username, credential=PersonCredential(charlie.id))
    with gate.acting_as(member):
        agents.create_agent("dora", [], actor=member)
    assert_intact(world)


def test_people_who_are_removed_and_come_back(world, operator):
    bob = User.objects.get(username=world.bob_name)
    with world.inside():
        identities.remove_person(bob, actor=operator)
    assert_intact(world)
    with world.inside():
        people.grant_role(bob, "reviewer", actor=operator)
        people.grant_role(bob, "admin", actor=operator)
        identities.issue_key(actor=operator, user=bob)
    assert_intact(world)


def test_keys_that_are_rotated(world, operator):
    with world.inside():
        alice = Agent.objects.get(tenant_id=world.tenant_id, slug="alice")
        prefix = ApiKey.objects.get(tenant_id=world.tenant_id, agent=alice).prefix
        identities.rotate_key(prefix, actor=operator, expires_at=timezone.now() + timedelta(hours=1))
        prefix = ApiKey.objects.get(tenant_id=world.tenant_id, agent=alice, revoked_at__isnull=True).prefix
        identities.rotate_key(prefix, actor=operator)
    assert_intact(world)


def test_policies_that_are_weakened_after_their_hour_rejected_and_replaced(world, monkeypatch):
    admins = admins_of(world)
    carol, dave = admins.carol_principal, admins.dave_principal
    own = {"op": "retract", "proposer_kind": "agent", "sensitivity": "none", "approvals": 0}

    def propose(**values):
        with world.inside():
            return policies.propose_change(actor=carol, reason="a test", **values)

    now = timezone.now()
    facts = policies._metadata
    with monkeypatch.context() as patch:
        patch.setattr(policies, "_metadata", lambda *of: {**facts(*of), "takes_effect_at": now.isoformat()})
        due = propose(preset="standard", overrides=[own])
    change(
        "UPDATE governance_policychangestate SET takes_effect_at = %s WHERE tenant_id = %s AND change_id = %s",
        *(now, world.tenant_id, due.id),
    )
    waiting = propose(preset="open", promotion={"sessions": 1})
    assert policies.apply_due_changes() == 1
    assert_intact(world)
    with world.inside():
        policies.decide_change(waiting.id, actor=dave, apply=False, reason="no")
    assert_intact(world)
    stricter = {"op": "amend", "proposer_kind": "human", "sensitivity": None, "approvals": 2}
    propose(preset="strict", overrides=[stricter, {**stricter, "approvals": 1}, own])
    propose(promotion={"low_trust": 0.4, "promoting_agents": ["alice"]})
    assert_intact(world)
    with world.inside():
        policies.use_preset(world.tenant_id, "open", actor=system(world.tenant_id, "a test"))
    assert_intact(world)


def test_an_account_that_another_tenant_has_the_last_word_on(world, elsewhere):
    """charlie had a role here when the account was deactivated, and none when it was activated again."""
    boss = make_superuser()
    charlie = User.objects.get(username=elsewhere.bob_name)
    here, there = (replace(system(one.tenant_id, "a test"), is_superuser=True) for one in (world, elsewhere))
    with world.inside():
        people.grant_role(charlie, "auditor", actor=here)
        people.deactivate_person(charlie, actor=here)
        people.deactivate_person(boss, actor=here)
    assert_intact(world)
    assert_intact(elsewhere)
    with world.inside():
        people.withdraw_role(charlie, "auditor", actor=here)
    with elsewhere.inside():
        people.activate_person(charlie, actor=there)
        people.activate_person(boss, actor=there)
    assert entries(world.tenant_id, "person.activated") == []
    assert_intact(world)
    assert_intact(elsewhere)
    change("UPDATE governance_user SET is_active = false WHERE id = %s", boss.id)
    # the ledger that has the last word finds it
    code, told = verify_chain(elsewhere)
    assert (code, f"The account of {boss.username} is deactivated, but no entry made it so" in told) == (1, True), told
    change("UPDATE governance_user SET is_active = true WHERE id = %s", boss.id)


@pytest.fixture
def create_superuser(monkeypatch):
    """`create_superuser()` runs the command; answers the username and what it wrote to the standard error."""
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long and odd sentence")

    def create(name=None):
        name = name or f"boss-{secrets.token_hex(4)}"
        errors = io.StringIO()
        named = {"username": name, "email": f"{name}@example.org"}
        call_command("createsuperuser", interactive=False, verbosity=0, stderr=errors, **named)
        return name, errors.getvalue()

    return create


def test_the_command_that_makes_a_superuser_says_so_in_every_ledger(world, elsewhere, create_superuser):
    name, errors = create_superuser()
    boss = User.objects.get(username=name)
    assert errors == ""
    for one in (world, elsewhere):
        assert [said["user"] for said in entries(one.tenant_id, "superuser.made")] == [str(boss.id)]
        assert_intact(one)


def test_a_ledger_that_takes_no_entry_does_not_name_the_superuser_whom_another_proves(
    world, elsewhere, create_superuser, restarted
):
    garbled = published_tree_heads.path_of(world.tenant_id)
    garbled.parent.mkdir(parents=True, exist_ok=True)
    garbled.write_text("no tree head\n")
    restarted()
    _, errors = create_superuser()
    assert f"The ledger of {world.slug} accepts no entry at present" in errors
    garbled.unlink()
    assert entries(world.tenant_id, "superuser.made") == []
    assert len(entries(elsewhere.tenant_id, "superuser.made")) == 1
    assert_intact(world)


def test_where_no_ledger_takes_an_entry_there_is_no_superuser(world, home, create_superuser):
    (home / "ledger.key").unlink()
    with pytest.raises(CommandError, match="The superuser was not created"):
        create_superuser(name=f"boss-{world.slug}")
    assert not User.objects.filter(username=f"boss-{world.slug}").exists()


def test_all_of_it_at_once_follows(world, elsewhere):
    governed = govern(world, elsewhere)
    with world.inside():
        assert Tenant.objects.get(id=world.tenant_id).promotion_rules == {"sessions": 5, "low_trust": 0.35}
        assert governed.waiting.needs_second
    assert_intact(world)
    assert_intact(elsewhere)


@pytest.mark.parametrize("preset", policies.PRESETS)
def test_the_presets_are_those_of_the_database(db, preset):
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET ROLE suture_gate")
        cursor.execute("SELECT op, proposer_kind, approvals FROM preset_rules(%s)", [preset])
        found = {(op, kind, None): approvals for op, kind, approvals in cursor.fetchall()}
        cursor.execute("RESET ROLE")
    assert policy.preset_rules(preset) == found


@pytest.mark.parametrize(
    "text", ["", "a", "tea", "dawn", "Zürich", "zwölf-Uhr", "abcdefghijkl", "long" * 20, "\U0001f44d"]
)
def test_words_and_their_hashes_are_those_of_the_database(db, text):
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET ROLE suture_gate")
        cursor.execute("SELECT hashtextextended(%s, 0), words_of(%s)", [text, f"{text}, «{text}»!"])
        assert cursor.fetchone() == (hash_of_word(text), words(f"{text}, «{text}»!"))
        cursor.execute("RESET ROLE")
