"""A session that ends while a person fills in a form: nothing is changed, and the text is there after a login."""

import pytest
from django.test import Client

from governance.identity import identities
from governance.models import Agent, Tenant
from tests.admin.conftest import FormClient
from tests.factories import SuperuserFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

TYPED = "The customer wrote on 3 March that this was never agreed"
NOTICE = "Your session ended before this form was sent. Nothing was changed. What you typed is still here."


@pytest.fixture
def forms(world):
    """Forms of several kinds: the address, what is typed, and what the page shows of it."""
    chunk = world.chunk("My name is Jon")
    identities.provision(world.slug, people=[(world.ann_name, "admin")])
    return {
        "policy": (
            "/admin/governance/policychange/propose/",
            {"preset": "strict", "overrides": "amend human 2", "reason": TYPED},
            ["amend human 2", TYPED, '<option value="strict" selected>'],
        ),
        "agent": (
            "/admin/governance/agent/make/",
            {"slug": "zoe-the-agent", "channels": ["team", "public"]},
            ["zoe-the-agent"],
        ),
        "proposal": (
            f"/admin/memory/effectivechunk/{chunk}/amend/",
            {"text": "My name is <John> & sons", "reason": TYPED},
            ["My name is &lt;John&gt; &amp; sons", TYPED],
        ),
        "contain": ("/admin/memory/effectivechunk/contain/", {"recorder": "nobody-yet", "reason": TYPED}, [TYPED]),
    }


def log_in(client, world, name, at):
    return client.post(at, {"username": getattr(world, f"{name}_name"), "password": world.passwords[name]})


@pytest.mark.parametrize("kind", ["policy", "agent", "proposal", "contain"])
def test_the_text_comes_back_after_the_login_once(world, desk, forms, kind):
    page, typed, shown = forms[kind]
    client: FormClient = desk(world.ann_name).client
    form = {name: client.get(page).context[name] for name in ("author", "once")}
    client.session.flush()

    sent = client.post(page, {**form, **typed})

    assert (sent.status_code, sent.headers["Location"]) == (302, f"/admin/login/?next={page}")
    back = log_in(client, world, "ann", sent.headers["Location"])
    assert back.headers["Location"] == page
    body = client.get(page).content.decode()
    assert NOTICE in body
    assert [text for text in shown if text not in body] == []
    assert form["once"] not in body
    assert TYPED not in client.get(page).content.decode(), "it comes back once"


def test_another_account_does_not_get_the_text(world, desk, forms):
    page, typed, _ = forms["policy"]
    client = desk(world.ann_name).client
    author = client.get(page).context["author"]
    client.session.flush()
    sent = client.post(page, {"author": author, **typed})

    log_in(client, world, "bob", sent.headers["Location"])

    assert TYPED not in client.get(page).content.decode()


@pytest.mark.parametrize("author", ["", "x", "eyJ1c2VyIjoxfQ:1abc:signature"])
def test_a_stranger_cannot_store_a_text_in_a_session(world, forms, author):
    page, typed, _ = forms["policy"]

    answer = Client().post(page, {"author": author, **typed})

    assert answer.headers["Location"] == f"/admin/login/?next={page}"
    assert "sessionid" not in answer.cookies


def test_passwords_and_codes_are_not_kept(world, desk):
    client = desk(world.ann_name).client
    for page in ("/admin/password_change/", "/admin/second-factor/"):
        assert 'name="author"' not in client.get(page).content.decode()
    client.session.flush()
    client.post("/admin/password_change/", {"old_password": "one", "new_password1": "two", "new_password2": "two"})

    assert "unsent_form" not in client.session


def test_a_form_that_comes_back_can_be_sent(world, desk, forms):
    page, typed, _ = forms["agent"]
    client = desk(world.ann_name).client
    form = {name: client.get(page).context[name] for name in ("author", "once")}
    client.session.flush()
    sent = client.post(page, {**form, **typed})
    log_in(client, world, "ann", sent.headers["Location"])
    with world.inside():
        assert not Agent.objects.filter(slug="zoe-the-agent").exists()
    again = {name: client.get(page).context[name] for name in ("author", "once")}

    client.post(page, {**again, **typed})

    with world.inside():
        assert Agent.objects.filter(slug="zoe-the-agent").exists()


def test_the_form_of_a_new_tenant_comes_back(world, desk):
    boss = SuperuserFactory(username=f"boss-{world.slug}", password="a long and odd sentence")
    page = "/admin/tenant/make/"
    client = desk(boss.username).client
    author = client.get(page).context["author"]
    client.session.flush()
    sent = client.post(page, {"author": author, "slug": "acme-of-march", "policy": "strict", "admin": "zoe"})
    client.post(sent.headers["Location"], {"username": boss.username, "password": "a long and odd sentence"})

    body = client.get(page).content.decode()

    assert 'value="acme-of-march"' in body
    assert '<option value="strict" selected>' in body
    assert not Tenant.objects.filter(slug="acme-of-march").exists()
