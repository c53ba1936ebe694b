"""What one door refuses, every door refuses, in the same words: here the API and the forms of the admin."""

import html
import re

import pytest

from governance.models import Edit

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

ESC = "Jon\x1b[2J"
NOT_TAKEN = "Character 4 is the control character U+001B; only tab and line breaks are allowed."


def at_most(length):
    return f"Ensure this field has no more than {length} characters."


@pytest.fixture
def bob(world, desk):
    """The reviewer's browser."""
    return desk(world.bob_name).client


@pytest.fixture
def target(world, handed):
    """`target(kind)` is the id of something to edit, and the address of its page in the admin."""

    def make(kind):
        if kind == "capsule":
            capsule = handed([world.chunk()], note="Jon is angry", risks=["Jon may leave"])
            return capsule, f"/admin/capsules/effectivecapsule/{capsule}/"
        if kind == "decision":
            said = world.event("Jon pays", kind="decision", content={"decision": "Jon pays"})
            return said["decision_id"], f"/admin/memory/effectivedecision/{said['decision_id']}/"
        chunk = world.chunk("My name is Jon")
        return chunk, f"/admin/memory/effectivechunk/{chunk}/"

    return make


@pytest.mark.parametrize(
    ("kind", "patch", "fields", "reason", "fault"),
    [
        ("chunk", {"text": ESC}, {"text": ESC}, "a test", NOT_TAKEN),
        ("chunk", {"text": "x" * 1_000_001}, {"text": "x" * 1_000_001}, "a test", at_most(1_000_000)),
        ("chunk", {"text": "John"}, {"text": "John"}, ESC, NOT_TAKEN),
        ("chunk", {"text": "John"}, {"text": "John"}, "x" * 2_001, at_most(2_000)),
        ("decision", {"text": ESC}, {"text": ESC}, "a test", NOT_TAKEN),
        ("capsule", {"text": ESC}, {"text": ESC}, "a test", NOT_TAKEN),
        ("capsule", {"text": "x" * 20_001}, {"text": "x" * 20_001}, "a test", at_most(20_000)),
        ("capsule", {"risks": [ESC]}, {"risk_1": ESC}, "a test", NOT_TAKEN),
        ("capsule", {"risks": ["x" * 2_001]}, {"risk_1": "x" * 2_001}, "a test", at_most(2_000)),
    ],
)
def test_an_amend_is_refused_in_the_same_words(world, bob, target, kind, patch, fields, reason, fault):
    target_id, page = target(kind)

    by_api = world.bob.post(
        "edits", {"target_type": kind, "target_id": target_id, "op": "amend", "reason": reason, "patch": patch}
    )
    form = bob.get(f"{page}amend/").content.decode()
    (state,) = re.findall(r'name="seen" value="(\w{64})"', form)
    note = {"text": "Jon is angry"} if kind == "capsule" else {}
    once = re.findall(r'name="once" value="([\w-]+)"', form)[0]
    by_admin = bob.post(f"{page}amend/", {**note, **fields, "reason": reason, "seen": state, "once": once})

    assert (by_api.status_code, by_api.json()["detail"]) == (400, fault)
    assert (by_admin.status_code, fault in html.unescape(by_admin.content.decode())) == (400, True)
    with world.inside():
        assert not Edit.objects.exists()


@pytest.mark.parametrize(("reason", "fault"), [(ESC, NOT_TAKEN), ("x" * 2_001, at_most(2_000))])
@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_a_verdict_is_refused_in_the_same_words(world, bob, verb, reason, fault):
    edit = world.edit(world.chunk(), "quarantine", by=world.alice)["edit_id"]

    by_api = world.bob.post(f"edits/{edit}/{verb}", {"reason": reason})
    by_admin = bob.post(f"/admin/governance/edit/{edit}/{verb}/", {"reason": reason})

    assert (by_api.status_code, by_api.json()["detail"]) == (400, fault)
    assert (by_admin.status_code, fault in html.unescape(by_admin.content.decode())) == (400, True)
    assert world.bob.ok("get", f"edits/{edit}")["status"] == "pending"
