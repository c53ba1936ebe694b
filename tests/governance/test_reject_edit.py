"""Rejecting an edit: with a reason, for good, and without any effect on memory."""

import pytest

from governance.models import Entry, Verdict


@pytest.fixture
def edit(world):
    return world.edit(world.chunk("Original"), "quarantine", by=world.alice)["edit_id"]


def test_it_works(world, edit):
    response = world.bob.post(f"edits/{edit}/reject", {"reason": "It is true"})

    assert response.status_code == 200
    assert (response.json()["status"], "applied_at" in response.json()) == ("rejected", False)
    shown = world.alice.ok("get", f"edits/{edit}")
    assert (shown["status"], shown["approved_by"], shown["applied_at"]) == ("rejected", None, None)
    assert [(v["decision"], v["decider"], v["reason"]) for v in shown["verdicts"]] == [
        ("rejected", world.bob_name, "It is true")
    ]
    assert world.found("original") == ["Original"]
    with world.inside():
        entry = Entry.objects.filter(tenant_id=world.tenant_id).latest("seq")
    assert (entry.type, entry.metadata["reason"], entry.metadata["in_effect"]) == (
        "edit.rejected",
        "It is true",
        False,
    )


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": None}])
def test_a_rejection_says_why(world, edit, body):
    response = world.bob.post(f"edits/{edit}/reject", body)

    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "#/reason"
    assert world.bob.ok("get", f"edits/{edit}")["status"] == "pending"


def test_a_rejected_edit_is_not_approved_later(world, edit):
    world.bob.decide(edit, "reject", reason="no")

    for verdict in ("approve", "reject"):
        assert world.ann.post(f"edits/{edit}/{verdict}", {"reason": "after all"}).status_code == 409
    with world.inside():
        assert Verdict.objects.filter(tenant_id=world.tenant_id, edit_id=edit).count() == 1
    assert world.found("original") == ["Original"]


def test_the_same_may_be_proposed_again(world, edit):
    world.bob.decide(edit, "reject", reason="no")
    target = world.bob.ok("get", f"edits/{edit}")["target_id"]

    again = world.edit(target, "quarantine", by=world.alice)["edit_id"]

    assert world.bob.decide(again)["status"] == "approved"
    assert world.found("original") == []


def test_neither_the_proposer_nor_an_auditor_nor_another_tenant_rejects(world, edit, elsewhere):
    body = {"reason": "no"}
    assert world.alice.post(f"edits/{edit}/reject", body).status_code == 403
    assert world.auditor.post(f"edits/{edit}/reject", body).status_code == 403
    assert elsewhere.bob.post(f"edits/{edit}/reject", body).status_code == 404
    assert world.bob.ok("get", f"edits/{edit}")["status"] == "pending"


def test_a_person_does_not_reject_their_own_edit(strict_world):
    edit = strict_world.edit(strict_world.chunk(), "retract")["edit_id"]

    assert strict_world.bob.post(f"edits/{edit}/reject", {"reason": "no"}).status_code == 403
