"""Somebody who forgot their password gets a one-time password, which expires; for somebody who lost their second factor
it is switched off. A superuser does it for anybody else, an admin only for members whose account is their tenant's
alone."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client, override_settings
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from governance.acting.credentials import system
from governance.acting.principals import ManagedByAdmins
from governance.identity import identities, people
from governance.models import Entry, Membership, User
from tests.admin.managing import AT, acts_on, admin_of, entries, password_on
from tests.factories import SuperuserFactory
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

OWN = "a long and odd sentence"
ACTS = ("one-time-password", "second-factor-off")
SERVICES = (people.give_one_time_password, people.turn_off_second_factor)


@pytest.fixture
def root(world, desk):
    """The browser of the tenant's admin."""
    return admin_of(world, desk)


@pytest.fixture
def boss(world):
    return SuperuserFactory(username=f"boss-{world.slug}", password=OWN)


@pytest.fixture
def looking_in(world, desk, boss):
    """The superuser's browser, in the test's tenant, where they hold no role."""
    client = desk(boss.username).client
    client.post("/admin/tenant/", {"tenant": str(world.tenant_id)})
    return client


@pytest.fixture
def bob(world):
    """A reviewer with a second factor."""
    return with_second_factor(User.objects.get(username=world.bob_name))


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def with_second_factor(user):
    with as_owner():
        TOTPDevice.objects.create(user=user, name="a test")
        StaticDevice.objects.create(user=user, name="a test").token_set.create(token="r0123456789")
    return user


def at(user, act="one-time-password"):
    return f"{AT}user/{user.id}/{act}/"


def log_in(name, password, **fields):
    client = Client()
    return client, client.post("/admin/login/", {"username": name, "password": password, "next": "/admin/", **fields})


def state_of(user):
    """What would let somebody else in: the password, and the second factor."""
    return User.objects.get(id=user.id).password, TOTPDevice.objects.filter(user=user).count()


# -- A one-time password


def test_the_old_password_and_its_sessions_are_void_and_the_new_one_logs_in_once(world, root, desk):
    user = User.objects.get(username=world.bob_name)
    session, _ = log_in(world.bob_name, world.passwords["bob"])
    assert session.get("/admin/").status_code == 200
    answer = root.post(at(user))
    password = password_on(answer)
    assert "within 7 days" in answer.content.decode()
    assert session.get("/admin/").headers["Location"].startswith("/admin/login/")
    assert log_in(world.bob_name, world.passwords["bob"])[1].status_code == 200
    client, answer = log_in(world.bob_name, password)
    assert answer.status_code == 302
    assert client.get("/admin/").headers["Location"] == "/admin/password_change/"
    client.post("/admin/password_change/", {"old_password": password, "new_password1": OWN, "new_password2": OWN})
    assert client.get("/admin/").status_code == 200
    assert log_in(world.bob_name, password)[1].status_code == 200
    assert log_in(world.bob_name, OWN)[0].get("/admin/").status_code == 200
    assert world.bob.get("edits").status_code == 200, "a key is no password"


def test_the_second_factor_is_asked_for_still(world, root, bob):
    password = password_on(root.post(at(bob)))
    assert "Enter a code" in log_in(world.bob_name, password)[1].content.decode()
    assert log_in(world.bob_name, password, code="r0123456789")[1].status_code == 302


def test_it_is_shown_once_and_is_in_no_page_and_no_entry(world, root, bob):
    (form,) = [root.get(at(bob)).context["once"]]
    password = password_on(root.post(at(bob), {"once": form}))
    again = root.post(at(bob), {"once": form})
    assert (again.status_code, password in again.content.decode()) == (409, False)
    for page in (f"{AT}user/", f"{AT}user/{bob.id}/change/", f"{AT}entry/"):
        assert password not in root.get(page).content.decode()
    with world.inside():
        assert not any(password in bytes(entry.canonical).decode() for entry in Entry.objects.all())
    assert "no-store" in root.post(at(bob)).headers["Cache-Control"]


def test_after_a_week_it_logs_in_no_more_and_says_what_to_do(world, root, clock):
    user = User.objects.get(username=world.ann_name)
    password = password_on(root.post(at(user)))
    clock.shift(timedelta(days=6, hours=23))
    assert log_in(user.username, password)[1].status_code == 302
    clock.shift(timedelta(hours=1))
    answer = log_in(user.username, password)[1]
    assert (answer.status_code, "Ask the person who gave it to you for a new one" in answer.content.decode()) == (
        200,
        True,
    )


def test_that_of_a_person_who_was_added_expires_too(world, desk, root, clock):
    name = f"carla@{world.slug}"
    password = password_on(root.post(f"{AT}user/add-person/", {"name": "carla", "roles": ["reviewer"]}))
    clock.shift(timedelta(days=8))
    assert "has expired" in log_in(name, password)[1].content.decode()
    fresh = password_on(desk(f"root-{world.slug}").client.post(at(User.objects.get(username=name))))
    assert log_in(name, fresh)[1].status_code == 302


def test_a_password_of_ones_own_never_expires(world, clock):
    clock.shift(timedelta(days=365))
    assert log_in(world.bob_name, world.passwords["bob"])[1].status_code == 302


def test_a_login_that_renews_the_hash_does_not_make_an_expired_one_good(world, root, clock):
    user = User.objects.get(username=world.ann_name)
    password = password_on(root.post(at(user)))
    clock.shift(timedelta(days=8))
    newer = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    with override_settings(PASSWORD_HASHERS=[newer, "django.contrib.auth.hashers.MD5PasswordHasher"]):
        for _ in range(2):
            assert "has expired" in log_in(user.username, password)[1].content.decode()
    assert User.objects.get(id=user.id).password.startswith("pbkdf2")


def test_a_one_time_password_of_before_expires_after_the_days_that_are_set(world, root, clock):
    with override_settings(ONE_TIME_PASSWORD_LASTS=timedelta(days=1)):
        password = password_on(root.post(at(User.objects.get(username=world.ann_name))))
    clock.shift(timedelta(days=1))
    assert "has expired" in log_in(world.ann_name, password)[1].content.decode()


# -- The second factor


def test_it_is_switched_off_with_its_recovery_codes_and_ends_the_sessions(world, desk, root, bob):
    session = desk(world.bob_name).client
    assert session.get("/admin/").status_code == 200
    assert "second-factor-off" in acts_on(root, f"{AT}user/{bob.id}/change/")
    assert root.post(at(bob, "second-factor-off")).status_code == 302
    assert not TOTPDevice.objects.filter(user=bob).exists()
    assert not StaticDevice.objects.filter(user=bob).exists()
    assert session.get("/admin/").headers["Location"].startswith("/admin/login/")
    assert log_in(world.bob_name, world.passwords["bob"])[0].get("/admin/").status_code == 200
    assert root.post(at(bob, "second-factor-off")).status_code == 409
    assert "second-factor-off" not in acts_on(root, f"{AT}user/{bob.id}/change/")


# -- What both share


@pytest.mark.parametrize(
    ("act", "type"), [("one-time-password", "person.password_given"), ("second-factor-off", "person.second_factor_off")]
)
def test_a_superuser_does_it_for_anybody_and_every_tenant_of_theirs_has_it(
    world, elsewhere, looking_in, boss, bob, act, type
):
    identities.provision(elsewhere.slug, people=[(world.bob_name, "admin")])
    before = state_of(bob)
    assert looking_in.post(at(bob, act)).status_code in (200, 302)
    assert state_of(bob) != before
    for tenant in (world, elsewhere):
        (entry,) = entries(tenant, type)
        assert (entry["user"], entry["name"], entry["actor"]["name"]) == (str(bob.id), bob.username, boss.username)


@pytest.mark.parametrize("act", ACTS)
def test_an_admin_gets_into_no_account_that_opens_another_tenant_or_ever_did(world, elsewhere, root, bob, act):
    """B takes Bob's role away and gives it again: meanwhile nobody in A may have come to know his password."""
    identities.provision(elsewhere.slug, people=[(world.bob_name, "auditor")])
    before = state_of(bob)
    refused = root.post(at(bob, act))
    assert (refused.status_code, "it has or had access to one" in refused.content.decode()) == (403, True)
    with elsewhere.inside(), as_owner():
        Membership.objects.filter(tenant_id=elsewhere.tenant_id, user=bob).update(is_active=False)
    assert root.post(at(bob, act)).status_code == 403
    assert state_of(bob) == before


@pytest.mark.parametrize("act", ACTS)
def test_an_admin_gets_into_no_account_that_was_made_elsewhere(world, elsewhere, root, desk, act):
    """A stranger accepts an invitation, and loses the role that they had at home: their account is still not A's."""
    theirs = with_second_factor(User.objects.get(username=elsewhere.bob_name))
    before = state_of(theirs)
    assert root.post(at(theirs, act)).status_code == 404
    invite = {"username": theirs.username, "roles": ["auditor"]}
    assert root.post(f"{AT}user/invite/", invite).status_code == 302
    assert root.post(at(theirs, act)).status_code == 404
    (invited,) = desk(theirs.username).client.get("/admin/invitations/").context["invitations"]
    answer = {"invitation": str(invited.id), "answer": "accept"}
    assert desk(theirs.username).client.post("/admin/invitations/", answer).status_code == 302
    assert root.post(at(theirs, act)).status_code == 403
    with as_owner():
        Membership.objects.filter(tenant_id=elsewhere.tenant_id, user=theirs).delete()
    assert root.post(at(theirs, act)).status_code == 403
    assert root.post(at(theirs, "remove")).status_code == 302
    assert root.post(at(theirs, act)).status_code == 404
    assert state_of(theirs) == before


@pytest.mark.parametrize("act", ACTS)
def test_an_admin_gets_into_no_superusers_account(world, root, bob, act):
    with as_owner():
        User.objects.filter(id=bob.id).update(is_superuser=True)
    before = state_of(bob)
    assert root.post(at(bob, act)).status_code == 403
    assert state_of(bob) == before


@pytest.mark.parametrize("act", ACTS)
def test_a_deactivated_account_is_let_in_by_nobody(world, elsewhere, root, looking_in, bob, act):
    """Its roles elsewhere are not found while it is not active: an admin would take it over for when it is again."""
    identities.provision(elsewhere.slug, people=[(world.bob_name, "admin")])
    before = state_of(bob)
    looking_in.post(at(bob, "deactivate"))
    for client in (root, looking_in):
        assert client.post(at(bob, act)).status_code == 409
    assert state_of(bob) == before


@pytest.mark.parametrize("act", ACTS)
def test_ones_own_is_changed_elsewhere(world, root, act):
    me = with_second_factor(User.objects.get(username=f"root-{world.slug}"))
    before = state_of(me)
    refused = root.post(at(me, act))
    assert (refused.status_code, "use the account menu" in refused.content.decode()) == (403, True)
    assert state_of(me) == before


@pytest.mark.parametrize("act", ACTS)
def test_reviewers_and_auditors_let_nobody_in(world, desk, bob, act):
    before = state_of(bob)
    for name in (world.ann_name, world.bob_name.replace("bob", "auditor")):
        client = desk(name).client
        assert client.get(at(bob, act)).status_code == 403
        assert client.post(at(bob, act)).status_code == 403
        assert acts_on(client, f"{AT}user/{bob.id}/change/") == []
    assert state_of(bob) == before


@pytest.mark.parametrize("service", SERVICES)
def test_the_services_refuse_whoever_may_not(world, elsewhere, bob, service):
    before = state_of(bob)
    with world.inside(), pytest.raises(ManagedByAdmins):
        service(bob, actor=world.alice_principal)
    with elsewhere.inside(), pytest.raises(people.NotAMember):
        service(bob, actor=system(elsewhere.tenant_id, "a test"))
    assert state_of(bob) == before
