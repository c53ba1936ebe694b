"""POST /edits/{id}/revert: an edit is cancelled by another edit, which may be cancelled itself. Nothing is deleted."""

import uuid

import pytest

from .helpers import counts, entries, read, status_of


def revert(api, edit, reason="it was right"):
    return api.post(f"edits/{edit}/revert", {"reason": reason})


def test_it_works(world):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "amend", text="Corrected", importance=0.9)["edit_id"]

    response = revert(world.bob, edit)

    assert response.status_code == 201
    assert response.json()["status"] == "approved"
    shown = read(world, chunk)
    assert (shown["text"], shown["importance"], shown["edits_applied"]) == ("Original", 0.5, 0)
    assert world.found("original OR corrected") == ["Original"]


def test_the_revert_is_an_edit_of_its_own_with_reason_and_ledger_entry(world):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "retract")["edit_id"]

    made = revert(world.bob, edit, "it was right").json()["edit_id"]

    shown = world.auditor.ok("get", f"edits/{made}")
    assert (shown["op"], shown["target_id"], shown["reason"]) == ("revert", chunk, "it was right")
    assert shown["patch"] == {"edit_id": edit}
    assert status_of(world, edit) == "approved"
    assert [entry.metadata["edit"] for entry in entries(world, "edit.proposed")] == [edit, made]


@pytest.mark.parametrize(
    ("op", "patch"),
    [("retract", {}), ("quarantine", {}), ("block", {"channel": "private"}), ("attenuate", {"importance": 0.1})],
)
def test_every_operation_can_be_reverted(world, op, patch):
    chunk = world.chunk("Original")
    before = read(world, chunk)
    edit = world.edit(chunk, op, **patch)["edit_id"]
    assert read(world, chunk) != before

    revert(world.bob, edit)

    assert read(world, chunk) == before


def test_a_revert_can_be_reverted_and_that_again(world):
    chunk = world.chunk("Original")
    last = world.edit(chunk, "amend", text="Corrected")["edit_id"]
    for text in ("Original", "Corrected", "Original", "Corrected"):
        last = revert(world.bob, last).json()["edit_id"]
        assert read(world, chunk)["text"] == text
        assert world.found("original OR corrected") == [text]


def test_what_is_reverted_is_not_reverted_again(world):
    edit = world.edit(world.chunk("Original"), "amend", text="Corrected")["edit_id"]
    revert(world.bob, edit)
    before = counts(world)

    response = revert(world.ann, edit)

    assert response.status_code == 409
    assert "already" in response.json()["detail"]
    assert counts(world) == before


def test_once_its_revert_is_reverted_an_edit_can_be_reverted_anew(world):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "amend", text="Corrected")["edit_id"]
    first = revert(world.bob, edit).json()["edit_id"]
    revert(world.bob, first)

    assert revert(world.bob, edit).status_code == 201
    assert read(world, chunk)["text"] == "Original"


@pytest.mark.parametrize("verdict", [None, "reject", "withdraw"])
def test_what_is_not_in_effect_cannot_be_reverted(world, verdict):
    edit = world.edit(world.chunk("Original"), "quarantine", by=world.alice)["edit_id"]
    if verdict == "reject":
        world.bob.decide(edit, "reject", reason="no")
    elif verdict == "withdraw":
        world.alice.ok("post", f"edits/{edit}/withdraw", {})
    before = counts(world)

    assert revert(world.bob, edit).status_code == 409

    assert counts(world) == before


def test_an_agents_revert_waits_and_then_cancels(world):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "retract")["edit_id"]

    waiting = revert(world.alice, edit).json()

    assert waiting["status"] == "pending"
    assert read(world, chunk) is None
    world.ann.decide(waiting["edit_id"])
    assert read(world, chunk)["text"] == "Original"


def test_a_revert_without_a_reason_is_refused(world):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "retract")["edit_id"]

    assert world.bob.post(f"edits/{edit}/revert", {}).status_code == 400
    assert revert(world.bob, edit, "").status_code == 400
    assert read(world, chunk) is None


def test_an_unknown_edit_and_another_tenants_are_the_same_404(world, elsewhere):
    theirs = elsewhere.edit(elsewhere.chunk("Theirs"), "retract")["edit_id"]

    unknown, response = revert(world.bob, uuid.uuid4()), revert(world.bob, theirs)

    assert unknown.status_code == response.status_code == 404
    assert unknown.json()["detail"] == response.json()["detail"]
    assert status_of(elsewhere, theirs) == "approved"


def test_an_auditor_reverts_nothing_and_nobody_without_a_key(world, nobody):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "retract")["edit_id"]

    assert revert(world.auditor, edit).status_code == 403
    assert nobody("post", f"edits/{edit}/revert", {"reason": "x"}).status_code == 401
    assert read(world, chunk) is None


def test_an_edit_of_a_decision_is_reverted_there(world):
    content = {"decision": "Use PostgreSQL", "rationale": ["fast"]}
    recorded = world.event("Use PostgreSQL", kind="decision", content=content)
    edit = world.edit(recorded["decision_id"], "amend", target_type="decision", text="Use SQLite")["edit_id"]
    assert world.found("PostgreSQL OR SQLite") == ["Use SQLite"]

    revert(world.bob, edit)

    (decision,) = world.alice.ok("get", "decisions/active")["decisions"]
    assert (decision["decision"], decision["rationale"]) == ("Use PostgreSQL", ["fast"])
    assert world.found("PostgreSQL OR SQLite") == ["Use PostgreSQL\n\nrationale:\n  - fast"]
