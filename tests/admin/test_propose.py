"""A person corrects a memory from its own page: a proposal under the policy, of what they saw, once."""

import re

import pytest

from governance.models import AccessRecord, Edit
from tests.admin.managing import acts_on, entries

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

CHUNKS, DECISIONS = "/admin/memory/effectivechunk/", "/admin/memory/effectivedecision/"


@pytest.fixture
def bob(world, desk):
    """The reviewer's browser."""
    return desk(world.bob_name).client


def seen(client, address):
    """What the form of an act carries back."""
    (state,) = re.findall(r'name="seen" value="(\w{64})"', client.get(address).content.decode())
    return state


def propose(client, address, **fields):
    return client.post(address, {"seen": seen(client, address), "reason": "a test", **fields})


def test_a_memory_is_corrected_from_the_browser(world, bob):
    chunk = world.chunk("My name is Jon")
    page = bob.get(f"{CHUNKS}browse/", {"agent": str(world.alice_principal.id), "query": "Jon"}).content.decode()
    address = f"{CHUNKS}{chunk}/amend/"
    assert f'href="{address}"' in page
    form = bob.get(address).content.decode()
    assert form.count("My name is Jon") == 2, "as it is, and to be changed"
    answer = propose(bob, address, text="My name is John", reason="misheard")
    edit = answer.headers["Location"].split("/")[-3]
    assert "Amend: in effect now." in bob.get(answer.headers["Location"]).content.decode()
    assert world.found("John") == ["My name is John"]
    assert world.found("Jon") == []
    assert world.bob.ok("get", f"edits/{edit}")["reason"] == "misheard"
    assert [one["actor"]["name"] for one in entries(world, "edit.proposed")] == [world.bob_name]


def test_the_page_of_an_edit_in_effect_shows_what_it_does(world, bob):
    chunk = world.chunk("My name is Jon")
    amend = propose(bob, f"{CHUNKS}{chunk}/amend/", text="My name is John").headers["Location"]
    page = bob.get(amend).content.decode()
    assert "Without it" in page
    assert "My name is <del>Jon</del>" in page
    assert "My name is <ins>John</ins>" in page
    retract = propose(bob, f"{CHUNKS}{chunk}/retract/").headers["Location"]
    page = bob.get(retract).content.decode()
    assert "<del>My name is John</del>" in page
    assert "Retracted: no answer returns it." in page
    edit = amend.split("/")[-3]
    bob.post(f"/admin/governance/edit/{edit}/revert/", {"reason": "it was Jon"})
    assert "Without it" not in bob.get(amend).content.decode(), "what was reverted does nothing"


@pytest.mark.parametrize(
    ("op", "fields", "patch"),
    [
        ("retract", {}, {}),
        ("quarantine", {}, {}),
        ("block", {"channel": "public"}, {"channel": "public"}),
        ("attenuate", {"importance": "0.2"}, {"importance": 0.2}),
        ("amend", {"text": "Another"}, {"text": "Another"}),
    ],
)
def test_each_operation_is_proposed_with_its_patch(world, bob, op, fields, patch):
    chunk = world.chunk("The quick brown fox")
    assert propose(bob, f"{CHUNKS}{chunk}/{op}/", **fields).status_code == 302
    with world.inside():
        edit = Edit.objects.select_related("state").get(target_id=chunk)
    assert (edit.op, edit.state.status, edit.proposer) == (op, "approved", world.bob_name)
    assert edit.channel == patch.get("channel")
    assert (edit.content_id is not None) == ("text" in patch)
    assert float(edit.importance or 0) == patch.get("importance", 0)


def test_a_decision_is_corrected_too(world, bob):
    world.event("decided", kind="decision", content={"decision": "Use zebras"})
    decision = world.bob.ok("get", "decisions/active")["decisions"][0]["decision_id"]
    assert propose(bob, f"{DECISIONS}{decision}/amend/", text="Use horses").status_code == 302
    assert world.bob.ok("get", "decisions/active")["decisions"][0]["decision"] == "Use horses"
    assert "recorded with the event decision" in bob.get(f"/admin/governance/entry/story/{decision}/").content.decode()


def test_under_strict_it_waits_for_another(strict_world, desk):
    world = strict_world
    bob = desk(world.bob_name).client
    chunk = world.chunk("My name is Jon")
    answer = propose(bob, f"{CHUNKS}{chunk}/amend/", text="My name is John")
    page = bob.get(answer.headers["Location"]).content.decode()
    assert "it needs 1 approval by other people" in page
    assert "You proposed this" in page
    assert world.found("Jon") == ["My name is Jon"]


def test_what_changed_since_is_not_overwritten(world, bob):
    chunk = world.chunk("My name is Jon")
    address = f"{CHUNKS}{chunk}/amend/"
    old = seen(bob, address)
    world.edit(chunk, "amend", by=world.ann, text="My name is Johann")
    answer = bob.post(address, {"seen": old, "reason": "misheard", "text": "My name is John"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "has changed since you loaded this page" in page
    assert "My name is Johann" in page
    assert "My name is John<" in page, "what was typed is lost"
    assert world.found("Johann") == ["My name is Johann"]
    (state,) = re.findall(r'name="seen" value="(\w{64})"', page)
    assert bob.post(address, {"seen": state, "reason": "misheard", "text": "My name is John"}).status_code == 302


@pytest.mark.parametrize(
    ("op", "fields", "told"),
    [
        ("amend", {"text": "The quick brown fox"}, "This edit changes nothing"),
        ("amend", {"text": "  "}, "must not be empty"),
        ("amend", {"text": "Another", "reason": ""}, "required"),
        ("attenuate", {"importance": "2"}, "less than or equal to 1"),
        ("block", {"channel": "loud"}, "not one of the available choices"),
    ],
)
def test_what_does_not_fit_is_refused(world, bob, op, fields, told):
    chunk = world.chunk("The quick brown fox")
    answer = propose(bob, f"{CHUNKS}{chunk}/{op}/", **fields)
    assert (answer.status_code, told in answer.content.decode()) == (400, True)
    with world.inside():
        assert not Edit.objects.exists()


def test_lines_are_kept_as_they_were(world, bob):
    chunk = world.chunk("one\ntwo")
    address = f"{CHUNKS}{chunk}/amend/"
    assert propose(bob, address, text="one\r\ntwo").status_code == 400
    assert propose(bob, address, text="one\r\nthree").status_code == 302
    assert world.found("three") == ["one\nthree"]


def test_an_auditor_looks_on_and_another_tenants_memory_is_not_there(world, elsewhere, desk, bob):
    chunk, theirs = world.chunk(), elsewhere.chunk()
    auditor = desk(world.bob_name.replace("bob", "auditor")).client
    for op in ("amend", "retract", "quarantine", "block", "attenuate"):
        for method in (auditor.get, auditor.post):
            assert method(f"{CHUNKS}{chunk}/{op}/").status_code == 403
        assert bob.get(f"{CHUNKS}{theirs}/{op}/").status_code == 404
    assert acts_on(auditor, f"{CHUNKS}{chunk}/change/") == []
    assert acts_on(bob, f"{CHUNKS}{chunk}/change/") == [
        *(
            "amend",
            "attenuate",
            "block",
            "audience",
            "quarantine",
            "retract",
            "replace-value",
            "forget-value",
            "promote",
        )
    ]
    page = auditor.get(f"{CHUNKS}browse/", {"agent": str(world.alice_principal.id)}).content.decode()
    assert "Correct it" not in page


def test_what_is_retracted_is_reverted_and_not_corrected(world, bob):
    chunk = world.chunk()
    edit = propose(bob, f"{CHUNKS}{chunk}/retract/").headers["Location"].split("/")[-3]
    assert acts_on(bob, f"{CHUNKS}{chunk}/change/") == []
    page = f"/admin/governance/edit/{edit}/change/"
    assert acts_on(bob, page) == ["revert"]
    assert bob.post(f"/admin/governance/edit/{edit}/revert/", {"reason": ""}).status_code == 400
    assert bob.post(f"/admin/governance/edit/{edit}/revert/", {"reason": "it was true"}).status_code == 302
    assert world.found("fox") == ["The quick brown fox"]
    assert acts_on(bob, page) == []
    assert bob.post(f"/admin/governance/edit/{edit}/revert/", {"reason": "again"}).status_code == 409


def test_looking_at_the_words_is_logged_and_changes_nothing(world, bob):
    chunk = world.chunk()
    bob.get(f"{CHUNKS}{chunk}/change/")
    with world.inside():
        assert not AccessRecord.objects.filter(target_id=chunk).exists()
    bob.get(f"{CHUNKS}{chunk}/retract/")
    with world.inside():
        assert AccessRecord.objects.get(target_id=chunk).action == "words.viewed"
        assert not Edit.objects.exists()
