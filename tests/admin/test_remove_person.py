"""An admin removes a person from the tenant: every role and key of it at once; the account stays."""

import pytest

from governance.acting.credentials import system
from governance.acting.principals import ManagedByAdmins
from governance.identity import identities, people
from governance.models import ApiKey, Membership, User
from tests.admin.managing import AT, acts_on, admin_of, entries
from tests.factories import SuperuserFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


@pytest.fixture
def root(world, desk):
    """The browser of the tenant's admin."""
    return admin_of(world, desk)


@pytest.fixture
def bob(world):
    return User.objects.get(username=world.bob_name)


def at(user, act="remove"):
    return f"{AT}user/{user.id}/{act}/"


def held(world, user):
    with world.inside():
        roles = set(Membership.objects.filter(user=user, is_active=True).values_list("role", flat=True))
        return roles, ApiKey.objects.filter(user=user, revoked_at__isnull=True).count()


def test_every_role_and_key_is_gone_at_once(world, root, desk, bob):
    root.post(at(bob, "grant-role"), {"role": "auditor"})
    client = desk(world.bob_name).client
    assert client.get(f"{AT}edit/").status_code == 200
    assert "their keys of this tenant are revoked" in root.get(at(bob)).content.decode()
    assert root.post(at(bob)).status_code == 302
    assert held(world, bob) == (set(), 0)
    assert client.get(f"{AT}edit/").headers["Location"].startswith("/admin/login/")
    assert "revoked" in world.bob.get("edits").json()["detail"]


def test_the_ledger_has_each_of_it_and_who_did_it(world, root, bob):
    root.post(at(bob))
    (withdrawn,) = entries(world, "role.withdrawn")
    (revoked,) = entries(world, "key.revoked")
    (removed,) = entries(world, "person.removed")
    assert (withdrawn["user"], withdrawn["role"]) == (str(bob.id), "reviewer")
    assert revoked["prefix"] == world.keys["bob"].split("_")[1]
    assert (removed["user"], removed["name"]) == (str(bob.id), bob.username)
    assert {one["actor"]["name"] for one in (withdrawn, revoked, removed)} == {f"root-{world.slug}"}
    assert "Person removed" in root.get(f"{AT}entry/story/{bob.id}/").content.decode()


def test_another_tenant_keeps_them_with_their_key(world, elsewhere, root, desk, bob):
    made = identities.provision(elsewhere.slug, people=[(world.bob_name, "auditor")])
    root.post(at(bob))
    assert held(elsewhere, bob) == ({"auditor"}, 1)
    assert type(world.bob)(made.users[world.bob_name]["key"]).get("edits").status_code == 200
    assert desk(world.bob_name).client.get(f"{AT}edit/").status_code == 200
    assert entries(elsewhere, "person.removed") == []


def test_they_can_be_added_again_and_their_old_key_stays_revoked(world, root, bob):
    root.post(at(bob))
    assert root.post(f"{AT}user/{bob.id}/grant-role/", {"role": "auditor"}).status_code == 302
    assert held(world, bob) == ({"auditor"}, 0)
    assert world.bob.get("edits").status_code == 401


def test_nobody_removes_themselves_the_last_admin_or_a_stranger(world, elsewhere, root, bob):
    me = User.objects.get(username=f"root-{world.slug}")
    assert root.post(at(me)).status_code == 403
    with world.inside(), pytest.raises(people.LastAdmin):
        identities.remove_person(me, actor=system(world.tenant_id, "a test"))
    assert held(world, me) == ({"admin"}, 1)
    assert root.post(at(User.objects.get(username=elsewhere.bob_name))).status_code == 404
    assert root.post(at(bob)).status_code == 302
    assert root.post(at(bob)).status_code == 404
    assert len(entries(world, "person.removed")) == 1


def test_only_an_admin_removes(world, desk, bob):
    auditor = world.bob_name.replace("bob", "auditor")
    boss = SuperuserFactory(username=f"boss-{world.slug}")
    looking_in = desk(boss.username).client
    looking_in.post("/admin/tenant/", {"tenant": str(world.tenant_id)})
    for client in (desk(world.ann_name).client, desk(auditor).client, looking_in):
        assert client.get(at(bob)).status_code == 403
        assert client.post(at(bob)).status_code == 403
    with world.inside(), pytest.raises(ManagedByAdmins):
        identities.remove_person(bob, actor=world.alice_principal)
    assert held(world, bob) == ({"reviewer"}, 1)


def test_the_act_leads_from_the_page_of_a_member(world, root, bob):
    me = User.objects.get(username=f"root-{world.slug}")
    assert "remove" in acts_on(root, f"{AT}user/{bob.id}/change/")
    assert "remove" not in acts_on(root, f"{AT}user/{me.id}/change/")
    root.post(at(bob))
    assert "remove" not in acts_on(root, f"{AT}user/{bob.id}/change/")
