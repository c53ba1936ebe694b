"""Proposing an edit: who may, on what, with which patch, and whether it waits."""

import uuid
from itertools import product
from typing import Any

import pytest

from governance.acting.credentials import system
from governance.edits import policies
from governance.models import Edit, EditState, Entry, PolicyRule, Verdict
from memory.models import EffectiveChunk
from tests.factories import EditFactory
from tests.owning import as_owner


def propose(api, target, op="amend", patch=None, **fields):
    patch = {"text": "Corrected"} if patch is None and op == "amend" else patch or {}
    return api.post("edits", EditFactory(target_id=str(target), op=op, patch=patch, **fields))


def counts(world):
    with world.inside():
        return [model.objects.filter(tenant_id=world.tenant_id).count() for model in (Edit, EditState, Verdict, Entry)]


def patch_of(op, chunk_edit=None):
    return {
        "amend": {"text": "Corrected"},
        "attenuate": {"importance_delta": -0.1},
        "block": {"channel": "public"},
        "audience": {"audience": {"principals": ["agent:alice"]}},
        "revert": {"edit_id": chunk_edit},
    }.get(op, {})


OPS = ["retract", "amend", "quarantine", "attenuate", "block", "audience", "revert"]
WAITING = {
    "standard": {("agent", op) for op in ("quarantine", "block", "audience", "revert")},
    "strict": {(kind, op) for kind in ("agent", "human") for op in OPS},
    "open": set(),
}


def test_it_works(world):
    chunk = world.chunk("Original")

    response = propose(world.alice, chunk)

    assert response.status_code == 201
    answer = response.json()
    assert set(answer) == {"edit_id", "status", "applied_at", "approvals", "approvals_required"}
    assert (answer["status"], answer["approvals"], answer["approvals_required"]) == ("approved", 0, 0)
    assert world.found("corrected") == ["Corrected"]


@pytest.mark.parametrize("policy", ["standard", "strict", "open"])
def test_the_policy_decides_what_waits(new_world, policy):
    world = new_world(policy)
    for kind, op in product(("agent", "human"), OPS):
        chunk = world.chunk(f"{op} by {kind}", channel="team")
        earlier = world.edit(chunk, "attenuate", by=world.alice, importance=0.1)["edit_id"]
        if policy == "strict":
            world.ann.decide(earlier)

        answer = propose(world.alice if kind == "agent" else world.bob, chunk, op, patch_of(op, earlier)).json()

        waits = (kind, op) in WAITING[policy]
        assert answer["status"] == ("pending" if waits else "approved"), (kind, op)
        assert answer["approvals_required"] == (1 if waits else 0), (kind, op)
        assert ("applied_at" in answer) is not waits, (kind, op)
        with world.inside():
            row = EffectiveChunk.objects.get(tenant_id=world.tenant_id, id=chunk)
            # the earlier edit, and this one unless it waits; a revert takes itself and the other away
            assert row.edits_applied == (1 if waits else 0 if op == "revert" else 2), (kind, op)


def test_a_policy_says_which_decided(world):
    edit = world.edit(world.chunk(), "retract")

    shown = world.bob.ok("get", f"edits/{edit['edit_id']}")

    assert (shown["policy"], shown["approved_by"]) == ("standard", "policy:standard")
    (verdict,) = shown["verdicts"]
    assert (verdict["decision"], verdict["decider_kind"], verdict["decider"]) == (
        "approved",
        "policy",
        "policy:standard",
    )


def test_the_policy_at_proposal_time_governs_the_edit_for_good(world):
    chunk = world.chunk("Original")
    waiting = world.edit(chunk, "quarantine", by=world.alice)
    with world.inside():
        policies.use_preset(world.tenant_id, "open", actor=system(world.tenant_id, "a test"))

    assert world.bob.ok("get", f"edits/{waiting['edit_id']}")["status"] == "pending"
    assert world.found("original") == ["Original"]
    assert world.edit(world.chunk("Another"), "quarantine", by=world.alice)["status"] == "approved"


def test_a_rule_for_a_sensitivity_is_stronger_than_the_rule_for_any(world):
    with world.inside(), as_owner():
        PolicyRule.objects.create(
            tenant_id=world.tenant_id, op="amend", proposer_kind="agent", sensitivity="high", approvals=2
        )

    ordinary = world.edit(world.chunk(), "amend", by=world.alice, text="x")
    sensitive = world.edit(world.chunk(sensitivity="high"), "amend", by=world.alice, text="x")

    assert (ordinary["approvals_required"], sensitive["approvals_required"]) == (0, 2)


def test_without_a_rule_two_must_approve(world):
    with world.inside(), as_owner():
        PolicyRule.objects.filter(tenant_id=world.tenant_id).delete()

    assert world.edit(world.chunk(), "amend", by=world.bob, text="x")["approvals_required"] == 2


def test_the_proposal_is_recorded_in_the_ledger_without_its_words(world):
    edit = world.edit(world.chunk(), "amend", by=world.alice, text="unspeakable", reason="because")

    with world.inside():
        entries = list(Entry.objects.filter(tenant_id=world.tenant_id).order_by("seq"))
    proposed, approved = entries[-2:]
    assert (proposed.type, approved.type) == ("edit.proposed", "edit.approved")
    assert proposed.metadata["edit"] == approved.metadata["edit"] == edit["edit_id"]
    assert proposed.metadata["reason"] == "because"
    assert proposed.metadata["actor"]["name"] == "alice"
    assert not any(b"unspeakable" in bytes(entry.canonical) for entry in entries)


def test_an_auditor_proposes_nothing(world):
    chunk = world.chunk()
    before = counts(world)

    assert propose(world.auditor, chunk).status_code == 403
    assert counts(world) == before


def test_without_a_key_nobody_proposes(world, nobody):
    assert nobody("post", "edits", {}).status_code == 401


@pytest.mark.parametrize("target_type", ["chunk", "decision", "capsule"])
def test_an_unknown_target_is_404(world, target_type):
    response = propose(world.bob, uuid.uuid4(), "retract", target_type=target_type)

    assert response.status_code == 404
    assert response.json()["errors"][0]["pointer"] == "#/target_id"


def test_another_tenants_target_is_404_like_an_unknown_one(world, elsewhere):
    theirs = elsewhere.chunk("Original")
    before = counts(elsewhere)

    response, unknown = propose(world.bob, theirs), propose(world.bob, uuid.uuid4())

    assert response.status_code == unknown.status_code == 404
    assert response.json()["title"] == unknown.json()["title"]
    assert counts(elsewhere) == before
    assert elsewhere.found("original") == ["Original"]


def test_a_chunk_is_no_decision(world):
    assert propose(world.bob, world.chunk(), target_type="decision").status_code == 404


MISFITS = [
    ("retract", {"text": "x"}, "#/patch/text"),
    ("quarantine", {"importance": 0.1}, "#/patch/importance"),
    ("amend", {}, "#/patch"),
    ("amend", {"channel": "public"}, "#/patch/channel"),
    ("amend", {"text": ""}, "#/patch/text"),
    ("amend", {"text": "  \n"}, "#/patch/text"),
    ("amend", {"text": 5}, "#/patch/text"),
    ("amend", {"text": "x", "importance": 1.1}, "#/patch/importance"),
    ("amend", {"importance": -0.1}, "#/patch/importance"),
    ("amend", {"importance": 0.12345}, "#/patch/importance"),
    ("amend", {"importance": "high"}, "#/patch/importance"),
    ("attenuate", {}, "#/patch"),
    ("attenuate", {"importance": 0.5, "importance_delta": 0.1}, "#/patch"),
    ("attenuate", {"importance_delta": -1.5}, "#/patch/importance_delta"),
    ("attenuate", {"text": "x"}, "#/patch/text"),
    ("block", {}, "#/patch"),
    ("block", {"channel": "everywhere"}, "#/patch/channel"),
    ("revert", {}, "#/patch"),
    ("revert", {"edit_id": "the last one"}, "#/patch/edit_id"),
    ("amend", {"text": "x", "approved": True}, "#/patch/approved"),
    ("amend", [], "#/patch"),
    ("amend", "x", "#/patch"),
]


def test_a_patch_that_does_not_fit_names_its_place_and_changes_nothing(world):
    for op, patch, pointer in MISFITS:
        chunk = world.chunk()
        before = counts(world)
        body = EditFactory(target_id=chunk, op=op, patch=patch)

        response = world.bob.post("edits", body)

        assert response.status_code == 400, response.content
        assert pointer in {error["pointer"] for error in response.json()["errors"]}, response.json()
        assert counts(world) == before, (op, patch)


WRONG_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"op": "erase"}, "#/op"),
    ({"target_type": "event"}, "#/target_type"),
    ({"target_id": "chunk-1"}, "#/target_id"),
    ({"reason": ""}, "#/reason"),
    ({"reason": None}, "#/reason"),
    ({"proposed_by": "somebody else"}, "#/proposed_by"),
    ({"status": "approved"}, "#/status"),
    ({"tenant_id": "x"}, "#/tenant_id"),
]


def test_the_body_names_what_is_wrong_with_it(world):
    for change, pointer in WRONG_FIELDS:
        body = {**EditFactory(target_id=world.chunk()), **change}

        response = world.bob.post("edits", body)

        assert response.status_code == 400, change
        assert [error["pointer"] for error in response.json()["errors"]] == [pointer], change


def test_a_revert_of_what_never_was_is_refused(world):
    response = propose(world.bob, world.chunk(), "revert", {"edit_id": str(uuid.uuid4())})
    assert response.status_code == 409


def test_agents_see_their_own_edits_people_with_a_role_see_all(world):
    chunk = world.chunk()
    own = world.edit(chunk, "attenuate", by=world.alice, importance=0.1)["edit_id"]
    other = world.edit(chunk, "attenuate", by=world.bob, importance=0.1)["edit_id"]

    assert [edit["edit_id"] for edit in world.alice.ok("get", "edits")["results"]] == [own]
    assert [edit["edit_id"] for edit in world.auditor.ok("get", "edits")["results"]] == [other, own]
    assert world.alice.get(f"edits/{other}").status_code == 404
    assert world.alice.get(f"edits/{own}").status_code == 200


def test_edits_can_be_filtered(world):
    chunk, other = world.chunk(), world.chunk()
    waiting = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    applied = world.edit(other, "quarantine")["edit_id"]

    for query, expected in (
        ("status=pending", [waiting]),
        ("status=approved", [applied]),
        ("proposed_by=agent", [waiting]),
        (f"target_id={other}", [applied]),
        ("op=amend", []),
        ("op=quarantine&target_type=chunk", [applied, waiting]),
    ):
        found = world.bob.ok("get", f"edits?{query}")["results"]
        assert [edit["edit_id"] for edit in found] == expected, query
    assert world.bob.get("edits?status=undecided").status_code == 400
    assert world.bob.get("edits?reason=x").status_code == 400
