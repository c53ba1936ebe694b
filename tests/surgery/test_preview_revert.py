"""Previewing a revert: what it returns to, and to whom that may be shown."""

from typing import Any

import pytest

from .helpers import NOTHING_HIDES_IT, counts, preview, proposal, read, words


def preview_revert(api, target, edit, target_type="chunk", **fields):
    body = {"target_type": target_type, "target_id": str(target), "op": "revert", "patch": {"edit_id": edit}, **fields}
    return api.post("edits/preview", body)


def state_now(world, chunk):
    """The last state of the chunk's history, as a preview tells it."""
    state = world.bob.ok("get", f"chunks/{chunk}/history")["states"][-1]
    del state["edit_id"], state["at"], state["audience"]
    return {**state, "text": None if state["is_retracted"] else state["text"]}


def test_a_revert_shows_what_it_returns_to(world):
    chunk = world.chunk("Jon Doe called about billing")
    edit = world.edit(chunk, "amend", text="John Doe called about billing", importance=0.8)["edit_id"]

    response = preview_revert(world.bob, chunk, edit)

    assert response.status_code == 200
    assert response.json() == {
        "before": {
            "text": "John Doe called about billing",
            "importance": 0.8,
            **NOTHING_HIDES_IT,
            "edits_applied": 1,
        },
        "after": {
            "text": "Jon Doe called about billing",
            "importance": 0.5,
            **NOTHING_HIDES_IT,
            "edits_applied": 0,
        },
        "effect": "answers are as if the amend had not been applied",
        "no_longer_found_by": ["john"],
        "newly_found_by": ["jon"],
        "approvals_required": 0,
    }


def test_whatever_was_edited_and_reverted_what_a_revert_previews_is_what_it_does(world):
    """From the last on, each edit of a long history is reverted, then its revert, then the revert of that."""
    chunk = world.chunk("Original")
    changes: list[tuple[str, dict[str, Any]]] = [
        ("amend", {"text": "First", "importance": 0.9}),
        ("attenuate", {"importance_delta": -0.25}),
        ("block", {"channel": "public"}),
        ("amend", {"text": "Second"}),
        ("quarantine", {}),
        ("block", {"channel": "agent"}),
        ("retract", {}),
        ("amend", {"importance": 0.125}),
        ("retract", {}),
    ]
    edits = [world.edit(chunk, op, **patch)["edit_id"] for op, patch in changes]
    seen = []
    for edit in reversed(edits):
        for step in range(3):
            before = state_now(world, chunk)
            previewed = preview_revert(world.bob, chunk, edit).json()
            edit = world.edit(chunk, "revert", edit_id=edit)["edit_id"]

            assert (previewed["before"], previewed["after"]) == (before, state_now(world, chunk)), step
            seen.append(previewed["after"]["text"])
    assert set(seen) == {None, "First", "Second", "Original"}


def test_a_revert_of_an_earlier_amend_shows_the_remaining_fold(world):
    chunk = world.chunk("Original")
    first = world.edit(chunk, "amend", text="First", importance=0.9)["edit_id"]
    world.edit(chunk, "amend", text="Second")

    answer = preview_revert(world.bob, chunk, first).json()

    assert answer["after"] == {"text": "Second", "importance": 0.5, **NOTHING_HIDES_IT, "edits_applied": 1}
    assert answer["no_longer_found_by"] == answer["newly_found_by"] == []


def test_a_revert_that_changes_nothing_for_readers_says_so(world):
    chunk = world.chunk("Original")
    first = world.edit(chunk, "amend", text="First")["edit_id"]
    world.edit(chunk, "amend", text="Second")

    assert preview_revert(world.bob, chunk, first).json()["effect"].startswith("no visible change")


def test_a_revert_of_a_revert_brings_the_edit_back(world):
    chunk = world.chunk("Original")
    retract = world.edit(chunk, "retract")["edit_id"]
    back = world.edit(chunk, "revert", edit_id=retract)["edit_id"]

    answer = preview_revert(world.bob, chunk, back).json()

    assert answer["before"]["text"] == "Original"
    assert answer["after"] == {**answer["before"], "text": None, "is_retracted": True, "edits_applied": 1}
    assert (answer["effect"], answer["no_longer_found_by"]) == ("removed from all answers", ["origin"])


def test_people_with_a_reading_role_preview_the_revert_of_a_retract_and_agents_do_not(world):
    chunk = world.chunk("Jack hates calls")
    edit = world.edit(chunk, "retract")["edit_id"]

    for reader in (world.bob, world.auditor):
        answer = preview_revert(reader, chunk, edit).json()
        assert answer["before"]["text"] is None
        assert answer["after"]["text"] == "Jack hates calls"
        assert (answer["no_longer_found_by"], answer["newly_found_by"]) == ([], ["call", "hate", "jack"])
    response = preview_revert(world.alice, chunk, edit)
    assert response.status_code == 404
    assert response.json()["detail"] == preview(world.alice, chunk, "quarantine").json()["detail"]


@pytest.mark.parametrize("policy", ["standard", "open"])
def test_an_agent_does_not_learn_the_words_that_an_amend_took_away(new_world, policy):
    """Neither by the revert of the amend nor, once that was reverted, by the revert of that."""
    world = new_world(policy)
    chunk = world.chunk("The code is tangerine")
    amend = world.edit(chunk, "amend", text="The code is elsewhere")["edit_id"]

    response = preview_revert(world.alice, chunk, amend)

    assert response.status_code == 403
    assert response.json()["errors"][0]["pointer"] == "#/patch/edit_id"
    assert "tangerin" not in response.content.decode()
    back = world.edit(chunk, "revert", edit_id=amend)["edit_id"]
    response = preview_revert(world.alice, chunk, back)
    assert response.status_code == 403
    assert "elsewher" not in response.content.decode()


def test_an_agent_previews_a_revert_that_brings_no_words_back(world):
    chunk = world.chunk("Original")
    attenuated = world.edit(chunk, "attenuate", importance=0.1)["edit_id"]
    quarantined = world.edit(chunk, "quarantine")["edit_id"]
    blocked = world.edit(chunk, "block", channel="public")["edit_id"]

    private = {"channel": "private"}
    assert preview_revert(world.alice, chunk, attenuated, **private).json()["after"]["importance"] == 0.5
    assert preview_revert(world.alice, chunk, quarantined, **private).json()["after"]["is_quarantined"] is False
    answer = preview_revert(world.alice, chunk, blocked, **private).json()
    assert (answer["before"]["blocked_channels"], answer["after"]["blocked_channels"]) == (["public"], [])
    assert answer["approvals_required"] == 1


def test_a_revert_of_a_block_is_previewed_by_those_who_hear_the_memory_or_look_after_it(world, agent_in):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "block", channel="public")["edit_id"]

    assert preview_revert(agent_in("public"), chunk, edit).status_code == 404
    assert preview_revert(world.alice, chunk, edit).status_code == 404
    assert preview_revert(agent_in("private"), chunk, edit).status_code == 200
    assert preview_revert(world.bob, chunk, edit).json()["after"]["text"] == "Original"


def test_a_revert_is_previewed_by_nobody_who_may_not_hear_the_target(world, charlie, elsewhere, agent_in):
    secret = world.chunk("Original", sensitivity="secret")
    high = world.chunk("Original", sensitivity="high")
    of_secret, of_high = (world.edit(chunk, "retract")["edit_id"] for chunk in (secret, high))

    assert preview_revert(world.bob, secret, of_secret, channel="private").status_code == 404
    assert preview_revert(world.bob, high, of_high, channel="public").status_code == 404
    assert preview_revert(world.bob, high, of_high).status_code == 200
    assert preview_revert(world.bob, high, of_high, channel="private").status_code == 200
    assert preview_revert(world.alice, high, of_high, channel="private").status_code == 404
    assert preview_revert(agent_in("public"), high, of_high, channel="private").status_code == 403
    assert preview_revert(charlie, high, of_high).status_code == 404
    assert preview_revert(elsewhere.bob, high, of_high, channel="private").status_code == 404


def test_a_revert_that_would_be_refused_is_refused_in_the_same_words(world, elsewhere):
    chunk, other = world.chunk("Original"), world.chunk("Another")
    reverted = world.edit(chunk, "quarantine")["edit_id"]
    world.edit(chunk, "revert", edit_id=reverted)
    refused = [
        reverted,
        world.edit(chunk, "retract", by=world.alice)["edit_id"],  # pending
        world.edit(other, "quarantine")["edit_id"],  # of another target
        elsewhere.edit(elsewhere.chunk(), "quarantine")["edit_id"],
        chunk,  # no edit at all
    ]
    for edit in refused:
        previewed = preview_revert(world.bob, chunk, edit)
        proposed = world.bob.post("edits", proposal(chunk, "revert", edit_id=edit))
        assert previewed.status_code == proposed.status_code == 409
        assert previewed.json()["detail"] == proposed.json()["detail"]


def test_a_previewed_revert_writes_nothing(world):
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "retract")["edit_id"]
    before = counts(world)

    assert preview_revert(world.bob, chunk, edit).status_code == 200

    assert counts(world) == before
    assert read(world, chunk) is None


def test_a_revert_of_an_edit_of_a_decision_is_previewed(world):
    recorded = world.event("Use PostgreSQL", kind="decision", content={"decision": "Use PostgreSQL"})
    decision = recorded["decision_id"]
    edit = world.edit(decision, "amend", target_type="decision", text="Use SQLite", importance=0.75)["edit_id"]

    answer = preview_revert(world.bob, decision, edit, "decision").json()

    assert (answer["before"]["text"], answer["before"]["importance"]) == ("Use SQLite", 0.75)
    assert answer["after"] == {"text": "Use PostgreSQL", "importance": 1, **NOTHING_HIDES_IT, "edits_applied": 0}
    retract = world.edit(decision, "retract", target_type="decision")["edit_id"]
    answer = preview_revert(world.bob, decision, retract, "decision").json()
    assert (answer["before"]["text"], answer["after"]["text"]) == (None, "Use SQLite")
    assert preview_revert(world.alice, decision, retract, "decision").status_code == 404


def test_what_the_other_records_of_a_memory_say_is_in_the_preview(world):
    """The amend of the decision holds for the chunk; reverted on the chunk, the chunk's own amend gives way to it."""
    recorded = world.event("Use PostgreSQL", kind="decision", content={"decision": "Use PostgreSQL"})
    (chunk,) = recorded["chunk_ids"]
    world.edit(recorded["decision_id"], "amend", target_type="decision", text="Use SQLite")
    own = world.edit(chunk, "amend", text="Use MariaDB")["edit_id"]

    previewed = preview_revert(world.bob, chunk, own).json()
    world.edit(chunk, "revert", edit_id=own)

    assert previewed["before"]["text"] == "Use MariaDB"
    assert previewed["after"]["text"] == read(world, chunk)["text"] == "Use SQLite"


def test_a_chunk_of_a_long_text_is_previewed_with_the_words_that_it_would_have(world):
    """Beside an edited chunk it gives up the overlap; the words that come back are its own again."""
    first, second, _ = world.event(words(450))["chunk_ids"]
    edit = world.edit(first, "retract")["edit_id"]
    quarantine = world.edit(second, "quarantine")["edit_id"]

    previewed = preview_revert(world.bob, second, quarantine).json()
    world.edit(second, "revert", edit_id=quarantine)

    assert previewed["after"]["text"] == read(world, second)["text"] == words(150, 200)
    assert preview_revert(world.bob, first, edit).json()["after"]["text"] == words(200)


def test_a_chunk_whose_words_another_chunk_would_say_is_in_no_answer(world):
    """Of two chunks with the decision's amended text one says it: the second, while it has a text of its own, is
    shown; once that is reverted it is not."""
    recorded = world.event(words(230), kind="decision", content={"decision": "Use PostgreSQL"})
    _, second = recorded["chunk_ids"]
    world.edit(recorded["decision_id"], "amend", target_type="decision", text="Use SQLite")
    own = world.edit(second, "amend", text="Of its own")["edit_id"]

    answer = preview_revert(world.bob, second, own).json()
    world.edit(second, "revert", edit_id=own)

    assert (answer["before"]["text"], answer["after"]["text"]) == ("Of its own", None)
    assert answer["effect"] == "removed from all answers: another record of the same memory is returned instead"
    assert read(world, second) is None
