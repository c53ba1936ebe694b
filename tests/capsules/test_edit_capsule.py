"""Edits of a capsule, through the workflow of every edit."""

import uuid

import pytest

from capsules.models import EffectiveCapsule


@pytest.fixture
def capsule(world, handed):
    """A capsule of alice's for bob, with a note and a risk."""
    return handed([world.chunk("the chunk")], note="Jon is angry", risks=["Jon may leave"], to=["agent-bob"])


def edit(world, capsule, op, **patch):
    return world.edit(capsule, op, target_type="capsule", **patch)


def test_retracted_it_is_gone_for_everybody(world, given, capsule):
    edit(world, capsule, "retract")

    for api in (world.alice, given("agent-bob"), given("agent-charlie"), world.bob, world.auditor):
        assert api.get(f"capsules/{capsule}").status_code == 404
        assert api.get(f"capsules/{capsule}/usage").status_code == 404
        assert api.ok("get", "capsules?include_quarantined=true")["results"] == []
    assert world.alice.ok("get", "capsules?authored=true")["results"] == []
    assert world.alice.request("delete", f"capsules/{capsule}").status_code == 404
    assert given("agent-bob").post(f"capsules/{capsule}/forward", {"audience_agent_ids": ["alice"]}).status_code == 404


def test_a_reverted_retract_gives_it_back(world, given, capsule):
    retract = edit(world, capsule, "retract")["edit_id"]

    world.bob.ok("post", f"edits/{retract}/revert", {"reason": "a mistake"})

    assert given("agent-bob").ok("get", f"capsules/{capsule}")["note"] == "Jon is angry"


def test_amended_it_says_the_new_words(world, given, capsule):
    edit(world, capsule, "amend", text="John is calm", risks=["John may stay"], importance=0.9)

    response = given("agent-bob").get(f"capsules/{capsule}")

    read = response.json()
    assert (read["note"], read["risks"]) == ("John is calm", ["John may stay"])
    assert (read["importance"], read["edits_applied"]) == (0.9, 1)
    assert "Jon " not in response.content.decode()
    assert read["items"]["chunks"][0]["text"] == "the chunk"


def test_an_amended_importance_leaves_the_words(world, given, capsule):
    edit(world, capsule, "amend", importance=0.9)

    read = given("agent-bob").ok("get", f"capsules/{capsule}")
    assert (read["note"], read["risks"], read["importance"]) == ("Jon is angry", ["Jon may leave"], 0.9)


def test_quarantined_it_is_read_by_its_id_and_marked(world, given, capsule):
    edit(world, capsule, "quarantine")

    read = given("agent-bob").ok("get", f"capsules/{capsule}")
    assert (read["is_quarantined"], read["note"]) == (True, "Jon is angry")
    assert given("agent-bob").ok("get", "capsules")["results"] == []


def test_attenuated_it_weighs_less(world, given, capsule):
    edit(world, capsule, "attenuate", importance_delta=-0.2)

    assert given("agent-bob").ok("get", f"capsules/{capsule}")["importance"] == 0.3


def test_blocked_it_says_nothing_in_that_channel(world, given, capsule):
    edit(world, capsule, "block", channel="public")
    bob = given("agent-bob")

    response = bob.get(f"capsules/{capsule}?channel=public")

    assert response.json()["withheld"] == "blocked"
    assert response.json()["items"] == {"chunks": [], "decisions": [], "artifacts": []}
    for word in ("Jon", "the chunk"):
        assert word not in response.content.decode()
    assert bob.ok("get", "capsules?channel=public")["results"] == bob.ok("get", "capsules")["results"] == []
    assert bob.ok("get", f"capsules/{capsule}?channel=private")["note"] == "Jon is angry"
    assert len(bob.ok("get", "capsules?channel=private")["results"]) == 1


def test_an_agents_retract_waits_for_a_person(world, given, capsule):
    waiting = world.edit(capsule, "retract", target_type="capsule", by=given("agent-bob"))
    assert waiting["status"] == "pending"
    assert given("agent-bob").get(f"capsules/{capsule}").status_code == 200
    seen = world.bob.ok("get", f"edits/{waiting['edit_id']}")

    world.bob.ok("post", f"edits/{waiting['edit_id']}/approve", {"target_state": seen["target_state"]})

    assert given("agent-bob").get(f"capsules/{capsule}").status_code == 404


def test_a_verdict_on_a_capsule_that_has_changed_is_refused(world, given, capsule):
    waiting = world.edit(capsule, "retract", target_type="capsule", by=given("agent-bob"))["edit_id"]
    seen = world.bob.ok("get", f"edits/{waiting}")["target_state"]
    edit(world, capsule, "attenuate", importance=0.1)

    assert world.ann.post(f"edits/{waiting}/approve", {"target_state": seen}).status_code == 409


def test_an_agent_outside_the_audience_edits_nothing(world, given, capsule, charlie):
    body = {"target_type": "capsule", "target_id": capsule, "op": "amend", "reason": "x", "patch": {"text": "y"}}

    unknown = given("agent-charlie").post("edits", {**body, "target_id": str(uuid.UUID(int=1))})
    for api in (given("agent-charlie"), charlie):
        response = api.post("edits", body)
        assert response.status_code == unknown.status_code
        assert response.json()["type"] == unknown.json()["type"]


def test_a_preview_shows_the_note_before_and_after(world, given, capsule):
    body = {"target_type": "capsule", "target_id": capsule, "op": "amend", "patch": {"text": "John is calm"}}

    preview = given("agent-bob").ok("post", "edits/preview", body)

    assert (preview["before"]["text"], preview["after"]["text"]) == ("Jon is angry", "John is calm")
    assert given("agent-charlie").post("edits/preview", body).status_code == 404


def test_a_preview_of_a_revert_is_the_fold(world, capsule):
    amended = edit(world, capsule, "amend", text="John is calm")["edit_id"]
    body = {"target_type": "capsule", "target_id": capsule, "op": "revert", "patch": {"edit_id": amended}}

    preview = world.bob.ok("post", "edits/preview", body)

    assert (preview["before"]["text"], preview["after"]["text"]) == ("John is calm", "Jon is angry")


def test_the_projection_is_the_fold_of_its_edits(world, capsule):
    edit(world, capsule, "attenuate", importance_delta=0.4)
    edit(world, capsule, "attenuate", importance_delta=0.4)
    edit(world, capsule, "block", channel="team")
    edit(world, capsule, "block", channel="public")

    with world.inside():
        row = EffectiveCapsule.objects.get(tenant_id=world.tenant_id, id=capsule)
    assert (str(row.importance), row.blocked_channels, row.edits_applied) == ("1.0000", ["public", "team"], 4)


def test_the_review_page_shows_a_capsule(world, client, given, capsule):
    waiting = world.edit(capsule, "amend", target_type="capsule", by=given("agent-bob"), text="John is calm")
    assert waiting["status"] == "pending"
    retract = world.edit(capsule, "retract", target_type="capsule", by=given("agent-bob"))["edit_id"]

    assert world.bob.ok("get", f"edits/{retract}")["target_type"] == "capsule"
