"""A superuser deactivates an account on the whole server, and activates it again."""

from dataclasses import replace

import pytest
from django.db import Error
from django.test import Client

from governance.acting import gate
from governance.acting.credentials import PersonCredential, system
from governance.acting.principals import Principal
from governance.identity import identities, people
from governance.models import User
from tests.admin.managing import AT, acts_on, admin_of, entries
from tests.factories import SuperuserFactory
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

PASSWORD = "a long and odd sentence"


@pytest.fixture
def boss(world):
    return SuperuserFactory(username=f"boss-{world.slug}", password=PASSWORD)


@pytest.fixture
def looking_in(world, desk, boss):
    """The superuser's browser, in the test's tenant, where they hold no role."""
    return enter(desk(boss.username).client, world)


@pytest.fixture
def bob(world):
    return User.objects.get(username=world.bob_name)


def enter(client, world):
    client.post("/admin/tenant/", {"tenant": str(world.tenant_id)})
    return client


def at(user, act="deactivate"):
    return f"{AT}user/{user.id}/{act}/"


def log_in(name, password):
    client = Client()
    return client, client.post("/admin/login/", {"username": name, "password": password, "next": "/admin/"})


def told(world, type):
    return [(one["name"], one["actor"]["name"]) for one in entries(world, type)]


def test_nobody_logs_in_with_it_and_its_sessions_and_keys_end_in_every_tenant(world, elsewhere, looking_in, bob):
    made = identities.provision(elsewhere.slug, people=[(world.bob_name, "auditor")])
    other_key = type(world.bob)(made.users[world.bob_name]["key"])
    session, _ = log_in(world.bob_name, world.passwords["bob"])
    enter(session, world)
    assert session.get("/admin/").status_code == 200
    page = looking_in.get(at(bob))
    assert "its open sessions end" in page.content.decode()
    assert looking_in.post(at(bob)).status_code == 302
    assert session.get("/admin/").headers["Location"].startswith("/admin/login/")
    assert log_in(world.bob_name, world.passwords["bob"])[1].status_code == 200
    assert world.bob.get("edits").status_code == other_key.get("edits").status_code == 401
    assert looking_in.post(at(bob)).status_code == 409


def test_activated_it_is_as_before_but_for_its_sessions(world, looking_in, bob):
    session, _ = log_in(world.bob_name, world.passwords["bob"])
    looking_in.post(at(bob))
    assert acts_on(looking_in, f"{AT}user/{bob.id}/change/") == ["activate"]
    assert looking_in.post(at(bob, "activate")).status_code == 302
    assert session.get("/admin/").headers["Location"].startswith("/admin/login/"), "an ended session came back"
    assert log_in(world.bob_name, world.passwords["bob"])[0].get("/admin/").status_code == 200
    assert world.bob.get("edits").status_code == 200
    assert looking_in.post(at(bob, "activate")).status_code == 409
    assert acts_on(looking_in, f"{AT}user/{bob.id}/change/") == ["one-time-password", "deactivate"]


def test_each_tenant_where_they_have_a_role_has_it_in_its_ledger(world, elsewhere, new_world, looking_in, boss, bob):
    third = new_world()
    for tenant in (elsewhere, third):
        identities.provision(tenant.slug, people=[(world.bob_name, "auditor")])
    with third.inside():
        people.withdraw_role(bob, "auditor", actor=system(third.tenant_id, "a test"))
    looking_in.post(at(bob))
    looking_in.post(at(bob, "activate"))
    for type in ("person.deactivated", "person.activated"):
        for tenant in (world, elsewhere):
            assert told(tenant, type) == [(bob.username, boss.username)]
        assert told(third, type) == []
    assert "Account deactivated" in looking_in.get(f"{AT}entry/story/{bob.id}/").content.decode()


def test_nobody_deactivates_themselves(looking_in, boss):
    refused = looking_in.post(at(boss))
    assert (refused.status_code, "your own account" in refused.content.decode()) == (403, True)
    assert acts_on(looking_in, f"{AT}user/{boss.id}/change/") == []
    boss.refresh_from_db()
    assert boss.is_active


def test_a_superuser_without_any_role_is_found_and_deactivated_and_the_act_is_recorded(world, looking_in, boss):
    other = SuperuserFactory(username=f"other-{world.slug}", password=PASSWORD)
    assert other.username in looking_in.get(f"{AT}user/").content.decode()
    assert looking_in.post(at(other)).status_code == 302
    assert log_in(other.username, PASSWORD)[1].status_code == 200
    assert told(world, "person.deactivated") == [(other.username, boss.username)]


def test_of_two_superusers_who_deactivate_each_other_one_stays(world, desk, boss, at_once):
    with as_owner():
        User.objects.filter(is_superuser=True).exclude(id=boss.id).update(is_active=False)
    other = SuperuserFactory(username=f"other-{world.slug}", password=PASSWORD)
    pairs = [(enter(desk(one.username).client, world), of) for one, of in ((boss, other), (other, boss))]
    answers = at_once(*(lambda client=client, of=of: client.post(at(of)) for client, of in pairs))
    # the other is refused, or logged out already
    assert sum(answer.headers.get("Location", "").endswith("/change/") for answer in answers) == 1
    assert User.objects.filter(id__in=[boss.id, other.id], is_active=True).count() == 1


def test_the_last_active_superuser_stays_whoever_asks(world, boss):
    with as_owner():
        User.objects.filter(is_superuser=True).exclude(id=boss.id).update(is_active=False)
    outlived = Principal(
        tenant_id=world.tenant_id,
        kind="human",
        id=world.bob_principal.id,
        name="bob",
        is_superuser=True,
        credential=PersonCredential(world.bob_principal.id),
    )
    with world.inside(), pytest.raises(Error, match="only a superuser"):
        people.deactivate_person(boss, actor=outlived)
    with world.inside(), pytest.raises(people.LastSuperuser):
        people.deactivate_person(boss, actor=replace(system(world.tenant_id, "a test"), is_superuser=True))


def test_only_a_superuser_does_it(world, desk, bob):
    root = admin_of(world, desk)
    auditor = desk(world.bob_name.replace("bob", "auditor")).client
    for client in (root, auditor, desk(world.ann_name).client):
        for act in ("deactivate", "activate"):
            assert client.get(at(bob, act)).status_code == 403
            assert client.post(at(bob, act)).status_code == 403
    for actor in (world.alice_principal, world.bob_principal):
        for service in (people.deactivate_person, people.activate_person):
            with world.inside(), pytest.raises(people.ManagedBySuperusers):
                service(User.objects.get(username=world.ann_name), actor=actor)
    assert Client().post(at(bob)).headers["Location"].startswith("/admin/login/")
    assert User.objects.get(id=bob.id).is_active


def test_a_key_never_acts_as_a_superuser(world):
    with as_owner():
        User.objects.filter(username=world.bob_name).update(is_superuser=True)
    with world.inside():
        assert not gate.authenticate(world.keys["bob"]).is_superuser


def test_an_admin_of_the_tenant_sees_no_superuser_of_the_server(world, desk, boss):
    root = admin_of(world, desk)
    assert boss.username not in root.get(f"{AT}user/").content.decode()
    assert root.get(f"{AT}user/{boss.id}/change/").status_code == 404


def test_people_of_another_tenant_are_not_there(world, elsewhere, looking_in):
    theirs = User.objects.get(username=elsewhere.bob_name)
    assert looking_in.get(f"{AT}user/{theirs.id}/change/").status_code == 404
    assert looking_in.post(at(theirs)).status_code == 404
    assert elsewhere.bob_name not in looking_in.get(f"{AT}user/").content.decode()


def test_a_superuser_who_is_in_no_tenant_is_asked_for_one(desk, boss, bob):
    client = desk(boss.username).client
    assert client.post(at(bob)).headers["Location"].startswith("/admin/tenant/")
    assert User.objects.get(id=bob.id).is_active
