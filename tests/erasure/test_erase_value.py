"""Two admins erase a forgotten value: the texts that say it are deleted, and the rest of each text is kept."""

from typing import Any

import pytest

from governance.ledger import verification
from memory import maintenance
from tests.ledger.tampering import unguarded
from tests.values.test_forget_value import forget, preview, refused
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review", "owner"])

#: Replace a text that an erasure left by another, with a hash that fits.
REPLACE = """
    UPDATE governance_content c SET body = 'Staging is gone.', sha256 = sha256(c.salt || 'Staging is gone.'::bytea)
    FROM memory_rewording r WHERE c.tenant_id = %s AND r.tenant_id = c.tenant_id AND r.id = c.id
"""
LONG = "The garden has many flowers. " * 200 + "Staging runs on orchid-7. " + "And many trees. " * 200


@pytest.fixture
def said(world: World) -> World:
    """The value in texts of every kind."""
    world.event("Staging runs on orchid-7, production on rose-1.")
    world.event(kind="decision", content={"decision": "Use orchid-7", "rationale": ["orchid-7 is fast", "It is cheap"]})
    world.event(kind="task_update", content={"title": "Move orchid-7", "status": "open"}, key="move")
    world.event(kind="artifact", content={"name": "orchid-7 notes", "media_type": "text/plain"})
    world.edit(world.chunk("Backups run at night."), "amend", text="Backups of orchid-7 run at noon.")
    world.edit(world.chunk("Backups of orchid-7 run at night."), "amend", text="Backups run in the evening.")
    return world


def answers(world: World) -> dict[str, Any]:
    """What alice reads: each path with its answer."""
    lists = {path: world.alice.ok("get", path) for path in ("chunks", "decisions", "tasks", "artifacts")}
    events = [f"events/{one['event_id']}" for one in lists["chunks"]["results"]]
    return lists | {path: world.alice.ok("get", path) for path in events}


def erase(world: World, admins: Any, value: str = "orchid-7") -> dict[str, Any]:
    """Forget a value, and erase it: the receipt, with the edit's id."""
    done = forget(world.bob, value)
    return {"edit_id": done["edit_id"], **admins.erase(by="value", id=done["value_id"])}


def test_every_answer_stays_and_no_row_says_the_value(said: World, admins: Any, found_in: Any, owner: Any) -> None:
    done = forget(said.bob, "orchid-7")
    before = answers(said)
    receipt = admins.erase(by="value", id=done["value_id"])
    assert receipt["status"] == "executed"
    assert {"event", "chunk", "decision", "task", "artifact", "edit", "value"} <= set(receipt["scope"]["counts"])
    after = answers(said)
    assert {path: (before[path], answer) for path, answer in after.items() if before[path] != answer} == {}
    assert found_in(said, b"orchid-7") == []
    assert maintenance.find_drift(said.tenant_id) == []


def test_a_long_text_keeps_all_other_words(world: World, admins: Any, found_in: Any) -> None:
    event = world.event(LONG)["event_id"]
    erase(world, admins)
    assert (
        world.alice.ok("get", f"events/{event}")["content"]["text"].split() == LONG.replace("orchid-7", "[…]").split()
    )
    words = " ".join(row["text"] for row in reversed(world.alice.ok("get", "chunks?limit=100")["results"]))
    assert (words.count("flowers"), words.count("[…]"), words.count("trees")) == (200, 1, 200)
    assert found_in(world, b"orchid-7") == []
    assert maintenance.find_drift(world.tenant_id) == []


def test_what_is_recorded_later_is_still_cut_and_nobody_reads_the_value_in_the_list(world: World, admins: Any) -> None:
    world.event("Staging runs on orchid-7.")
    erase(world, admins)
    world.event("Nodes: ORCHID 7, again?")
    assert world.found("nodes") == ["Nodes: […], again?"]
    (guard,) = world.bob.ok("get", "values")["results"]
    assert guard["value"] is None


def test_a_revert_lets_it_be_said_again_and_brings_nothing_back(world: World, admins: Any) -> None:
    world.event("Staging runs on orchid-7.")
    edit = erase(world, admins)["edit_id"]
    revert = world.bob.ok("post", f"edits/{edit}/revert", {"reason": "It is used again"})["edit_id"]
    world.event("The new one is orchid-7.")
    assert world.found("orchid-7") == ["The new one is orchid-7."]
    assert world.found("staging") == ["Staging runs on […]."]
    refused(world.bob, f"edits/{revert}/revert", {"reason": "a mistake"}, 409)
    assert maintenance.find_drift(world.tenant_id) == []


def test_what_is_left_can_be_corrected_and_erased_again(world: World, admins: Any, found_in: Any) -> None:
    chunk = world.chunk("Staging runs on orchid-7 in Lisbon with 12 nodes.")
    erase(world, admins)
    erase(world, admins, "Lisbon")
    assert world.found("staging") == ["Staging runs on […] in […] with 12 nodes."]
    assert found_in(world, b"Lisbon") == []
    (before,) = world.alice.ok("get", "chunks")["results"]
    world.edit(chunk, "amend", text="Staging has 14 nodes.")
    assert world.found("staging") == ["Staging has 14 nodes."]
    (after,) = world.alice.ok("get", "chunks")["results"]
    assert after["edits_applied"] > before["edits_applied"]
    assert maintenance.find_drift(world.tenant_id) == []


def test_a_memory_that_said_nothing_else_leaves_all_answers(world: World, admins: Any) -> None:
    world.chunk("orchid-7")
    erase(world, admins)
    assert world.alice.ok("get", "chunks")["results"] == []
    assert maintenance.find_drift(world.tenant_id) == []


def test_only_pending_edits_that_say_it_expire(world: World, admins: Any) -> None:
    draft = world.draft("Staging runs on orchid-7.", actor_type="human")
    (chunk,) = world.bob.ok("post", "events", draft)["chunk_ids"]
    says = world.edit(chunk, "amend", by=world.alice, text="It is orchid-7 indeed.")["edit_id"]
    keeps = world.edit(chunk, "amend", by=world.alice, text="Staging is gone.")["edit_id"]
    erase(world, admins)
    status = {edit: world.bob.ok("get", f"edits/{edit}")["status"] for edit in (says, keeps)}
    assert status == {says: "expired", keeps: "pending"}
    world.ann.ok("post", f"edits/{keeps}/approve", {})
    assert world.found("staging") == ["Staging is gone."]


def test_notes_and_risks_of_capsules_keep_the_rest(world: World, admins: Any, handed: Any, found_in: Any) -> None:
    capsule = handed([world.chunk("the chunk")], note="Staging runs on orchid-7", risks=["orchid-7 may fail", "Rain"])
    erase(world, admins)
    read = world.alice.ok("get", f"capsules/{capsule}")
    assert (read["note"], read["risks"]) == ("Staging runs on […]", ["[…] may fail", "Rain"])
    assert found_in(world, b"orchid-7") == []
    assert maintenance.find_drift(world.tenant_id) == []


def test_an_erasure_of_the_memory_itself_takes_what_is_left_too(world: World, admins: Any, found_in: Any) -> None:
    chunk = world.chunk("Staging runs on orchid-7 beside zanzibar.")
    erase(world, admins)
    receipt = admins.erase(by="chunk", id=chunk)
    assert receipt["scope"]["counts"]["chunk"] == 1
    assert found_in(world, b"zanzibar") == []
    assert world.found("staging") == []


def test_the_ledger_proves_what_is_left(said: World, admins: Any) -> None:
    erase(said, admins)
    with said.inside():
        assert verification.verify(said.tenant_id).findings == ()
    with unguarded("governance_content") as cursor:
        cursor.execute(REPLACE, [said.tenant_id])
    found = [one.detail for one in verification.verify(said.tenant_id).findings]
    assert any("which an erasure left" in one for one in found), found


def test_a_forget_can_propose_the_erasure(world: World, admins: Any, found_in: Any) -> None:
    world.event("Staging runs on orchid-7.")
    token = preview(admins.carol, "orchid-7")["token"]
    done = admins.carol.ok("post", "values", {"token": token, "erase": True})
    admins.dave.ok("post", f"erasures/{done['erasure_id']}/approve", {})
    assert found_in(world, b"orchid-7") == []


def test_only_an_admin_who_forgets_it_can_propose_it(world: World, admins: Any) -> None:
    world.event("Staging runs on orchid-7.")
    token = preview(world.bob, "orchid-7")["token"]
    refused(world.bob, "values", {"token": token, "erase": True}, 403)
    assert world.bob.ok("get", "values")["results"] == []
    token = preview(admins.carol, "orchid-7", op="replace", to="lotus-2")["token"]
    assert "/erase" in str(refused(admins.carol, "values", {"token": token, "erase": True}, 400))


def test_a_value_that_is_not_forgotten_is_refused(world: World, admins: Any) -> None:
    world.event("Staging runs on orchid-7.")
    done = forget(world.bob, "orchid-7")
    world.bob.ok("post", f"edits/{done['edit_id']}/revert", {"reason": "It was right"})
    problem = refused(admins.carol, "erasures", {"by": "value", "id": done["value_id"], "reason": "asked to"}, 409)
    assert problem["type"].endswith("value-not-forgotten")
