"""GET /chunks/{id}/history: the record, every edit and verdict, and the state after each that was applied."""

import uuid

import pytest


def history(api, chunk):
    return api.get(f"chunks/{chunk}/history")


def told(api, chunk):
    response = history(api, chunk)
    assert response.status_code == 200, response.content
    return response.json()


def states(answer):
    names = ("edit_id", "text", "importance", "is_retracted", "is_quarantined", "blocked_channels", "edits_applied")
    return [tuple(state[name] for name in names) for state in answer["states"]]


def test_it_works(world):
    recorded = world.event("Original")
    (chunk,) = recorded["chunk_ids"]
    amended = world.edit(chunk, "amend", text="Corrected", importance=0.9)["edit_id"]
    lowered = world.edit(chunk, "attenuate", importance_delta=-0.5)["edit_id"]
    blocked = world.edit(chunk, "block", channel="public")["edit_id"]
    quarantined = world.edit(chunk, "quarantine")["edit_id"]
    reverted = world.edit(chunk, "revert", edit_id=amended)["edit_id"]
    retracted = world.edit(chunk, "retract")["edit_id"]

    answer = told(world.bob, chunk)

    assert states(answer) == [
        (None, "Original", 0.5, False, False, [], 0),
        (amended, "Corrected", 0.9, False, False, [], 1),
        (lowered, "Corrected", 0.4, False, False, [], 2),
        (blocked, "Corrected", 0.4, False, False, ["public"], 3),
        (quarantined, "Corrected", 0.4, False, True, ["public"], 4),
        (reverted, "Original", 0, False, True, ["public"], 3),
        (retracted, "Original", 0, True, True, ["public"], 4),
    ]
    assert [edit["edit_id"] for edit in answer["edits"]] == [
        amended,
        lowered,
        blocked,
        quarantined,
        reverted,
        retracted,
    ]
    assert (answer["chunk_id"], answer["event_id"]) == (chunk, recorded["event_id"])
    assert (answer["recorder"], answer["source"], answer["session_id"]) == ("alice", "event", "session-1")
    assert answer["states"][0]["at"] == answer["ts"] == recorded["ts"]


def test_each_edit_carries_its_verdicts_and_what_is_undecided_has_no_state(world):
    chunk = world.chunk("Original")
    approved = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    rejected = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    pending = world.edit(chunk, "block", by=world.alice, channel="public")["edit_id"]
    world.bob.decide(approved, reason="yes")
    world.ann.decide(rejected, "reject", reason="no")

    answer = told(world.auditor, chunk)

    assert [(edit["edit_id"], edit["status"]) for edit in answer["edits"]] == [
        (approved, "approved"),
        (rejected, "rejected"),
        (pending, "pending"),
    ]
    assert [[(v["decision"], v["decider"], v["reason"]) for v in edit["verdicts"]] for edit in answer["edits"]] == [
        [("approved", world.bob_name, "yes")],
        [("rejected", world.ann_name, "no")],
        [],
    ]
    assert [state["edit_id"] for state in answer["states"]] == [None, approved]
    assert answer["states"][1]["at"] == answer["edits"][0]["applied_at"]


def test_the_last_state_is_what_readers_see(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "amend", text="Corrected", importance=0.3)
    world.edit(chunk, "quarantine")

    asked = {"chunk_ids": [chunk], "include_quarantined": True}
    (shown,) = world.alice.ok("post", "chunks/get", asked)["chunks"]

    last = told(world.bob, chunk)["states"][-1]
    for name in ("text", "importance", "is_quarantined", "edits_applied"):
        assert last[name] == shown[name]


def test_states_are_in_the_order_of_application_not_of_proposal(strict_world):
    chunk = strict_world.chunk("Original")
    first = strict_world.edit(chunk, "amend", text="Proposed first")["edit_id"]
    second = strict_world.edit(chunk, "amend", text="Proposed second")["edit_id"]
    for edit in (second, first):
        strict_world.ann.decide(edit)

    answer = told(strict_world.bob, chunk)

    assert [edit["edit_id"] for edit in answer["edits"]] == [first, second]
    assert [(state["edit_id"], state["text"]) for state in answer["states"]] == [
        (None, "Original"),
        (second, "Proposed second"),
        (first, "Proposed first"),
    ]


def test_an_edit_of_the_decision_is_part_of_its_chunks_history(world):
    recorded = world.event("Use PostgreSQL", kind="decision", content={"decision": "Use PostgreSQL"})
    (chunk,) = recorded["chunk_ids"]
    amended = world.edit(recorded["decision_id"], "amend", target_type="decision", text="Use SQLite")["edit_id"]
    lowered = world.edit(recorded["decision_id"], "attenuate", target_type="decision", importance=0.1)["edit_id"]

    answer = told(world.bob, chunk)

    assert [edit["edit_id"] for edit in answer["edits"]] == [amended, lowered]
    # the decision's importance is its own
    assert [(state["edit_id"], state["text"], state["importance"]) for state in answer["states"]] == [
        (None, "Use PostgreSQL", 1),
        (amended, "Use SQLite", 1),
        (lowered, "Use SQLite", 1),
    ]


def test_a_chunk_without_edits_has_one_state(world):
    chunk = world.chunk("Original")

    answer = told(world.bob, chunk)

    assert states(answer) == [(None, "Original", 0.5, False, False, [], 0)]
    assert answer["edits"] == []


def test_a_summary_has_a_history_too(world, noted):
    chunk = noted("Original", 0.7)
    edit = world.edit(chunk, "retract")["edit_id"]

    answer = told(world.bob, chunk)

    assert (answer["event_id"], answer["source"]) == (None, "summary")
    assert states(answer)[0] == (None, "Original", 0.7, False, False, [], 0)
    assert answer["states"][1]["edit_id"] == edit


def test_each_piece_of_a_long_text_has_its_own(world):
    first, second, _ = world.event(" ".join(f"word{number}" for number in range(380)))["chunk_ids"]
    edit = world.edit(first, "retract")["edit_id"]

    assert [state["edit_id"] for state in told(world.bob, first)["states"]] == [None, edit]
    assert [state["edit_id"] for state in told(world.bob, second)["states"]] == [None]


@pytest.mark.parametrize("who", ["bob", "ann", "auditor"])
def test_people_with_a_role_read_it(world, who):
    chunk = world.chunk("Original")
    world.edit(chunk, "retract")

    assert told(getattr(world, who), chunk)["states"][0]["text"] == "Original"


def test_an_agent_does_not_and_is_told_nothing(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "retract")

    response = history(world.alice, chunk)

    assert response.status_code == 403
    assert b"Original" not in response.content
    # nor does it learn whether there is such a chunk
    assert history(world.alice, uuid.uuid4()).json()["detail"] == response.json()["detail"]


def test_another_tenants_chunk_is_a_404_like_one_that_is_not_there(world, elsewhere, nobody):
    theirs = elsewhere.chunk("Original")

    response, unknown = history(world.bob, theirs), history(world.bob, uuid.uuid4())

    assert response.status_code == unknown.status_code == 404
    assert response.json()["detail"] == unknown.json()["detail"]
    assert nobody("get", f"chunks/{theirs}/history").status_code == 401
