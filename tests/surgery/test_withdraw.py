"""POST /edits/{id}/withdraw: a proposer takes a pending proposal back."""

import uuid

import pytest

from governance.models import PolicyRule
from tests.owning import as_owner

from .helpers import counts, entries, read, status_of


def waiting(world, op="quarantine", by=None):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, op, by=by or world.alice)
    assert edit["status"] == "pending"
    return chunk, edit["edit_id"]


def test_it_works(world):
    chunk, edit = waiting(world)

    response = world.alice.post(f"edits/{edit}/withdraw", {"reason": "my mistake"})

    assert response.status_code == 200
    assert response.json()["status"] == "withdrawn"
    assert "applied_at" not in response.json()
    assert read(world, chunk)["text"] == "Original"
    assert world.bob.ok("get", "edits?status=pending")["results"] == []


def test_it_is_a_verdict_with_a_ledger_entry(world):
    _, edit = waiting(world)
    world.alice.ok("post", f"edits/{edit}/withdraw", {"reason": "my mistake"})

    shown = world.auditor.ok("get", f"edits/{edit}")

    assert shown["status"] == "withdrawn"
    assert [(v["decision"], v["decider_kind"], v["decider"], v["reason"]) for v in shown["verdicts"]] == [
        ("withdrawn", "agent", "alice", "my mistake")
    ]
    (entry,) = entries(world, "edit.withdrawn")
    assert (entry.metadata["edit"], entry.metadata["reason"]) == (edit, "my mistake")
    assert entry.metadata["actor"]["name"] == "alice"


def test_a_person_withdraws_too(strict_world):
    _, edit = waiting(strict_world, by=strict_world.bob)

    assert strict_world.bob.ok("post", f"edits/{edit}/withdraw", {})["status"] == "withdrawn"
    (verdict,) = strict_world.bob.ok("get", f"edits/{edit}")["verdicts"]
    assert (verdict["decider_kind"], verdict["decider"]) == ("human", strict_world.bob_name)


def test_what_one_of_two_people_approved_can_still_be_withdrawn(world):
    with world.inside(), as_owner():
        PolicyRule.objects.filter(tenant_id=world.tenant_id, op="quarantine", proposer_kind="agent").update(approvals=2)
    chunk, edit = waiting(world)
    assert world.bob.decide(edit)["status"] == "pending"

    assert world.alice.ok("post", f"edits/{edit}/withdraw", {})["status"] == "withdrawn"

    assert world.ann.post(f"edits/{edit}/approve", {}).status_code == 409
    assert read(world, chunk)["text"] == "Original"


def test_nobody_withdraws_anothers(world, agent_in):
    _, edit = waiting(world)
    before = counts(world)

    assert world.bob.post(f"edits/{edit}/withdraw", {}).status_code == 403
    assert world.auditor.post(f"edits/{edit}/withdraw", {}).status_code == 403
    # an agent does not even know of it
    assert agent_in().post(f"edits/{edit}/withdraw", {}).status_code == 404

    assert status_of(world, edit) == "pending"
    assert counts(world)["Verdict"] == before["Verdict"]


@pytest.mark.parametrize("how", ["approve", "reject", "withdraw"])
def test_what_is_decided_is_not_withdrawn(world, how):
    _, edit = waiting(world)
    by = world.alice if how == "withdraw" else world.bob
    by.ok("post", f"edits/{edit}/{how}", {"reason": "a test"})
    before, status = counts(world), status_of(world, edit)

    assert world.alice.post(f"edits/{edit}/withdraw", {}).status_code == 409

    assert counts(world) == before
    assert status_of(world, edit) == status


def test_what_applied_at_once_is_not_withdrawn(world):
    edit = world.edit(world.chunk("Original"), "amend", by=world.alice, text="Corrected")["edit_id"]

    assert world.alice.post(f"edits/{edit}/withdraw", {}).status_code == 409
    assert world.found("corrected") == ["Corrected"]


def test_another_tenants_is_a_404(world, elsewhere, charlie):
    _, edit = waiting(world)

    assert charlie.post(f"edits/{edit}/withdraw", {}).status_code == 404
    assert elsewhere.bob.post(f"edits/{edit}/withdraw", {}).status_code == 404
    assert world.alice.post(f"edits/{uuid.uuid4()}/withdraw", {}).status_code == 404
    assert status_of(world, edit) == "pending"


def test_the_same_may_be_proposed_again(world, agent_in):
    chunk, eve = world.chunk("Original"), agent_in("private")
    edit = world.edit(chunk, "retract", by=eve)["edit_id"]
    eve.ok("post", f"edits/{edit}/withdraw", {})

    again = world.edit(chunk, "retract", by=eve)["edit_id"]
    world.bob.decide(again)

    assert read(world, chunk) is None
