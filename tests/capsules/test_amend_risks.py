"""Amends of a capsule's risks: note and risks each say what the last amend says that replaces them."""

import hashlib
import json
from typing import Any

import pytest

from governance.models import Edit
from memory import maintenance

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

NOTE, RISKS = "Jon is angry", ["Jon may leave", "Jon owes us money"]


@pytest.fixture
def capsule(world, handed):
    """A capsule of alice's for bob, with a note and two risks."""
    return handed([world.chunk("the chunk")], note=NOTE, risks=RISKS, to=["agent-bob"], may_forward=True)


def amend(world, capsule, **patch):
    return world.edit(capsule, "amend", target_type="capsule", **patch)["edit_id"]


def words(api, capsule):
    read = api.ok("get", f"capsules/{capsule}")
    assert read["withheld"] is None
    return read["note"], read["risks"]


def preview(api, capsule, op, **patch):
    return api.post("edits/preview", {"target_type": "capsule", "target_id": capsule, "op": op, "patch": patch})


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"text": "John is calm"}, ("John is calm", RISKS)),
        ({"risks": ["John may stay"]}, (NOTE, ["John may stay"])),
        ({"text": "John is calm", "risks": ["a", "b", "c"]}, ("John is calm", ["a", "b", "c"])),
        ({"risks": []}, (NOTE, [])),
        ({"importance": 0.9}, (NOTE, RISKS)),
        ({"risks": ["two\nlines", '"quoted" \\ and é']}, (NOTE, ["two\nlines", '"quoted" \\ and é'])),
    ],
)
def test_what_the_patch_does_not_name_stays_as_it_is(world, given, capsule, patch, expected):
    edit = amend(world, capsule, **patch)

    assert words(given("agent-bob"), capsule) == expected
    assert world.bob.ok("get", f"edits/{edit}")["patch"] == patch
    assert maintenance.find_drift(world.tenant_id) == []


def test_a_capsule_without_words_is_given_some(world, given, handed):
    capsule = handed([world.chunk()])

    amend(world, capsule, risks=["Jon may leave"])

    assert words(given("agent-bob"), capsule) == (None, ["Jon may leave"])
    amend(world, capsule, text="Take care")
    assert words(given("agent-bob"), capsule) == ("Take care", ["Jon may leave"])


def test_a_note_in_the_form_of_an_amend_is_a_note(world, given, handed):
    note = '{"text":"another","risks":["none"]}'
    capsule = handed([world.chunk()], note=note)
    assert words(given("agent-bob"), capsule) == (note, [])
    assert world.alice.post("capsules", {"note": f"\x1e{note}"}).status_code == 400
    amend(world, capsule, text=note, risks=[note])
    assert words(given("agent-bob"), capsule) == (note, [note])


def folded(history):
    """The plain model: the words after some amends, of which those that are reverted do nothing."""
    note, risks = NOTE, RISKS
    for patch, is_reverted in history:
        if is_reverted:
            continue
        note, risks = patch.get("text", note), patch.get("risks", risks)
    return note, risks


def test_of_many_amends_the_last_that_is_not_reverted_counts_for_each(world, given, capsule):
    patches: list[dict[str, Any]] = [
        {"text": "one"},
        {"risks": ["two"]},
        {"text": "four", "risks": ["four"]},
        {"importance": 0.7},
        {"risks": []},
        {"text": "seven"},
    ]
    history = []
    for patch in patches:
        history.append([patch, False, amend(world, capsule, **patch)])
        assert words(given("agent-bob"), capsule) == folded([one[:2] for one in history])

    for place in (2, 4, 1, 5, 0):
        after = preview(world.bob, capsule, "revert", edit_id=history[place][2]).json()["after"]
        world.bob.ok("post", f"edits/{history[place][2]}/revert", {"reason": "a test"})
        history[place][1] = True

        expected = folded([one[:2] for one in history])
        assert words(given("agent-bob"), capsule) == (after["text"], after["risks"]) == expected
        assert maintenance.find_drift(world.tenant_id) == []
    assert words(given("agent-bob"), capsule) == (NOTE, RISKS)


def test_it_holds_for_what_was_forwarded(world, given, capsule):
    given("agent-charlie")
    body = {"audience_agent_ids": ["agent-charlie"]}
    before = given("agent-bob").ok("post", f"capsules/{capsule}/forward", body)["capsule_id"]

    amend(world, capsule, risks=["John may stay"])

    after = given("agent-bob").ok("post", f"capsules/{capsule}/forward", body)["capsule_id"]
    for forwarded in (before, after):
        assert words(given("agent-charlie"), forwarded) == (NOTE, ["John may stay"])
    amend(world, before, text="For charlie")
    assert words(given("agent-charlie"), before) == ("For charlie", ["John may stay"])
    assert words(given("agent-bob"), capsule) == (NOTE, ["John may stay"])
    assert maintenance.find_drift(world.tenant_id) == []


def test_a_bundle_and_a_list_have_the_amended_risks(world, given, capsule):
    amend(world, capsule, risks=["John may stay"])
    bob = given("agent-bob")
    asked = {"session_id": "s", "channel": "private", "subject_type": "user", "subject_id": "jack-doe-123"}

    (injected,) = bob.ok("post", "acb/build", asked)["acb"]["capsules"]
    text = bob.ok("post", "acb/build", {**asked, "format": "text"})["acb"]["text"]

    assert (injected["note"], injected["risks"]) == (NOTE, ["John may stay"])
    assert "Risk: John may stay" in text
    assert "Jon may leave" not in text
    assert [one["risks"] for one in bob.ok("get", "capsules")["results"]] == [["John may stay"]]


def test_a_replayed_bundle_tells_that_the_risks_changed(world, given, capsule):
    asked = {"session_id": "s", "channel": "private", "subject_type": "user", "subject_id": "jack-doe-123"}
    acb_id = given("agent-bob").ok("post", "acb/build", asked)["acb"]["acb_id"]
    amend(world, capsule, risks=["John may stay"])

    items = given("agent-bob").ok("get", f"acb/{acb_id}")["items"]

    (item,) = [one for one in items if one["kind"] == "capsule"]
    assert (item["text"], item["changed_since"]) == (f"Note: {NOTE}\nRisk: John may stay", True)


@pytest.mark.parametrize(
    ("target_type", "op", "detail"),
    [
        ("chunk", "amend", "The operation amend accepts importance or text, not risks."),
        ("decision", "amend", "The operation amend accepts importance or text, not risks."),
        ("capsule", "attenuate", "The operation attenuate accepts importance or importance_delta, not risks."),
        ("capsule", "retract", "The operation retract accepts no patch field, not risks."),
        ("chunk", "block", "The operation block accepts channel, not risks."),
    ],
)
def test_risks_of_anything_else_are_refused_wherever_they_are_proposed(world, capsule, target_type, op, detail):
    event = world.event("decided", kind="decision", content={"decision": "Serve tea"})
    target = {"chunk": event["chunk_ids"][0], "decision": event["decision_id"], "capsule": capsule}[target_type]
    asked = {"target_type": target_type, "target_id": target, "op": op, "patch": {"risks": ["a"]}}
    one = {**asked, "reason": "a test"}

    answers = {
        "#/patch/risks": [world.bob.post("edits", one), world.bob.post("edits/preview", asked)],
        "#/edits/0/patch/risks": [world.bob.post("edits/bulk", {"edits": [one]})],
    }

    for pointer, refused in answers.items():
        for answer in refused:
            assert answer.status_code == 400
            (error,) = answer.json()["errors"]
            assert (error["pointer"], error["detail"]) == (pointer, detail)


def test_risks_by_filter_are_refused(world, capsule):
    body = {"filter": {"recorder": "alice"}, "op": "amend", "reason": "a test", "patch": {"risks": ["a"]}}
    assert world.bob.post("edits/by-filter", body).status_code == 400


@pytest.mark.parametrize(
    ("patch", "pointer"),
    [
        ({"risks": [" "]}, "#/patch/risks/0"),
        ({"risks": ["a", "b" * 2001]}, "#/patch/risks/1"),
        ({"risks": ["a"] * 101}, "#/patch/risks"),
        ({"risks": "a"}, "#/patch/risks"),
        ({"risks": ["a"], "text": " "}, "#/patch/text"),
        ({}, "#/patch"),
    ],
)
def test_the_limits_are_those_of_a_new_capsule(world, given, capsule, patch, pointer):
    body = {"target_type": "capsule", "target_id": capsule, "op": "amend", "reason": "a test", "patch": patch}

    answer = world.bob.post("edits", body)

    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    assert words(given("agent-bob"), capsule) == (NOTE, RISKS)


def test_a_batch_amends_risks_too(world, given, capsule):
    one = {"target_type": "capsule", "target_id": capsule, "op": "amend", "reason": "a test"}
    edits = [{**one, "patch": {"risks": ["John may stay"]}}, {**one, "patch": {"text": "John is calm"}}]

    world.bob.ok("post", "edits/bulk", {"edits": edits})

    assert words(given("agent-bob"), capsule) == ("John is calm", ["John may stay"])


def test_secrets_are_taken_out_of_risks(world, given, capsule):
    key = "sk-" + "a" * 40

    edit = amend(world, capsule, risks=[f"The key is {key}", "harmless"])

    for answer in (given("agent-bob").get(f"capsules/{capsule}"), world.bob.get(f"edits/{edit}")):
        assert key not in answer.content.decode()
        assert "harmless" in answer.content.decode()


def test_the_patch_hash_is_over_the_risks(world, owner, capsule):
    edit_id = amend(world, capsule, text="John is calm", risks=["John may stay"])

    with world.inside():
        edit = Edit.objects.get(tenant_id=world.tenant_id, id=edit_id)
    with world.inside("owner"):
        (content,) = owner(
            "SELECT salt, body FROM governance_content WHERE tenant_id = %s AND id = %s",
            [world.tenant_id, edit.content_id],
        )
    assert "John may stay" in content["body"]
    text_sha256 = hashlib.sha256(bytes(content["salt"]) + content["body"].encode()).hexdigest()
    document = {
        "op": "amend", "patch": {"text_sha256": text_sha256}, "target_id": capsule, "target_type": "capsule"
    }  # fmt: skip
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    assert bytes(edit.patch_sha256) == hashlib.sha256(canonical.encode()).digest()


def test_a_preview_shows_the_risks_before_and_after(world, given, capsule):
    told = preview(given("agent-bob"), capsule, "amend", risks=["John may stay"]).json()

    assert (told["before"]["text"], told["before"]["risks"]) == (NOTE, RISKS)
    assert (told["after"]["text"], told["after"]["risks"]) == (NOTE, ["John may stay"])
    assert "risks" not in preview(world.bob, capsule, "retract").json()["after"]
    assert words(given("agent-bob"), capsule) == (NOTE, RISKS)


def test_an_agent_is_not_previewed_risks_that_were_amended_away(world, given, capsule):
    edit = amend(world, capsule, risks=["John may stay"])

    refused = preview(given("agent-bob"), capsule, "revert", edit_id=edit)

    assert refused.status_code == 403
    assert refused.json()["type"].endswith("words-not-in-effect")
    assert "leave" not in refused.content.decode()
    assert preview(world.bob, capsule, "revert", edit_id=edit).json()["after"]["risks"] == RISKS


def test_risks_are_withheld_from_an_agent_with_the_capsule(world, given, capsule):
    edit = world.edit(capsule, "amend", target_type="capsule", by=given("agent-bob"), risks=["John may stay"])
    world.edit(capsule, "retract", target_type="capsule")

    seen = given("agent-bob").ok("get", f"edits/{edit['edit_id']}")

    assert (seen["withheld"], seen["patch"]) == ("retracted", {})


def test_a_verdict_is_tied_to_the_risks(world, given, capsule):
    waiting = world.edit(capsule, "retract", target_type="capsule", by=given("agent-bob"))["edit_id"]
    seen = world.bob.ok("get", f"edits/{waiting}")["target_state"]

    amend(world, capsule, risks=["John may stay"])

    assert world.ann.post(f"edits/{waiting}/approve", {"target_state": seen}).status_code == 409
