"""An admin invites somebody who has an account: its owner accepts or declines, and nothing tells the admin before that
whether there is such an account."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from governance.acting.credentials import system
from governance.acting.principals import ManagedByAdmins
from governance.identity import identities, invitations, people
from governance.models import Invitation, Membership, User
from tests.admin.managing import AT, admin_of, entries
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

INVITE = f"{AT}user/invite/"
ANSWER = "/admin/invitations/"


@pytest.fixture
def root(world, desk):
    """The browser of the tenant's admin."""
    return admin_of(world, desk)


@pytest.fixture
def theirs(elsewhere):
    """A reviewer of another tenant."""
    return User.objects.get(username=elsewhere.bob_name)


def invite(root, name, *roles):
    answer = root.post(INVITE, {"username": name, "roles": roles or ["auditor"]})
    assert answer.status_code == 302, answer.content.decode()


def invited(client):
    return client.get(ANSWER).context["invitations"]


def answer(client, invitation, what="accept"):
    return client.post(ANSWER, {"invitation": str(invitation.id), "answer": what})


def roles_of(world, user):
    with world.inside():
        held = Membership.objects.filter(tenant_id=world.tenant_id, user=user, is_active=True)
        return set(held.values_list("role", flat=True))


def statuses(world):
    with world.inside():
        return list(Invitation.objects.order_by("created_at").values_list("username", "status"))


def test_its_owner_accepts_and_has_the_roles_and_their_password(world, elsewhere, root, desk, theirs):
    invite(root, theirs.username, "auditor", "reviewer")
    assert roles_of(world, theirs) == set()
    client = desk(theirs.username).client
    assert "Answer 1 invitation" in client.get("/admin/").content.decode()
    assert ANSWER in client.get(f"{AT}edit/").content.decode()
    (one,) = invited(client)
    assert (one.tenant_slug, one.roles, one.inviter) == (world.slug, ("auditor", "reviewer"), f"root-{world.slug}")
    assert world.slug in client.get(ANSWER).content.decode()
    assert answer(client, one).status_code == 302
    assert roles_of(world, theirs) == {"auditor", "reviewer"}
    assert roles_of(elsewhere, theirs) == {"reviewer"}
    assert invited(client) == []
    assert client.post("/admin/tenant/", {"tenant": str(world.tenant_id)}).status_code == 302
    assert client.get(f"{AT}edit/").status_code == 200
    login = {"username": theirs.username, "password": elsewhere.passwords["bob"], "next": "/admin/"}
    assert Client().post("/admin/login/", login).status_code == 302
    assert statuses(world) == [(theirs.username, "accepted")]
    assert answer(client, one).status_code == 409


def test_the_ledger_of_the_tenant_has_it_and_no_other(world, elsewhere, root, desk, theirs):
    invite(root, theirs.username)
    client = desk(theirs.username).client
    (one,) = invited(client)
    answer(client, one)
    named = {"invitation": str(one.id), "name": theirs.username}
    them = {"kind": "human", "id": str(theirs.id), "name": theirs.username}
    (asked,) = entries(world, "person.invited")
    until = one.expires_at.isoformat()
    assert asked == {**named, "roles": ["auditor"], "expires_at": until, "actor": asked["actor"]}
    assert asked["actor"]["name"] == f"root-{world.slug}"
    assert entries(world, "invitation.accepted") == [{**named, "user": str(theirs.id), "actor": them}]
    assert {"user": str(theirs.id), "role": "auditor", "actor": them} in entries(world, "role.granted")
    assert not any(entries(elsewhere, type) for type in ("person.invited", "invitation.accepted"))


def test_nobody_else_accepts_it(world, elsewhere, root, desk, theirs):
    invite(root, theirs.username)
    (one,) = invited(desk(theirs.username).client)
    ann = desk(elsewhere.ann_name).client
    assert invited(ann) == invited(root) == []
    for client in (ann, root):
        assert answer(client, one).status_code == 404
    assert Client().post(ANSWER, {"invitation": str(one.id), "answer": "accept"}).status_code == 302
    assert ann.post(ANSWER, {"invitation": "no id", "answer": "accept"}).status_code == 404
    assert roles_of(world, theirs) == roles_of(world, User.objects.get(username=elsewhere.ann_name)) == set()
    assert statuses(world) == [(theirs.username, "pending")]


def test_one_that_was_declined_withdrawn_or_has_expired_gives_nothing(world, root, desk, theirs):
    client = desk(theirs.username).client
    invite(root, theirs.username)
    (declined,) = invited(client)
    assert answer(client, declined, "decline").status_code == 302
    invite(root, theirs.username)
    (withdrawn,) = invited(client)
    assert root.post(f"{AT}invitation/{withdrawn.id}/withdraw/").status_code == 302
    assert root.post(f"{AT}invitation/{withdrawn.id}/withdraw/").status_code == 409
    invite(root, theirs.username)
    (expired,) = invited(client)
    with as_owner(), world.inside():
        over = timezone.now() - timedelta(seconds=1)
        Invitation.objects.filter(id=expired.id).update(expires_at=over)
    assert invited(client) == []
    for one in (declined, withdrawn, expired):
        refused = answer(client, one)
        assert (refused.status_code, "Ask an admin" in refused.content.decode()) == (409, True)
    assert roles_of(world, theirs) == set()
    assert "expired" in root.get(f"{AT}invitation/").content.decode()


def test_another_invitation_takes_the_place_of_the_first(world, root, desk, theirs):
    invite(root, theirs.username, "admin")
    (first,) = invited(desk(theirs.username).client)
    invite(root, theirs.username, "auditor")
    (second,) = invited(desk(theirs.username).client)
    assert second.roles == ("auditor",)
    assert answer(desk(theirs.username).client, first).status_code == 409
    assert statuses(world) == [(theirs.username, "withdrawn"), (theirs.username, "pending")]


def test_the_answer_is_the_same_whether_there_is_such_an_account(world, elsewhere, root, theirs):
    with as_owner():
        User.objects.filter(username=elsewhere.ann_name).update(is_active=False)
    names = (theirs.username, elsewhere.ann_name, f"nobody-{world.slug}", f"carla@{elsewhere.slug}")
    pages = set()
    for name in names:
        answered = root.post(INVITE, {"username": name, "roles": ["auditor"]}, follow=True)
        assert answered.status_code == 200
        page = root.get(f"{AT}invitation/").content.decode()
        with world.inside():
            one = Invitation.objects.get(username=name)
        page += root.get(f"{AT}invitation/{one.id}/change/").content.decode()
        (row,) = re.findall(rf"(?s)<tr[^>]*>(?:(?!</tr>).)*{re.escape(name)}.*?</tr>", page)
        root.post(f"{AT}invitation/{one.id}/withdraw/")
        pages.add(re.sub(r"[0-9a-f-]{36}|\d+(:\d\d)?|[ap]\.m\.|midnight|noon", "", row.replace(name, "NAME")))
    assert len(pages) == 1


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"username": "Al Ice", "roles": ["reviewer"]}, 400, "letters, digits"),
        ({"username": "a|b", "roles": ["reviewer"]}, 400, "letters, digits"),
        ({"username": "a" * 151, "roles": ["reviewer"]}, 400, "at most 150"),
        ({"username": "carla", "roles": []}, 400, "required"),
        ({"username": "carla", "roles": ["king"]}, 400, "not one of the available choices"),
    ],
)
def test_what_does_not_fit_is_refused(world, root, fields, status, told):
    answered = root.post(INVITE, fields)
    assert (answered.status_code, told in answered.content.decode()) == (status, True)
    assert statuses(world) == []


def test_nobody_invites_themselves_or_a_member(world, root):
    assert root.post(INVITE, {"username": f"root-{world.slug}", "roles": ["reviewer"]}).status_code == 403
    refused = root.post(INVITE, {"username": world.ann_name, "roles": ["admin"]})
    assert (refused.status_code, "already in this tenant" in refused.content.decode()) == (409, True)
    assert statuses(world) == []


def test_an_account_that_somebody_else_reset_accepts_no_invitation_of_before(world, elsewhere, desk):
    """The admin of the account's own tenant takes it over to accept what was meant for its owner."""
    at_home = admin_of(elsewhere, desk, "home")
    added = at_home.post(f"{AT}user/add-person/", {"name": "carla", "roles": ["reviewer"]})
    assert added.status_code == 200
    carla = User.objects.get(username=f"carla@{elsewhere.slug}")
    with as_owner():
        User.objects.filter(id=carla.id).update(one_time_password_until=None)
    invite(admin_of(world, desk), carla.username, "admin")
    client = desk(carla.username).client
    (one,) = invited(client)
    assert at_home.post(f"{AT}user/{carla.id}/one-time-password/").status_code == 200
    with as_owner():
        User.objects.filter(id=carla.id).update(one_time_password_until=None)  # whoever has it chose another
    client = desk(carla.username).client
    assert invited(client) == []
    assert answer(client, one).status_code == 409
    assert roles_of(world, carla) == set()


def test_an_account_without_any_role_logs_in_to_accept(world, elsewhere, root, theirs):
    identities.provision(elsewhere.slug, people=[(f"chief-{elsewhere.slug}", "admin")])
    password = elsewhere.passwords["bob"]
    with as_owner():
        Membership.objects.filter(user=theirs).update(is_active=False)
    login = {"username": theirs.username, "password": password, "next": "/admin/"}
    assert "no role in any tenant" in Client().post("/admin/login/", login).content.decode()
    invite(root, theirs.username)
    client = Client()
    assert client.post("/admin/login/", login).status_code == 302
    page = client.get("/admin/", follow=True)
    assert page.status_code == 200
    assert "Answer 1 invitation" in page.content.decode()
    (one,) = invited(client)
    assert client.get(f"{AT}edit/").status_code == 302
    assert answer(client, one).status_code == 302
    assert client.get(f"{AT}edit/").status_code == 200


def test_a_one_time_password_comes_first(world, elsewhere, root, theirs, desk):
    invite(root, theirs.username)
    with as_owner():
        User.objects.filter(id=theirs.id).update(one_time_password_until=timezone.now() + timedelta(days=1))
    client = desk(theirs.username).client
    assert client.get(ANSWER).headers["Location"] == "/admin/password_change/"
    with world.inside():
        one = Invitation.objects.get()
    with pytest.raises(invitations.InvitationNotOpen):
        invitations.accept_invitation(theirs, one.id)


def test_somebody_who_was_removed_is_invited_again(world, root, desk, theirs):
    invite(root, theirs.username)
    (one,) = invited(desk(theirs.username).client)
    answer(desk(theirs.username).client, one)
    assert root.post(f"{AT}user/{theirs.id}/grant-role/", {"role": "reviewer"}).status_code == 302
    assert root.post(f"{AT}user/{theirs.id}/remove/").status_code == 302
    refused = root.post(f"{AT}user/{theirs.id}/grant-role/", {"role": "reviewer"})
    assert (refused.status_code, "Invite them" in refused.content.decode()) == (403, True)
    invite(root, theirs.username)
    (one,) = invited(desk(theirs.username).client)
    answer(desk(theirs.username).client, one)
    assert roles_of(world, theirs) == {"auditor"}


def test_of_two_answers_at_once_one_counts(world, root, desk, theirs, at_once):
    invite(root, theirs.username)
    clients = [desk(theirs.username).client for _ in range(2)]
    (one,) = invited(clients[0])
    answers = at_once(*(lambda client=client: answer(client, one) for client in clients))
    assert sorted(answered.status_code for answered in answers) == [302, 409]
    assert len(entries(world, "invitation.accepted")) == 1


def test_only_an_admin_invites(world, desk):
    for who in (world.bob_name, world.bob_name.replace("bob", "auditor")):
        assert desk(who).client.post(INVITE, {"username": "carla", "roles": ["reviewer"]}).status_code == 403
    for actor in (world.bob_principal, world.alice_principal):
        with world.inside(), pytest.raises(ManagedByAdmins):
            invitations.invite("carla", ["reviewer"], actor=actor)
    with world.inside(), pytest.raises(people.NoRole):
        invitations.invite("carla", [], actor=system(world.tenant_id, "a test"))


def test_it_holds_for_two_weeks(world, root, desk, theirs):
    invite(root, theirs.username)
    (one,) = invited(desk(theirs.username).client)
    assert timedelta(days=13) < one.expires_at - timezone.now() <= timedelta(days=14)
