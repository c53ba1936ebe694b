"""A person corrects a capsule from its own page, and a reviewer sees its note and its risks."""

import html
import re

import pytest

from governance.models import Edit
from tests.admin.managing import acts_on

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

CAPSULES = "/admin/capsules/effectivecapsule/"


@pytest.fixture
def bob(world, desk):
    """The reviewer's browser."""
    return desk(world.bob_name).client


@pytest.fixture
def capsule(world, handed):
    return handed([world.chunk()], note="Jon is angry", risks=["Jon may leave", "Jon\nowes us"])


def form_of(client, address):
    """What the form of an act carries back when nothing is changed: a browser sends line ends as CR LF."""
    page = client.get(address).content.decode()
    (state,) = re.findall(r'name="seen" value="(\w{64})"', page)
    areas = re.findall(r'<textarea name="(\w+)"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    fields = {name: html.unescape(text).replace("\n", "\r\n") for name, text in areas}
    return {**fields, "seen": state, "reason": "a test"}


def propose(client, capsule, **fields):
    address = f"{CAPSULES}{capsule}/amend/"
    return client.post(address, {**form_of(client, address), **fields})


def words(world, capsule):
    read = world.alice.ok("get", f"capsules/{capsule}")
    return read["note"], read["risks"]


def patch_of(world, answer):
    assert answer.status_code == 302, answer.content.decode()
    return world.bob.ok("get", f"edits/{answer.headers['Location'].split('/')[-3]}")["patch"]


def test_the_form_has_the_note_and_each_risk(bob, capsule):
    address = f"{CAPSULES}{capsule}/amend/"

    fields = form_of(bob, address)

    assert (fields["text"], fields["risk_1"], fields["risk_2"]) == ("Jon is angry", "Jon may leave", "Jon\r\nowes us")
    assert [fields[f"risk_{number}"] for number in (3, 4, 5)] == ["", "", ""]
    assert "Risk: Jon may leave" in bob.get(address).content.decode()


@pytest.mark.parametrize(
    ("fields", "patch"),
    [
        ({"text": "John is calm"}, {"text": "John is calm"}),
        ({"risk_1": "John may stay"}, {"risks": ["John may stay", "Jon\nowes us"]}),
        ({"risk_1": ""}, {"risks": ["Jon\nowes us"]}),
        ({"risk_1": "", "risk_2": " "}, {"risks": []}),
        ({"risk_4": "another"}, {"risks": ["Jon may leave", "Jon\nowes us", "another"]}),
        ({"text": "John is calm", "risk_2": ""}, {"text": "John is calm", "risks": ["Jon may leave"]}),
    ],
)
def test_what_was_changed_is_proposed_and_nothing_else(world, bob, capsule, fields, patch):
    assert patch_of(world, propose(bob, capsule, **fields)) == patch
    assert words(world, capsule) == (
        patch.get("text", "Jon is angry"),
        patch.get("risks", ["Jon may leave", "Jon\nowes us"]),
    )


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "This edit changes nothing"),
        ({"text": ""}, "must not be empty"),
        ({"risk_1": "x" * 2001}, "no more than 2000"),
        ({"text": "Another", "reason": ""}, "required"),
    ],
)
def test_what_does_not_fit_is_refused(world, bob, capsule, fields, told):
    answer = propose(bob, capsule, **fields)

    assert (answer.status_code, told in answer.content.decode()) == (400, True)
    with world.inside():
        assert not Edit.objects.exists()


def test_a_capsule_without_words_is_given_some(world, bob, handed):
    capsule = handed([world.chunk()])

    assert patch_of(world, propose(bob, capsule, risk_1="Jon may leave")) == {"risks": ["Jon may leave"]}


def test_what_changed_since_is_not_overwritten(world, bob, capsule):
    address = f"{CAPSULES}{capsule}/amend/"
    old = form_of(bob, address)
    world.edit(capsule, "amend", target_type="capsule", risks=[])

    answer = bob.post(address, {**old, "risk_5": "typed"})

    assert answer.status_code == 409
    assert "typed" in answer.content.decode(), "what was typed is lost"
    assert words(world, capsule) == ("Jon is angry", [])


def test_who_may_decide_may_correct_a_capsule_and_nobody_else(world, desk, bob, capsule):
    auditor = desk(world.bob_name.replace("bob", "auditor")).client

    assert acts_on(bob, f"{CAPSULES}{capsule}/change/") == ["amend", "attenuate", "block", "quarantine", "retract"]
    assert acts_on(auditor, f"{CAPSULES}{capsule}/change/") == []
    assert auditor.get(f"{CAPSULES}{capsule}/amend/").status_code == 403


def test_a_reviewer_sees_note_and_risks_word_by_word(strict_world, desk):
    world = strict_world
    capsule = _handed_in(world)
    waiting = world.edit(capsule, "amend", target_type="capsule", by=world.alice, risks=["Jon may stay"])["edit_id"]

    sides = desk(world.bob_name).open(waiting).context

    assert sides["before"] == "Jon is angry\nRisk: Jon may <del>leave</del>"
    assert sides["after"] == "Jon is angry\nRisk: Jon may <ins>stay</ins>"


def test_the_page_of_an_amend_in_effect_shows_what_it_does(world, bob, capsule):
    edit = propose(bob, capsule, risk_1="Jon may stay").headers["Location"]

    page = bob.get(edit).content.decode()

    assert "Without it" in page
    assert "<del>leave</del>" in page
    assert "<ins>stay</ins>" in page
    cancels = {"edit_id": edit.split("/")[-3]}
    revert = world.edit(capsule, "revert", target_type="capsule", by=world.alice, **cancels)["edit_id"]
    page = bob.get(f"/admin/governance/edit/{revert}/change/").content.decode()
    assert "<del>stay</del>" in page
    assert "<ins>leave</ins>" in page


def _handed_in(world):
    body = {
        "subject_type": "user", "subject_id": "jack", "scope": "user", "audience_agent_ids": ["alice"],
        "items": {"chunks": [world.chunk()]}, "note": "Jon is angry", "risks": ["Jon may leave"],
    }  # fmt: skip
    return world.alice.ok("post", "capsules", body)["capsule_id"]
