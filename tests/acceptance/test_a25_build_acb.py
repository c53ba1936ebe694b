"""A25: the active context bundle has the session, decisions, tasks and capsules, as they are after their edits.

The scenario's 15 chunks are 18 (20 less 2 quarantined), of which 5 are amended: docs/context.md.
"""

import pytest

JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}


@pytest.fixture
def acb(world, handed):
    """The scenario's state, and what `POST /acb/build` answers."""
    chunks = [
        world.chunk(f"Jack said thing number {number}", session_id="session-123", content=JACK) for number in range(20)
    ]
    for chunk in chunks[:5]:
        world.edit(chunk, "amend", text=f"Jack meant {chunk}")
    for chunk in chunks[5:7]:
        world.edit(chunk, "quarantine")
    for number in range(5):
        world.event(kind="decision", session_id="elsewhere", content={"decision": f"Decision {number}", **JACK})
    for number in range(2):
        world.event(
            kind="task_update", session_id="elsewhere", content={"title": f"Task {number}", "status": "open", **JACK}
        )
    curated = [world.chunk(f"Curated {number}", session_id="other", content=JACK) for number in range(3)]
    handed(curated, to=["alice"])
    response = world.alice.post(
        "acb/build",
        {
            "session_id": "session-123",
            "channel": "private",
            **JACK,
            "include_capsules": True,
            "include_quarantined": False,
        },
    )
    assert response.status_code == 200, response.content
    return {**response.json()["acb"], "recorded": chunks, "curated": curated}


def test_the_session_has_its_chunks_but_for_the_quarantined(acb):
    shown = [chunk["chunk_id"] for chunk in acb["session"]["chunks"]]
    assert shown == acb["recorded"][:5] + acb["recorded"][7:]
    assert len(shown) == 18


def test_the_amended_ones_have_their_new_text(acb):
    corrected = {chunk["chunk_id"]: chunk["text"] for chunk in acb["session"]["chunks"] if chunk["edits_applied"]}
    assert corrected == {chunk: f"Jack meant {chunk}" for chunk in acb["recorded"][:5]}


def test_decisions_tasks_and_the_capsule_are_there(acb):
    assert sorted(one["decision"] for one in acb["active_decisions"]) == [f"Decision {number}" for number in range(5)]
    assert sorted(one["title"] for one in acb["active_tasks"]) == ["Task 0", "Task 1"]
    (capsule,) = acb["capsules"]
    assert [item["id"] for item in capsule["items"]["chunks"]] == acb["curated"]


def test_the_edits_are_counted_and_the_budget_is_honoured(acb):
    assert acb["edits_applied"] == 5
    assert 0 < acb["total_tokens"] < acb["max_tokens"] == 65_000


def test_it_says_what_it_left_out(acb):
    hidden = [one for one in acb["omissions"] if one["reason"] == "quarantined"]
    assert hidden == [
        {"section": "recent_window", "reason": "quarantined", "count": 2, "ids": acb["recorded"][5:7]},
    ]
