"""A session that ends while a reviewer writes a verdict: nothing is decided, and the reason is there after a login."""

import pytest
from django.core import signing
from django.test import Client

from tests.admin.conftest import FormClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

REASON = "The customer wrote on 3 March that\nthis was never agreed"
EDIT = "/admin/governance/edit/"


def retract(world, text="The quick brown fox"):
    return str(world.edit(world.chunk(text), "quarantine", by=world.alice)["edit_id"])


def written(client, edit, reason=REASON):
    """The form of a verdict as the page has it, filled in."""
    page = client.get(f"{EDIT}{edit}/change/").context
    return {"reason": reason, **{name: page[name] for name in ("author", "patch_sha256", "target_state")}}


def log_in(client, world, name, at):
    return client.post(at, {"username": getattr(world, f"{name}_name"), "password": world.passwords[name]})


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_the_reason_comes_back_after_the_login_and_is_sent(world, desk, status_of, verb):
    edit = retract(world)
    client = desk(world.bob_name).client
    form = written(client, edit)
    client.session.flush()
    sent = client.post(f"{EDIT}{edit}/{verb}/", form)
    assert sent.status_code == 302
    assert sent.headers["Location"] == f"/admin/login/?next={EDIT}{edit}/change/"
    back = log_in(client, world, "bob", sent.headers["Location"])
    assert back.headers["Location"] == f"{EDIT}{edit}/change/"
    page = client.get(back.headers["Location"])
    body = page.content.decode()
    assert "Nothing was decided. Your reason is still in the form." in body
    assert body.count("never agreed</textarea>") == 1
    assert f'<dialog id="{verb}-dialog" class="review" aria-labelledby="{verb}-title" data-open>' in body
    assert status_of(world, edit) == "pending"
    assert "never agreed" not in client.get(f"{EDIT}{edit}/change/").content.decode(), "it comes back once"
    assert client.post(f"{EDIT}{edit}/{verb}/", form).status_code == 302
    assert status_of(world, edit) == {"approve": "approved", "reject": "rejected"}[verb]


def test_a_list_comes_back_with_its_edits_and_its_reason(world, desk, status_of):
    edits = [retract(world, text) for text in ("one", "two")]
    client = desk(world.bob_name).client
    chosen = client.post(EDIT, {"action": "decide_chosen", "_selected_action": edits})
    form = {"author": chosen.context["author"], "seen": [item["seen"] for item in chosen.context["items"]]}
    client.session.flush()
    sent = client.post(f"{EDIT}bulk/", {**form, "verb": "reject", "reason": REASON})
    assert sent.headers["Location"] == f"/admin/login/?next={EDIT}bulk/"
    back = log_in(client, world, "bob", sent.headers["Location"])
    page = client.get(back.headers["Location"])
    assert [str(item["edit"].id) for item in page.context["items"]] == edits
    assert "never agreed</textarea>" in page.content.decode()
    assert {status_of(world, edit) for edit in edits} == {"pending"}


def test_it_is_given_back_to_nobody_else(world, desk):
    edit = retract(world)
    client = desk(world.bob_name).client
    form = written(client, edit)
    client.session.flush()
    sent = client.post(f"{EDIT}{edit}/approve/", form)
    back = log_in(client, world, "ann", sent.headers["Location"])
    assert "never agreed" not in client.get(back.headers["Location"]).content.decode()


@pytest.mark.parametrize(
    "author", ["", "x", pytest.param(signing.dumps("somebody", salt="another"), id="signed-for-another-use")]
)
def test_nobody_leaves_a_text_without_a_form_of_ours(world, author):
    edit = retract(world)
    stranger = Client()
    answer = stranger.post(f"{EDIT}{edit}/approve/", {"author": author, "reason": REASON})
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/admin/login/?next={EDIT}{edit}/approve/")
    assert "sessionid" not in answer.cookies


def test_a_form_of_a_session_before_another_login_keeps_its_reason(world, status_of):
    """In another tab the reviewer logged out and in again: the form's token is of the login before."""
    edit = retract(world)
    client = FormClient(enforce_csrf_checks=True)
    login = f"/admin/login/?next={EDIT}"

    def with_token(path, data):
        return client.post(path, {"csrfmiddlewaretoken": client.cookies["csrftoken"].value, **data})

    client.get(login)
    who = {"username": world.bob_name, "password": world.passwords["bob"]}
    assert with_token(login, who).status_code == 302
    form = {**written(client, edit), "csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    assert with_token("/admin/logout/", {}).status_code in (200, 302)
    client.get(login)
    assert with_token(login, who).status_code == 302
    answer = client.post(f"{EDIT}{edit}/reject/", form)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{EDIT}{edit}/change/")
    assert "never agreed</textarea>" in client.get(answer.headers["Location"]).content.decode()
    assert status_of(world, edit) == "pending"


@pytest.mark.parametrize("page", ["{}/approve/", "{}/reject/", "bulk/"])
def test_the_address_of_a_verdict_is_never_an_empty_page(world, desk, page):
    edit = retract(world)
    client = desk(world.bob_name).client
    answer = client.get(EDIT + page.format(edit))
    expected = EDIT if page == "bulk/" else f"{EDIT}{edit}/change/"
    assert (answer.status_code, answer.headers["Location"]) == (302, expected)
    refused = client.put(EDIT + page.format(edit))
    assert refused.status_code == 405
    assert "POST" in refused.headers["Allow"]
    assert "This page does not accept that method" in refused.content.decode()


def test_a_refused_approval_opens_its_own_dialog_again(world, desk, status_of):
    """The memory was changed meanwhile: the text of the approval is in the form of the approval, and in no other."""
    chunk = world.chunk("My name is Jon")
    edit = str(world.edit(chunk, "quarantine", by=world.alice)["edit_id"])
    bob = desk(world.bob_name)
    seen = bob.seen(edit)
    world.edit(chunk, "amend", by=world.ann, text="My name is John")
    answer = bob.decide("approve", edit, **seen, reason=REASON)
    assert answer.status_code == 409
    body = answer.content.decode()
    assert 'aria-labelledby="approve-title" data-open>' in body
    assert 'aria-labelledby="reject-title">' in body
    assert body.count("never agreed</textarea>") == 1
    assert body.index('id="approve-dialog"') < body.index("never agreed</textarea>") < body.index('id="reject-dialog"')
    assert "The target has changed since you loaded this page." in body
    refused = bob.decide("reject", edit, **seen, reason=REASON).content.decode()
    assert 'aria-labelledby="reject-title" data-open>' in refused
    assert 'aria-labelledby="approve-title">' in refused
    assert status_of(world, edit) == "pending"
