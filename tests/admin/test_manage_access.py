"""Who manages a tenant: its admins, by POST, and nobody from outside; a superuser who looks in leaves an entry."""

import pytest
from django.test import Client

from governance.acting import gate
from governance.acting.principals import ManagedByAdmins
from governance.identity import agents, identities, people
from governance.models import (
    Agent,
    ApiKey,
    Entry,
    Invitation,
    Membership,
    PolicyChange,
    PolicyRule,
    Tenant,
    User,
)
from tests.admin.managing import AT, acts_on, admin_of, entries, row_of
from tests.factories import SuperuserFactory
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


@pytest.fixture
def root(world, desk):
    """The browser of the tenant's admin."""
    return admin_of(world, desk)


# -- Who may, and how


def addresses(world):
    """Every act's page, with what it would need to be done."""
    key = row_of(world, ApiKey, agent__isnull=False)
    membership = row_of(world, Membership, user__username=world.ann_name)
    alice, ann = world.alice_principal.id, membership.user_id
    return {
        f"{AT}agent/make/": {"slug": "carol", "channels": ["private"]},
        f"{AT}agent/{alice}/deactivate/": {},
        f"{AT}agent/{alice}/activate/": {},
        f"{AT}agent/{alice}/issue-key/": {},
        f"{AT}apikey/{key.id}/revoke/": {},
        f"{AT}apikey/{key.id}/rotate/": {},
        f"{AT}membership/{membership.id}/withdraw/": {},
        f"{AT}user/add-person/": {"name": "carla", "roles": ["reviewer"]},
        f"{AT}user/invite/": {"username": "carla", "roles": ["reviewer"]},
        f"{AT}user/{ann}/grant-role/": {"role": "admin"},
        f"{AT}tenant/{world.tenant_id}/settings/": {"pending_edit_days": "7"},
        f"{AT}policychange/propose/": {"preset": "open", "overrides": "", "reason": "a try"},
    }


def state_of(world):
    with world.inside():
        return [
            list(model.objects.order_by("id").values())
            for model in (Agent, ApiKey, Invitation, Membership, PolicyRule, PolicyChange, Tenant, Entry)
        ]


def test_reviewers_and_auditors_look_on(world, desk):
    root = SuperuserFactory(username=f"boss-{world.slug}")
    boss = desk(root.username).client
    boss.post("/admin/tenant/", {"tenant": str(world.tenant_id)})
    onlookers = [desk(world.bob_name).client, desk(world.bob_name.replace("bob", "auditor")).client, boss]
    before = state_of(world)
    for address, fields in addresses(world).items():
        for client in onlookers:
            assert client.post(address, fields).status_code == 403, address
            assert client.get(address).status_code == 403, address
        assert Client().post(address, fields).headers["Location"].startswith("/admin/login/")
    for client in onlookers:
        assert acts_on(client, f"{AT}agent/") == []
        assert acts_on(client, f"{AT}agent/{world.alice_principal.id}/change/") == []
    assert state_of(world) == before


def test_the_services_refuse_whoever_is_no_admin(world):
    agent = row_of(world, Agent)
    ann = User.objects.get(username=world.ann_name)
    for actor in (world.bob_principal, world.alice_principal):
        for call in (
            lambda actor: agents.create_agent("carol", [], actor=actor),
            lambda actor: agents.deactivate_agent(agent, actor=actor),
            lambda actor: agents.activate_agent(agent, actor=actor),
            lambda actor: identities.issue_key(actor=actor, agent=agent),
            lambda actor: identities.revoke_key(world.keys["alice"].split("_")[1], actor=actor),
            lambda actor: identities.rotate_key(world.keys["alice"].split("_")[1], actor=actor),
            lambda actor: people.grant_role(ann, "admin", actor=actor),
            lambda actor: people.withdraw_role(ann, "reviewer", actor=actor),
            lambda actor: identities.change_tenant(pending_edit_days=1, actor=actor),
        ):
            with world.inside(), pytest.raises(ManagedByAdmins):
                call(actor)


def test_looking_changes_nothing_and_every_act_says_what_it_does(world, root):
    before = state_of(world)
    for address in addresses(world):
        page = root.get(address)
        assert page.status_code == 200
        assert 'name="csrfmiddlewaretoken"' in page.content.decode()
        assert root.head(address).status_code == 200
        assert root.put(address).status_code == 405
    assert state_of(world) == before


def test_a_post_from_elsewhere_is_refused(world, desk):
    admin_of(world, desk)
    strict = desk(f"root-{world.slug}", enforce_csrf_checks=True).client
    before = state_of(world)
    for address, fields in addresses(world).items():
        assert strict.post(address, fields).status_code == 403
    assert state_of(world) == before


def test_another_tenants_rows_are_not_there(world, elsewhere, root):
    before = state_of(elsewhere)
    theirs = addresses(elsewhere)
    for address in (one for one in theirs if one.count("/") == 6):
        assert root.post(address, theirs[address]).status_code == 404, address
    assert state_of(elsewhere) == before


def test_an_act_leads_from_the_page_of_its_row(world, root):
    assert acts_on(root, f"{AT}agent/") == ["make"]
    assert acts_on(root, f"{AT}agent/{world.alice_principal.id}/change/") == [
        "issue-key",
        "refuse-quarantined",
        "deactivate",
    ]
    key = row_of(world, ApiKey, agent__isnull=False)
    assert acts_on(root, f"{AT}apikey/{key.id}/change/") == ["rotate", "revoke"]
    assert acts_on(root, f"{AT}tenant/{world.tenant_id}/change/") == ["settings"]
    assert (
        f"{AT}entry/story/{world.alice_principal.id}/"
        in root.get(f"{AT}agent/{world.alice_principal.id}/change/").content.decode()
    )


def test_every_row_leads_to_its_story(world, root):
    root.post(f"{AT}policychange/propose/", {"preset": "open", "overrides": "", "reason": "a try"})
    with world.inside():
        users = [one.user_id for one in Membership.objects.all()]
        models = (Agent, ApiKey, Membership, PolicyChange)
        rows = [(model._meta.model_name, row.pk) for model in models for row in model.objects.all()]
    assert len(rows) > 10
    for name, pk in [*rows, *(("user", pk) for pk in users)]:
        story = root.get(f"{AT}{name}/{pk}/change/").context["story_of"]
        assert root.get(f"{AT}entry/story/{story}/").status_code == 200, name
    assert root.get(f"{AT}tenant/{world.tenant_id}/change/").context["story_of"] is None


# -- A superuser who looks in


def test_a_superuser_who_enters_is_in_that_tenants_ledger(world, elsewhere, desk):
    boss = SuperuserFactory(username=f"boss-{world.slug}")
    client = desk(boss.username).client
    client.get("/admin/")
    assert entries(world, "tenant.entered") == []
    for tenant in (world, elsewhere, world):
        client.post("/admin/tenant/", {"tenant": str(tenant.tenant_id)})
        assert client.get("/admin/").status_code == 200
        assert client.get(f"{AT}edit/").status_code == 200
    assert [entry["actor"]["name"] for entry in entries(world, "tenant.entered")] == [boss.username] * 2
    assert [entry["actor"]["id"] for entry in entries(elsewhere, "tenant.entered")] == [str(boss.id)]


def test_a_members_own_choice_is_no_entry(world, elsewhere, desk):
    identities.provision(elsewhere.slug, people=[(world.bob_name, "reviewer")])
    client = desk(world.bob_name).client
    client.post("/admin/tenant/", {"tenant": str(elsewhere.tenant_id)})
    assert client.get("/admin/").status_code == 200
    assert entries(elsewhere, "tenant.entered") == []


def test_a_superuser_whose_role_ended_enters_anew(world, desk):
    boss = SuperuserFactory(username=f"boss-{world.slug}")
    identities.provision(world.slug, people=[(boss.username, "reviewer")])
    client = desk(boss.username).client
    client.post("/admin/tenant/", {"tenant": str(world.tenant_id)})
    assert client.get("/admin/").status_code == 200
    with gate.tenant(world.tenant_id), as_owner():
        Membership.objects.filter(tenant_id=world.tenant_id, user=boss).update(is_active=False)
    assert client.get("/admin/").headers["Location"].startswith("/admin/tenant/")
    assert entries(world, "tenant.entered") == []
