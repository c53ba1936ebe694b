"""Previewing an edit: before and after, without writing anything."""

import pytest

from .helpers import NOTHING_HIDES_IT, counts, preview, read


def test_it_works(world):
    chunk = world.chunk("Jon Doe called about billing")

    response = preview(world.alice, chunk, "amend", text="John Doe called about billing", importance=0.8)

    assert response.status_code == 200
    assert response.json() == {
        "before": {
            "text": "Jon Doe called about billing",
            "importance": 0.5,
            **NOTHING_HIDES_IT,
            "edits_applied": 0,
        },
        "after": {
            "text": "John Doe called about billing",
            "importance": 0.8,
            **NOTHING_HIDES_IT,
            "edits_applied": 1,
        },
        "effect": "answers contain the new text and importance",
        "no_longer_found_by": ["jon"],
        "newly_found_by": ["john"],
        "approvals_required": 0,
    }


@pytest.mark.parametrize(
    ("op", "patch"),
    [
        ("retract", {}),
        ("quarantine", {}),
        ("block", {"channel": "private"}),
        ("amend", {"text": "Corrected"}),
        ("attenuate", {"importance_delta": -0.1}),
    ],
)
def test_nothing_is_written(world, op, patch):
    chunk = world.chunk("Original")
    before, shown = counts(world), read(world, chunk)

    assert preview(world.bob, chunk, op, **patch).status_code == 200

    assert counts(world) == before
    assert read(world, chunk) == shown
    assert world.found("original") == ["Original"]


def test_a_retract_leaves_no_text_and_no_word_to_find_it_by(world):
    answer = preview(world.bob, world.chunk("Jack hates calls"), "retract").json()

    assert answer["after"]["text"] is None
    assert answer["no_longer_found_by"] == ["call", "hate", "jack"]
    assert answer["newly_found_by"] == []
    assert answer["effect"] == "removed from all answers"


def test_a_quarantine_and_a_block_keep_the_text_and_say_who_loses_it(world):
    chunk = world.chunk("Original")

    quarantine = preview(world.bob, chunk, "quarantine").json()
    block = preview(world.bob, chunk, "block", channel="team").json()

    assert quarantine["before"] == block["before"]
    assert quarantine["after"] == {**quarantine["before"], "is_quarantined": True, "edits_applied": 1}
    assert block["after"] == {**block["before"], "blocked_channels": ["team"], "edits_applied": 1}
    assert "quarantined memory" in quarantine["effect"]
    assert block["effect"] == "removed from all answers in the channel team"


@pytest.mark.parametrize(
    ("start", "patch", "after"),
    [
        (0.9, {"importance_delta": -0.5}, 0.4),
        (0.9, {"importance_delta": 0.5}, 1),
        (0.1, {"importance_delta": -0.5}, 0),
        (0.9, {"importance": 0.25}, 0.25),
    ],
)
def test_what_is_previewed_is_what_happens(world, noted, start, patch, after):
    chunk = noted("Original", start)

    previewed = preview(world.alice, chunk, "attenuate", **patch).json()["after"]["importance"]
    world.edit(chunk, "attenuate", **patch)

    assert previewed == after == read(world, chunk)["importance"]


def test_before_is_the_effective_memory_not_the_record(world):
    chunk = world.chunk("Original")
    world.edit(chunk, "amend", text="Corrected", importance=0.9)

    answer = preview(world.alice, chunk, "amend", text="Corrected again").json()

    assert answer["before"] == {"text": "Corrected", "importance": 0.9, **NOTHING_HIDES_IT, "edits_applied": 1}
    assert answer["no_longer_found_by"] == []
    assert answer["newly_found_by"] == []


def test_a_decision_is_previewed_too(world):
    decision = world.event(kind="decision", content={"decision": "Use PostgreSQL"})["decision_id"]

    answer = preview(world.alice, decision, "amend", "decision", text="Use SQLite").json()

    assert (answer["before"]["text"], answer["after"]["text"]) == ("Use PostgreSQL", "Use SQLite")


def test_it_says_how_many_approvals_the_edit_would_need(world, strict_world):
    chunk = world.chunk("Original")
    assert preview(world.alice, chunk, "quarantine").json()["approvals_required"] == 1
    assert preview(world.bob, chunk, "retract").json()["approvals_required"] == 0
    assert preview(strict_world.bob, strict_world.chunk(), "retract").json()["approvals_required"] == 1


def test_a_secret_in_the_new_text_is_shown_as_it_would_be_stored(world):
    answer = preview(world.alice, world.chunk("Original"), "amend", text="password=hunter2hunter2").json()

    assert "hunter2" not in answer["after"]["text"]
    assert "redacted" in answer["after"]["text"]


def test_what_a_caller_may_not_see_cannot_be_previewed(world, agent_in, charlie):
    secret = world.chunk("Original", sensitivity="secret")
    high = world.chunk("Original", sensitivity="high")
    retracted = world.chunk("Original")
    world.edit(retracted, "retract")
    blocked = world.chunk("Original")
    world.edit(blocked, "block", channel="public")

    assert preview(world.alice, secret, "quarantine").status_code == 404
    assert preview(world.bob, secret, "retract").status_code == 404
    assert preview(world.alice, retracted, "quarantine").status_code == 404
    assert preview(agent_in("public"), blocked, "retract").status_code == 404
    assert preview(agent_in("public"), high, "retract").status_code == 404
    assert preview(charlie, high, "retract").status_code == 404
    in_private = {"target_type": "chunk", "target_id": high, "op": "retract", "channel": "private"}
    assert world.alice.post("edits/preview", in_private).status_code == 200
    assert agent_in("public").post("edits/preview", in_private).status_code == 403


def test_a_patch_that_does_not_fit_is_refused_as_for_an_edit(world):
    chunk = world.chunk("Original")

    for op, patch in (("amend", {}), ("retract", {"text": "x"}), ("attenuate", {"importance": 2}), ("block", {})):
        assert preview(world.alice, chunk, op, **patch).status_code == 400, op
    assert preview(world.alice, chunk, "revert").status_code == 400
    assert preview(world.alice, chunk, "revert", edit_id=chunk, text="x").status_code == 400


def test_nobody_previews_without_a_key(world, nobody):
    body = {"target_type": "chunk", "target_id": world.chunk("Original"), "op": "retract"}

    assert nobody("post", "edits/preview", body).status_code == 401
