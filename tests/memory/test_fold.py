"""The fold: what the approved edits of one memory make of it, in the order in which they were applied."""

import pytest

from memory.models import EffectiveDecision, EffectiveTask
from tests.factories import EditFactory


def read(world, chunk, **fields):
    """The chunk as an explicit reader sees it, or None."""
    asked = {"chunk_ids": [chunk], "include_quarantined": True, "channel": "private", **fields}
    found = world.alice.ok("post", "chunks/get", asked)["chunks"]
    return found[0] if found else None


def decision_row(world, decision):
    with world.inside():
        return EffectiveDecision.objects.get(tenant_id=world.tenant_id, id=decision)


def task_row(world, task):
    with world.inside():
        return EffectiveTask.objects.get(tenant_id=world.tenant_id, id=task)


def test_it_works(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "amend", text="Corrected", importance=0.9)
    world.edit(chunk, "quarantine")

    shown = read(world, chunk)

    assert (shown["text"], shown["importance"], shown["is_quarantined"]) == ("Corrected", 0.9, True)
    assert shown["edits_applied"] == 2


def test_a_later_quarantine_does_not_undo_an_amendment(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "amend", text="Corrected")
    world.edit(chunk, "quarantine")

    assert read(world, chunk)["text"] == "Corrected"


def test_the_later_amendment_wins(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "amend", text="First correction", importance=0.9)
    world.edit(chunk, "amend", text="Second correction")

    shown = read(world, chunk)
    assert (shown["text"], shown["importance"], shown["edits_applied"]) == ("Second correction", 0.9, 2)


def test_an_amendment_of_importance_alone_keeps_the_text(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "amend", text="Corrected")
    world.edit(chunk, "amend", importance=0.1)

    shown = read(world, chunk)
    assert (shown["text"], shown["importance"]) == ("Corrected", 0.1)


def test_later_means_applied_later_not_proposed_later(strict_world):
    chunk = strict_world.chunk("Original")
    early = strict_world.edit(chunk, "amend", by=strict_world.alice, text="Proposed first")
    late = strict_world.edit(chunk, "amend", by=strict_world.alice, text="Proposed second")

    strict_world.bob.decide(late["edit_id"])
    strict_world.bob.decide(early["edit_id"])

    assert read(strict_world, chunk)["text"] == "Proposed first"


@pytest.mark.parametrize(
    ("steps", "importance"),
    [
        ([{"importance": 0.9}, {"importance_delta": -0.5}], 0.4),
        ([{"importance": 0.3}, {"importance_delta": -0.1}, {"importance_delta": -0.1}], 0.1),
        ([{"importance_delta": -0.9}], 0.0),
        ([{"importance_delta": 0.9}], 1.0),
        # each step is clamped, not only the sum
        ([{"importance_delta": 0.9}, {"importance_delta": -0.4}], 0.6),
        ([{"importance_delta": -0.1}, {"importance": 0.7}], 0.7),
        ([{"importance": 0.1234}, {"importance_delta": -0.1233}], 0.0001),
    ],
)
def test_importance_is_exact_decimal_arithmetic_within_0_and_1(world, steps, importance):
    chunk = world.chunk("Original")
    for step in steps:
        world.edit(chunk, "attenuate", **step)

    assert read(world, chunk)["importance"] == importance


def test_a_revert_cancels_one_edit_and_no_other(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "amend", text="First correction")
    wrong = world.edit(chunk, "amend", text="Second correction", importance=0.9)

    world.edit(chunk, "revert", edit_id=wrong["edit_id"])

    shown = read(world, chunk)
    assert (shown["text"], shown["importance"], shown["edits_applied"]) == ("First correction", 0.5, 1)


@pytest.mark.parametrize("op", ["retract", "quarantine"])
def test_a_reverted_edit_gives_the_chunk_back(world, op):
    chunk = world.chunk("Original words")
    edit = world.edit(chunk, op)
    assert world.found("original") == []

    world.edit(chunk, "revert", edit_id=edit["edit_id"])

    assert world.found("original") == ["Original words"]
    assert read(world, chunk)["edits_applied"] == 0


def test_a_reverted_revert_brings_the_edit_back(world):
    chunk = world.chunk("Original")
    amended = world.edit(chunk, "amend", text="Corrected")
    reverted = world.edit(chunk, "revert", edit_id=amended["edit_id"])
    assert read(world, chunk)["text"] == "Original"

    again = world.edit(chunk, "revert", edit_id=reverted["edit_id"])

    assert read(world, chunk)["text"] == "Corrected"
    world.edit(chunk, "revert", edit_id=again["edit_id"])
    assert read(world, chunk)["text"] == "Original"


def test_a_revert_that_waits_cancels_nothing(world):
    chunk = world.chunk("Original")
    amended = world.edit(chunk, "amend", text="Corrected")

    waiting = world.edit(chunk, "revert", by=world.alice, edit_id=amended["edit_id"])

    assert waiting["status"] == "pending"
    assert read(world, chunk)["text"] == "Corrected"
    world.bob.decide(waiting["edit_id"])
    assert read(world, chunk)["text"] == "Original"


def test_only_an_applied_edit_of_the_same_target_can_be_reverted(world):
    chunk, other = world.chunk("Original"), world.chunk("Other")
    applied = world.edit(other, "amend", text="Corrected")
    waiting = world.edit(chunk, "quarantine", by=world.alice)

    for edit in (applied, waiting):
        body = EditFactory(target_id=chunk, op="revert")
        response = world.bob.post("edits", {**body, "patch": {"edit_id": edit["edit_id"]}})
        assert response.status_code == 409, response.content
    assert read(world, other)["text"] == "Corrected"


def test_a_channel_blocked_twice_is_blocked_until_both_are_reverted(world):
    chunk = world.chunk("Original", channel="team")
    first = world.edit(chunk, "block", channel="public")
    second = world.edit(chunk, "block", channel="public")
    assert read(world, chunk)["edits_applied"] == 2

    world.edit(chunk, "revert", edit_id=first["edit_id"])
    assert read(world, chunk, channel="public") is None
    world.edit(chunk, "revert", edit_id=second["edit_id"])
    assert read(world, chunk, channel="public")["text"] == "Original"


def test_retract_outweighs_block_and_quarantine(world):
    recorded = world.event("Original")
    (chunk,) = recorded["chunk_ids"]
    for op, patch, withheld in (
        ("quarantine", {}, "quarantined"),
        ("block", {"channel": "private"}, "blocked"),
        ("retract", {}, "retracted"),
    ):
        world.edit(chunk, op, **patch)
        assert world.alice.ok("get", f"events/{recorded['event_id']}")["withheld"] == withheld


def decide(world, statement="Use PostgreSQL", **content):
    return world.event(
        f"We decided: {statement}",
        kind="decision",
        content={"decision": statement, "rationale": ["because"], **content},
    )


@pytest.mark.parametrize("target_type", ["chunk", "decision"])
@pytest.mark.parametrize("op", ["retract", "quarantine", "block"])
def test_a_decision_and_its_chunk_are_hidden_together(world, op, target_type):
    recorded = decide(world)
    (chunk,), decision = recorded["chunk_ids"], recorded["decision_id"]
    patch = {"channel": "private"} if op == "block" else {}

    edit = world.edit(chunk if target_type == "chunk" else decision, op, target_type=target_type, **patch)

    row = decision_row(world, decision)
    assert {
        "retract": row.is_retracted,
        "quarantine": row.is_quarantined,
        "block": row.blocked_channels == ["private"],
    } == {"retract": op == "retract", "quarantine": op == "quarantine", "block": op == "block"}
    assert world.found("PostgreSQL", channel="private") == []
    assert world.alice.ok("get", f"events/{recorded['event_id']}?channel=private")["content"] is None

    world.edit(
        chunk if target_type == "chunk" else decision, "revert", target_type=target_type, edit_id=edit["edit_id"]
    )
    row = decision_row(world, decision)
    assert (row.is_retracted, row.is_quarantined, row.blocked_channels) == (False, False, [])
    assert world.found("PostgreSQL", channel="private") == ["We decided: Use PostgreSQL\n\nrationale:\n  - because"]


@pytest.mark.parametrize("target_type", ["chunk", "decision"])
def test_an_amended_text_holds_for_decision_and_chunk_and_withholds_the_details(world, target_type):
    recorded = decide(world)
    (chunk,), decision = recorded["chunk_ids"], recorded["decision_id"]
    before = decision_row(world, decision)
    assert before.details_id is not None

    world.edit(chunk if target_type == "chunk" else decision, "amend", target_type=target_type, text="Use SQLite")

    row = decision_row(world, decision)
    assert row.details_id is None
    assert row.content_id != before.content_id
    assert read(world, chunk)["text"] == "Use SQLite"
    event = world.alice.ok("get", f"events/{recorded['event_id']}")
    assert event["content"] == {"text": "Use SQLite", "scope": "policy"}
    assert world.found("PostgreSQL OR because") == []


def test_importance_is_each_records_own(world):
    recorded = decide(world)
    (chunk,), decision = recorded["chunk_ids"], recorded["decision_id"]

    world.edit(chunk, "attenuate", importance=0.2)

    assert read(world, chunk)["importance"] == 0.2
    assert float(decision_row(world, decision).importance) == 1


def test_a_superseded_decision_comes_back_when_its_successor_is_retracted(world):
    old = decide(world, "Use PostgreSQL")
    new = decide(world, "Use SQLite", supersedes=old["decision_id"])
    assert decision_row(world, old["decision_id"]).status == "superseded"
    assert decision_row(world, new["decision_id"]).status == "active"

    edit = world.edit(new["chunk_ids"][0], "retract")
    assert decision_row(world, old["decision_id"]).status == "active"

    world.edit(new["chunk_ids"][0], "revert", edit_id=edit["edit_id"])
    assert decision_row(world, old["decision_id"]).status == "superseded"


def update_task(world, status, **content):
    content = {"title": "Ship it", "status": status, **content}
    return world.event(f"Ship it: {status}", kind="task_update", content=content)


def test_a_task_falls_back_to_the_update_before_a_retracted_one(world):
    opened = update_task(world, "open")
    task = opened["task_id"]
    doing = update_task(world, "doing", task_id=task)
    done = update_task(world, "done", task_id=task)
    assert doing["task_id"] == done["task_id"] == task
    assert task_row(world, task).status == "done"

    edit = world.edit(done["chunk_ids"][0], "retract")
    assert task_row(world, task).status == "doing"
    world.edit(doing["chunk_ids"][0], "retract")
    assert (task_row(world, task).status, task_row(world, task).is_retracted) == ("open", False)
    world.edit(opened["chunk_ids"][0], "retract")
    assert task_row(world, task).is_retracted

    world.edit(done["chunk_ids"][0], "revert", edit_id=edit["edit_id"])
    assert (task_row(world, task).status, task_row(world, task).is_retracted) == ("done", False)


def test_a_task_shows_the_update_before_a_quarantined_one(world):
    opened = update_task(world, "open")
    task = opened["task_id"]
    done = update_task(world, "done", task_id=task)

    edit = world.edit(done["chunk_ids"][0], "quarantine")
    assert (task_row(world, task).status, task_row(world, task).is_quarantined) == ("open", False)

    world.edit(done["chunk_ids"][0], "revert", edit_id=edit["edit_id"])
    assert (task_row(world, task).status, task_row(world, task).is_quarantined) == ("done", False)


def test_a_task_of_which_nothing_else_is_left_shows_its_newest_quarantined_update(world):
    opened = update_task(world, "open")
    task = opened["task_id"]
    doing, done = (update_task(world, status, task_id=task) for status in ("doing", "done"))
    world.edit(opened["chunk_ids"][0], "quarantine")
    world.edit(doing["chunk_ids"][0], "quarantine")

    world.edit(done["chunk_ids"][0], "retract")

    row = task_row(world, task)
    assert (row.status, row.is_quarantined, row.is_retracted) == ("doing", True, False)


def test_a_task_update_from_the_past_does_not_become_the_present(world):
    opened = update_task(world, "doing")

    world.event(
        "an old mail",
        kind="task_update",
        content={"title": "Ship it", "status": "open", "task_id": opened["task_id"]},
        ts="2020-01-01T00:00:00Z",
    )

    assert task_row(world, opened["task_id"]).status == "doing"


def test_a_task_is_heard_by_those_who_may_hear_the_update_that_it_shows(world):
    opened = update_task(world, "open")
    content = {"title": "Fire Jack", "status": "doing", "task_id": opened["task_id"]}

    secret = world.event(kind="task_update", sensitivity="secret", channel="team", content=content)

    row = task_row(world, opened["task_id"])
    assert (row.sensitivity, row.channel) == ("secret", "team")
    world.edit(secret["chunk_ids"][0], "retract")
    row = task_row(world, opened["task_id"])
    assert (row.sensitivity, row.channel) == ("none", "private")
