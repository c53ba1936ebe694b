"""A superuser makes a tenant, with its first admin; nobody else does."""

import pytest
from django.test import Client

from governance.acting import gate
from governance.identity import identities
from governance.models import Entry, Membership, PolicyRule, Tenant, User
from governance.refusals import Refusal
from tests.admin.managing import AT, acts_on, admin_of, password_on
from tests.factories import SuperuserFactory
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

HOME = "/admin/"
MAKE = "/admin/tenant/make/"
CHOOSE = "/admin/tenant/"


@pytest.fixture
def token(world):
    return world.slug[-8:]


@pytest.fixture
def boss(world, token):
    return SuperuserFactory(username=f"boss-{token}", password="a long and odd sentence")


@pytest.fixture
def form(token):
    return {"slug": f"acme-{token}", "policy": "strict", "admin": f"carla-{token}"}


def acts_in(slug):
    """Type, actor and metadata of the entries of a tenant's ledger."""
    with gate.tenant(gate.tenants()[slug]):
        found = Entry.objects.order_by("seq").values_list("type", "metadata")
        return [(type, metadata.get("actor", {}).get("name"), metadata) for type, metadata in found]


def roles_in(slug):
    with gate.tenant(gate.tenants()[slug]):
        return set(Membership.objects.filter(is_active=True).values_list("user__username", "role"))


def test_a_tenant_is_made_with_somebody_new_as_its_admin(desk, boss, form):
    client = desk(boss.username).client
    assert client.get(MAKE).status_code == 200
    password = password_on(client.post(MAKE, form))
    with gate.tenant(gate.tenants()[form["slug"]]):
        assert Tenant.objects.get().policy == "strict"
        assert set(PolicyRule.objects.values_list("approvals", flat=True)) == {1}
    assert roles_in(form["slug"]) == {(form["admin"], "admin")}
    carla = Client()
    carla.post("/admin/login/", {"username": form["admin"], "password": password, "next": HOME})
    assert carla.get(HOME).headers["Location"] == "/admin/password_change/"
    own = "another odd sentence"
    carla.post("/admin/password_change/", {"old_password": password, "new_password1": own, "new_password2": own})
    assert carla.get(f"{AT}agent/make/").status_code == 200


def test_its_ledger_names_the_superuser_and_no_password(desk, boss, form):
    password = password_on(desk(boss.username).client.post(MAKE, form))
    acts = acts_in(form["slug"])
    assert [(type, name) for type, name, _ in acts] == [
        ("genesis", boss.username),
        ("tenant.created", boss.username),
        ("schema.fingerprinted", boss.username),
        ("policy.changed", boss.username),
        ("person.added", boss.username),
        ("role.granted", boss.username),
    ]
    assert {metadata["actor"]["kind"] for _, _, metadata in acts} == {"human"}
    assert {metadata["actor"]["id"] for _, _, metadata in acts} == {str(boss.id)}
    assert password not in repr(acts)


def test_somebody_known_becomes_its_admin_and_keeps_the_password(world, desk, boss, form):
    client = desk(boss.username).client
    known = form | {"admin": world.bob_name}
    before = set(gate.tenants())
    refused = client.post(MAKE, known)
    assert (refused.status_code, "already has an account on this server" in refused.content.decode()) == (409, True)
    assert set(gate.tenants()) == before
    made = client.post(MAKE, known | {"is_known": "on"}, follow=True)
    assert made.redirect_chain == [(CHOOSE, 302)]
    assert f"{world.bob_name} is its admin, and logs in as before" in made.content.decode()
    assert roles_in(form["slug"]) == {(world.bob_name, "admin")}
    assert User.objects.get(username=world.bob_name).check_password(world.passwords["bob"])


def test_its_maker_may_be_its_admin_and_is_nothing_more_than_that_afterwards(desk, boss, form):
    client = desk(boss.username).client
    assert client.post(MAKE, form | {"admin": boss.username, "is_known": "on"}).status_code == 302
    assert roles_in(form["slug"]) == {(boss.username, "admin")}
    client.post(CHOOSE, {"tenant": str(gate.tenants()[form["slug"]])})
    assert client.post(f"{AT}user/{boss.id}/grant-role/", {"role": "reviewer"}).status_code == 403
    assert roles_in(form["slug"]) == {(boss.username, "admin")}


def test_whoever_made_it_for_another_holds_no_role_in_it(desk, boss, form):
    client = desk(boss.username).client
    client.post(MAKE, form)
    client.post(CHOOSE, {"tenant": str(gate.tenants()[form["slug"]])})
    assert client.get(f"{AT}agent/").status_code == 200
    assert client.post(f"{AT}agent/make/", {"slug": "eve", "channels": ["private"]}).status_code == 403
    assert "tenant.entered" in [type for type, _, _ in acts_in(form["slug"])]


def test_a_form_sent_again_finds_the_name_taken(desk, boss, form):
    client = desk(boss.username).client
    password_on(client.post(MAKE, form))
    before = acts_in(form["slug"])
    again = client.post(MAKE, form)
    assert again.status_code == 409
    assert "A tenant with this name already exists" in again.content.decode()
    assert acts_in(form["slug"]) == before


def test_of_two_forms_at_once_one_makes_it(desk, boss, form, at_once):
    clients = [desk(boss.username).client for _ in range(2)]
    people = (form["admin"], form["admin"].replace("carla", "carol"))
    answers = at_once(
        *(
            lambda client=client, name=name: client.post(MAKE, form | {"admin": name})
            for client, name in zip(clients, people, strict=True)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert len(roles_in(form["slug"])) == 1
    assert User.objects.filter(username__in=people).count() == 1, "the refused form left a person"


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"slug": "Acme Corp"}, 400, "A name has 1 to 50"),
        ({"slug": ""}, 400, "required"),
        ({"policy": "lax"}, 400, "not one of the available choices"),
        ({"admin": "Carla Smith"}, 400, "A name has 1 to 50"),
        ({"admin": "nobody-of-this-name", "is_known": "on"}, 404, "No person on this server"),
    ],
)
def test_what_does_not_fit_is_refused_and_makes_nothing(desk, boss, form, fields, status, told):
    before, people = gate.tenants(), User.objects.count()
    answer = desk(boss.username).client.post(MAKE, form | fields)
    assert (answer.status_code, told in answer.content.decode()) == (status, True)
    assert (gate.tenants(), User.objects.count()) == (before, people)


def test_only_a_superuser_gets_the_page_or_the_post(world, desk, form):
    root = admin_of(world, desk)
    before = gate.tenants()
    for client in (root, desk(world.bob_name).client):
        assert client.get(MAKE).status_code == 403
        assert client.post(MAKE, form).status_code == 403
        assert acts_on(client, f"{AT}tenant/") == []
    assert Client().post(MAKE, form).headers["Location"].startswith("/admin/login/")
    for name in (f"root-{world.slug}", world.bob_name):
        with pytest.raises(identities.MadeBySuperusers):
            identities.make_tenant(**form, is_known=False, actor=User.objects.get(username=name))
    assert gate.tenants() == before


def test_a_post_from_elsewhere_is_refused(desk, boss, form):
    before = gate.tenants()
    assert desk(boss.username, enforce_csrf_checks=True).client.post(MAKE, form).status_code == 403
    assert gate.tenants() == before


def test_within_a_tenant_the_page_stays_that_tenants(world, desk, boss, form):
    client = desk(boss.username).client
    client.post(CHOOSE, {"tenant": str(world.tenant_id)})
    assert [act.label for act, _ in client.get(f"{AT}tenant/").context["acts"]] == ["Create a tenant"]
    page = client.post(MAKE, form)
    assert password_on(page)
    assert world.slug in page.content.decode()
    assert world.slug in client.get(f"{AT}tenant/").content.decode()


def test_without_any_tenant_a_superuser_logs_in_and_makes_the_first(monkeypatch, boss, form):
    with monkeypatch.context() as patch:
        patch.setattr(gate, "tenants", lambda *_: {})
        client = Client()
        answer = client.post(
            "/admin/login/", {"username": boss.username, "password": "a long and odd sentence", "next": HOME}
        )
        assert (answer.status_code, answer.headers["Location"]) == (302, HOME)
        chooser = client.get(HOME, follow=True)
        assert "There is no tenant yet" in chooser.content.decode()
        assert f'href="{MAKE}"' in chooser.content.decode()
        for address in (f"{AT}tenant/", f"{AT}user/"):
            assert client.get(address).headers["Location"].startswith(CHOOSE), address
        assert password_on(client.post(MAKE, form))
    assert roles_in(form["slug"]) == {(form["admin"], "admin")}


def test_a_deactivated_superuser_makes_nothing(world, desk, boss, form):
    client = desk(boss.username).client
    with as_owner():
        User.objects.filter(id=boss.id).update(is_active=False)
    assert client.post(MAKE, form).headers["Location"].startswith("/admin/login/")
    boss.refresh_from_db()
    with pytest.raises(Refusal):
        identities.make_tenant(**form, is_known=False, actor=boss)
    assert form["slug"] not in gate.tenants()
