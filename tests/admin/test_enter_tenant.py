"""Who gets into the admin, and in which tenant they are there."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from governance.acting.credentials import PersonCredential
from governance.identity import db, identities
from governance.models import Membership, Tenant, User
from tests.factories import SuperuserFactory, UserFactory
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

HOME = "/admin/"


def also_in(elsewhere: Any, name: str) -> None:
    """Make a person of one tenant a reviewer of another too."""
    identities.provision(elsewhere.slug, people=[(name, "reviewer")])


def sees(client: Client, slug: str) -> bool:
    return slug in client.get("/admin/governance/tenant/").content.decode()


def test_a_reviewer_logs_in_with_the_form_and_is_in_their_only_tenant(world):
    client = Client()
    assert client.get(HOME).headers["Location"].startswith("/admin/login/")
    answer = client.post(
        "/admin/login/?next=/admin/", {"username": world.bob_name, "password": world.passwords["bob"], "next": HOME}
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, HOME)
    home = client.get(HOME)
    assert home.status_code == 200
    assert world.slug in home.content.decode()


def test_somebody_without_a_tenant_does_not_get_in(world):
    UserFactory(username=f"eve-{world.slug}", password="correct horse battery", is_staff=True)
    client = Client()
    answer = client.post("/admin/login/", {"username": f"eve-{world.slug}", "password": "correct horse battery"})
    assert "no role in any tenant" in answer.content.decode()
    assert client.get(HOME).status_code == 302
    client.force_login(User.objects.get(username=f"eve-{world.slug}"))
    assert client.get(HOME).headers["Location"].startswith("/admin/login/")


def test_a_revoked_membership_ends_the_session(world, desk):
    bob = desk(world.bob_name)
    assert bob.queue().status_code == 200
    with world.inside(), as_owner():
        Membership.objects.filter(tenant_id=world.tenant_id, user__username=world.bob_name).update(is_active=False)
    assert bob.queue().headers["Location"].startswith("/admin/login/")


def test_a_deactivated_user_is_out(world, desk):
    bob = desk(world.bob_name)
    with as_owner():
        User.objects.filter(username=world.bob_name).update(is_active=False)
    assert bob.queue().headers["Location"].startswith("/admin/login/")


def test_of_several_tenants_one_is_chosen_by_post(world, elsewhere, desk):
    also_in(elsewhere, world.bob_name)
    client = desk(world.bob_name).client
    asked = client.get("/admin/governance/edit/")
    assert asked.headers["Location"] == "/admin/tenant/?next=%2Fadmin%2Fgovernance%2Fedit%2F"
    chooser = client.get(asked.headers["Location"]).content.decode()
    assert world.slug in chooser
    assert elsewhere.slug in chooser

    chosen = client.post("/admin/tenant/", {"tenant": str(elsewhere.tenant_id), "next": "/admin/governance/edit/"})
    assert chosen.headers["Location"] == "/admin/governance/edit/"
    assert sees(client, elsewhere.slug)
    assert not sees(client, world.slug)
    client.post("/admin/tenant/", {"tenant": str(world.tenant_id)})
    assert sees(client, world.slug)


def test_a_tenant_that_is_not_theirs_cannot_be_chosen(world, elsewhere, desk):
    client = desk(world.bob_name).client
    assert client.post("/admin/tenant/", {"tenant": str(elsewhere.tenant_id)}).status_code == 404
    session = client.session
    session["tenant"] = str(elsewhere.tenant_id)  # a forged or outlived choice
    session.save()
    assert sees(client, world.slug)
    assert not sees(client, elsewhere.slug)


def test_the_choice_leads_nowhere_else(world, desk):
    client = desk(world.bob_name).client
    answer = client.post("/admin/tenant/", {"tenant": str(world.tenant_id), "next": "https://example.org/"})
    assert answer.headers["Location"] == HOME


def test_a_superuser_chooses_and_then_looks_on(world, desk):
    root = SuperuserFactory(username=f"root-{world.slug}")
    client = desk(root.username).client
    assert client.get(HOME).headers["Location"].startswith("/admin/tenant/")
    client.post("/admin/tenant/", {"tenant": str(world.tenant_id)})
    edit = world.edit(world.chunk(), "retract", by=world.alice)["edit_id"]
    assert "Approve</button>" not in client.get(f"/admin/governance/edit/{edit}/change/").content.decode()


def test_memberships_are_found_before_a_tenant_is_entered(world):
    bob = User.objects.get(username=world.bob_name)
    assert Membership.objects.filter(user=bob).count() == 0
    with transaction.atomic():
        found = db.list_memberships(token=PersonCredential(bob.id).token())
    assert found == [db.HeldRole(world.tenant_id, world.slug, "reviewer")]


def test_only_the_own_tenant_is_listed(world, elsewhere, desk):
    page = desk(world.bob_name).client.get(f"/admin/governance/tenant/{elsewhere.tenant_id}/change/")
    assert page.status_code == 404
    with elsewhere.inside():
        assert Tenant.objects.filter(id=elsewhere.tenant_id).exists()


def test_logging_out_and_changing_a_password_need_no_tenant(world, elsewhere, desk):
    also_in(elsewhere, world.bob_name)
    client = desk(world.bob_name).client
    assert client.get("/admin/password_change/").status_code == 200
    assert client.get("/admin/jsi18n/").status_code == 200
    assert client.post("/admin/logout/").status_code == 200
    assert client.get(HOME).headers["Location"].startswith("/admin/login/")
