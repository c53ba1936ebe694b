"""An admin adds a person: with an account of the tenant and a one-time password, which they must change before they see
anything."""

import pytest
from django.test import Client

from governance.acting.credentials import system
from governance.acting.principals import ManagedByAdmins
from governance.identity import people
from governance.models import Entry, Membership, User
from tests.admin.managing import AT, acts_on, admin_of, entries, password_on
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

ADD = f"{AT}user/add-person/"
PASSWORD_PAGE = "/admin/password_change/"
OWN = "a long and odd sentence"


@pytest.fixture
def root(world, desk):
    """The browser of the tenant's admin."""
    return admin_of(world, desk)


@pytest.fixture
def name(world):
    """The username of an account that the tenant makes for `carla`."""
    return f"carla@{world.slug}"


def log_in(name, password):
    client = Client()
    return client, client.post("/admin/login/", {"username": name, "password": password, "next": "/admin/"})


def roles_of(world, name):
    with world.inside():
        held = Membership.objects.filter(user__username=name, is_active=True)
        return set(held.values_list("role", flat=True))


def change_password(client, old, new=OWN):
    return client.post(PASSWORD_PAGE, {"old_password": old, "new_password1": new, "new_password2": new})


def test_somebody_new_logs_in_once_and_chooses_a_password(world, root, name):
    password = password_on(root.post(ADD, {"name": "carla", "roles": ["reviewer", "auditor"]}))
    assert roles_of(world, name) == {"reviewer", "auditor"}
    client, answer = log_in(name, password)
    assert answer.status_code == 302
    page = client.get("/admin/", follow=True)
    assert page.redirect_chain == [(PASSWORD_PAGE, 302)]
    assert "Choose a new password" in page.content.decode()
    assert change_password(client, password).headers["Location"] == f"{PASSWORD_PAGE}done/"
    assert client.get("/admin/").status_code == 200
    assert log_in(name, password)[1].status_code == 200, "the one-time password still opens"
    client, answer = log_in(name, OWN)
    assert client.get("/admin/governance/edit/").status_code == 200


def test_until_then_no_page_opens_and_nothing_is_decided(world, root, name):
    edit = world.edit(world.chunk(), "quarantine", by=world.alice)["edit_id"]
    client, _ = log_in(name, password_on(root.post(ADD, {"name": "carla", "roles": ["admin"]})))
    for address in (
        "/admin/",
        "/admin/governance/edit/",
        "/admin/tenant/",
        "/admin/second-factor/",
        f"{AT}agent/make/",
    ):
        assert client.get(address).headers["Location"] == PASSWORD_PAGE, address
    for address, fields in (
        (f"{AT}edit/{edit}/approve/", {}),
        (f"{AT}edit/bulk/", {"verb": "approve", "seen": edit}),
        (f"{AT}agent/make/", {"slug": "carol", "channels": ["private"]}),
        ("/admin/second-factor/", {"act": "begin"}),
    ):
        assert client.post(address, fields).headers["Location"] == PASSWORD_PAGE, address
    assert world.alice.ok("get", f"edits/{edit}")["status"] == "pending"
    assert client.post("/admin/logout/").status_code in (200, 302)


@pytest.mark.parametrize("new", ["same", "short", "123456789012345"])
def test_neither_the_same_password_nor_a_weak_one_will_do(world, root, name, new):
    password = password_on(root.post(ADD, {"name": "carla", "roles": ["reviewer"]}))
    client, _ = log_in(name, password)
    assert change_password(client, password, password if new == "same" else new).status_code == 200
    assert client.get("/admin/").headers["Location"] == PASSWORD_PAGE
    assert User.objects.get(username=name).has_one_time_password


def test_the_ledger_has_who_was_added_by_whom_and_no_password(world, root, name):
    password = password_on(root.post(ADD, {"name": "carla", "roles": ["reviewer"]}))
    user = User.objects.get(username=name)
    (added,) = entries(world, "person.added")
    assert (added["user"], added["name"], added["actor"]["name"]) == (str(user.id), name, f"root-{world.slug}")
    assert [one["role"] for one in entries(world, "role.granted") if one["user"] == str(user.id)] == ["reviewer"]
    with world.inside():
        assert not any(password in bytes(entry.canonical).decode() for entry in Entry.objects.all())
    assert "Person added" in root.get(f"{AT}entry/story/{user.id}/").content.decode()
    for page in (f"{AT}user/", f"{AT}user/{user.id}/change/", f"{AT}membership/"):
        assert password not in root.get(page).content.decode()


def test_a_name_that_another_tenant_uses_is_free_here(world, elsewhere, root, desk):
    """The answers to a name that the server knows and to one that it does not know are the same."""
    theirs = password_on(admin_of(elsewhere, desk).post(ADD, {"name": "carla", "roles": ["reviewer"]}))
    names = ("carla", elsewhere.bob_name, f"root-{world.slug}", "nobody-of-this-name")
    for name in names:
        password_on(root.post(ADD, {"name": name, "roles": ["auditor"]}))
        assert roles_of(world, f"{name}@{world.slug}") == {"auditor"}
    assert roles_of(world, f"carla@{elsewhere.slug}") == roles_of(world, elsewhere.bob_name) == set()
    assert log_in(f"carla@{elsewhere.slug}", theirs)[1].status_code == 302


def test_a_name_that_this_tenant_uses_is_taken(world, root, name):
    password_on(root.post(ADD, {"name": "carla", "roles": ["reviewer"]}))
    refused = root.post(ADD, {"name": "carla", "roles": ["auditor"]})
    assert (refused.status_code, "was already created here" in refused.content.decode()) == (409, True)
    assert roles_of(world, name) == {"reviewer"}


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"name": "Al Ice", "roles": ["reviewer"]}, 400, "A name has 1 to 50"),
        ({"name": "carla", "roles": []}, 400, "required"),
        ({"name": "carla", "roles": ["king"]}, 400, "not one of the available choices"),
        ({"name": "carla@elsewhere", "roles": ["reviewer"]}, 400, "A name has 1 to 50"),
    ],
)
def test_what_does_not_fit_is_refused_and_makes_nobody(world, root, fields, status, told):
    there_were = User.objects.count()
    answer = root.post(ADD, fields)
    assert (answer.status_code, told in answer.content.decode()) == (status, True)
    assert User.objects.count() == there_were


def test_only_an_admin_adds_people(world, desk):
    there_were = User.objects.count()
    for who in (world.bob_name, world.bob_name.replace("bob", "auditor")):
        client = desk(who).client
        assert acts_on(client, f"{AT}user/") == []
        assert client.get(ADD).status_code == 403
        assert client.post(ADD, {"name": "carla", "roles": ["reviewer"]}).status_code == 403
    for actor in (world.bob_principal, world.alice_principal):
        with world.inside(), pytest.raises(ManagedByAdmins):
            people.add_person("carla", ["reviewer"], actor=actor)
    assert User.objects.count() == there_were


def test_the_act_leads_from_people_and_from_roles(world, root):
    assert acts_on(root, f"{AT}user/") == acts_on(root, f"{AT}membership/") == ["add-person", "invite"]


def test_of_two_admins_who_add_one_name_one_does(world, root, desk, at_once):
    rita = admin_of(world, desk, "rita")
    form = {"name": "carla", "roles": ["reviewer"]}
    answers = at_once(lambda: root.post(ADD, form), lambda: rita.post(ADD, form))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert len(entries(world, "person.added")) == 1


def test_the_operator_adds_people_by_names_of_the_server_and_sets_passwords_that_stay(world):
    name = f"carla-{world.slug[-8:]}"
    with world.inside():
        added = people.add_person(name, ["auditor"], actor=system(world.tenant_id, "a test"))
    assert added.user.has_one_time_password
    person = User.objects.get(username=name)
    person.set_password(OWN)
    with as_owner():
        person.save()
    client, _ = log_in(name, OWN)
    assert client.get("/admin/").status_code == 200
