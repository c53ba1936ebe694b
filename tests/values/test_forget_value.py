"""A value that is forgotten is in no answer, and every other word is."""

from typing import Any

import pytest

from memory.db import effective_drift
from tests.world import World

pytestmark = pytest.mark.django_db


def preview(api, value: str, op: str = "forget", **fields):
    return api.ok("post", "values/preview", {"op": op, "value": value, "reason": "asked to", **fields})


def forget(api, value: str, **fields):
    found = preview(api, value, **fields)
    return api.ok("post", "values", {"token": found["token"], "confirm": bool(found["confirm_because"])})


def refused(api, path: str, body: dict[str, Any], status: int):
    response = api.request("post", path, body)
    assert response.status_code == status, response.content
    return response.json()


@pytest.fixture
def drift():
    """`drift(world)` are the rows of projections that differ from the record."""

    def rows(world: World):
        with world.inside("owner"):
            return effective_drift.on("owner")(tenant=world.tenant_id)

    return rows


def test_forgetting_a_value_cuts_it_out_of_every_memory(world: World):
    world.event("The staging database is orchid-7, and deploys run at noon.")
    world.event("Use Orchid-7 for tests.")
    world.event("The production database is rose-1.")
    done = forget(world.bob, "orchid-7")
    assert done["status"] == "approved"
    assert sorted(world.found("database")) == [
        "The production database is rose-1.",
        "The staging database is […], and deploys run at noon.",
    ]
    assert world.found("orchid-7") == []
    assert world.found("noon") == ["The staging database is […], and deploys run at noon."]


def test_replacing_a_value_puts_the_new_words_in_its_place(world: World):
    world.event("The staging database is orchid-7, and deploys run at noon.")
    forget(world.bob, "orchid-7", op="replace", to="lotus-2")
    assert world.found("staging") == ["The staging database is lotus-2, and deploys run at noon."]


def test_reverting_the_edit_lets_the_value_be_said_again(world: World):
    world.event("The staging database is orchid-7.")
    done = forget(world.bob, "orchid-7")
    world.bob.ok("post", f"edits/{done['edit_id']}/revert", {"reason": "It was right"})
    assert world.found("staging") == ["The staging database is orchid-7."]
    assert world.bob.ok("get", "values")["results"] == []


def test_what_is_recorded_later_is_stored_without_the_value(world: World):
    world.event("The staging database is orchid-7.")
    forget(world.bob, "orchid-7")
    world.event("As asked, I have forgotten ORCHID 7 now.")
    assert world.found("forgotten") == ["As asked, I have forgotten […] now."]


def test_what_says_a_replaced_value_later_is_quarantined(world: World):
    world.event("The staging database is orchid-7.")
    done = forget(world.bob, "orchid-7", op="replace", to="lotus-2")
    again = world.event("Is it orchid-7?")
    assert again["quarantined_chunk_ids"] == again["chunk_ids"]
    assert again["quarantines"][0]["retracted_by"] == done["edit_id"]


#: How a text says a value, or not.
@pytest.mark.parametrize(
    ("value", "text", "left"),
    [
        ("orchid-7", "It runs on Orchid 7.", "It runs on […]."),
        ("orchid-7", "It runs on ORCHID_7!", "It runs on […]!"),
        ("orchid-7", "db://orchid-7/main", "db://[…]/main"),
        ("orchid-7", "It runs on orchid\u20117 (orchid\u20137).", "It runs on […] ([…])."),
        ("orchid-7", "It runs on or\u200bchid-7 today.", "It runs on […] today."),
        ("orchid-7", "It runs on orchid-77 and orchid-7.5.", None),
        ("orchid-7", "It runs on \uff4f\uff52\uff43\uff48\uff49\uff44-\uff17 today.", "It runs on […] today."),
        ("1200", "It costs 1,200 euros, not 1\u00a0200.", "It costs […] euros, not […]."),
        ("500", "It costs 500.25 or 1,500.", None),
        ("10.0.0.1", "Ask 10.0.0.1:5432 or 10.0.0.12.", "Ask […]:5432 or 10.0.0.12."),
        ("O\u2019Brien", "Mr O'Brien called.", "Mr […] called."),
        ("Ann Smith", "ann  smith's card, not Ann and Smith's", "[…]'s card, not Ann and Smith's"),
        ("東京", "私は東京都に住む", "私は[…]都に住む"),
        ("straße 5", "STRASSE 5 it is", "[…] it is"),
        ("ann@example.com", "Write to Ann@Example.com, please.", "Write to […], please."),
        ("the key is under the mat", "He said: the key is under the mat. Yes.", "He said: […]. Yes."),
    ],
)
def test_a_value_is_found_as_whole_words_in_every_spelling(world: World, value: str, text: str, left: str | None):
    world.event(f"The value is: {value}")
    chunk = world.chunk(text)
    forget(world.bob, value)
    (found,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
    assert found["text"] == (text if left is None else left)


def test_a_revert_of_an_earlier_correction_does_not_bring_it_back(world: World):
    chunk = world.chunk("It runs on orchid-7 since May.")
    amended = world.edit(chunk, "amend", text="It runs on orchid-7 since June.")
    forget(world.bob, "orchid-7")
    assert world.found("runs") == ["It runs on […] since June."]
    world.bob.ok("post", f"edits/{amended['edit_id']}/revert", {"reason": "It was May"})
    assert world.found("runs") == ["It runs on […] since May."]


def test_memory_that_says_nothing_else_leaves_all_answers(world: World):
    chunk = world.chunk("orchid-7")
    forget(world.bob, "orchid-7")
    answer = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})
    assert answer["chunks"] == []


def test_the_records_of_an_event_forget_with_it(world: World):
    decided = world.alice.ok(
        "post",
        "events",
        {
            **world.draft("We use it."),
            "kind": "decision",
            "content": {
                "decision": "Use orchid-7 for staging",
                "rationale": ["orchid-7 is fast", "it is cheap"],
                "scope": "project",
                "project_id": "p",
            },
            "tags": ["orchid-7", "staging"],
        },
    )
    forget(world.bob, "orchid-7")
    (decision,) = world.alice.ok("get", "decisions")["results"]
    assert (decision["decision"], decision["rationale"]) == ("Use […] for staging", ["[…] is fast", "it is cheap"])
    event = world.alice.ok("get", f"events/{decided['event_id']}")
    assert event["tags"] == ["staging"]
    assert "orchid" not in str(event)


def test_a_proposed_correction_that_says_it_is_read_without_it(world: World):
    chunk = world.chunk("It runs somewhere.")
    done = world.edit(chunk, "amend", by=world.bob, text="It runs on orchid-7.")
    forget(world.bob, "orchid-7")
    assert "orchid" not in str(world.bob.ok("get", f"edits/{done['edit_id']}"))
    assert "orchid" not in str(world.bob.ok("get", f"chunks/{chunk}/history"))


def test_an_edit_proposed_later_is_recorded_without_it(world: World):
    chunk = world.chunk("It runs somewhere.")
    world.event("orchid-7 it is")
    forget(world.bob, "orchid-7")
    done = world.edit(chunk, "amend", text="It runs on orchid-7.", reason="orchid-7 is right")
    edit = world.bob.ok("get", f"edits/{done['edit_id']}")
    assert (edit["patch"]["text"], edit["reason"]) == ("It runs on […].", "[…] is right")


def test_capsules_are_read_without_it(world: World):
    chunk = world.chunk("It runs on orchid-7.")
    capsule = world.alice.ok(
        "post",
        "capsules",
        {
            "scope": "user",
            "subject_type": "user",
            "subject_id": "jack",
            "audience_agent_ids": ["alice"],
            "items": {"chunks": [chunk]},
            "note": "Ask about orchid-7.",
            "risks": ["orchid-7 is slow"],
        },
    )
    found = preview(world.bob, "orchid-7")
    assert found["by_kind"] == {"message": 1, "capsule": 1}
    forget(world.bob, "orchid-7")
    opened = world.alice.ok("get", f"capsules/{capsule['capsule_id']}")
    assert "orchid" not in str(opened)
    assert (opened["note"], opened["risks"]) == ("Ask about […].", ["[…] is slow"])


@pytest.mark.django_db(transaction=True, databases=["default", "review", "owner"])
def test_the_projection_still_agrees_with_the_record(world: World, drift):
    world.event("It runs on orchid-7 since May.")
    world.event("orchid-7")
    chunk = world.chunk("Ask orchid-7.", tags=["orchid-7", "b"])
    world.edit(chunk, "amend", text="Ask orchid-7 again.")
    done = forget(world.bob, "orchid-7")
    assert drift(world) == []
    world.bob.ok("post", f"edits/{done['edit_id']}/revert", {"reason": "It was right"})
    assert drift(world) == []
    assert sorted(world.found("orchid-7")) == ["Ask orchid-7 again.", "It runs on orchid-7 since May.", "orchid-7"]


def test_an_agent_forgets_what_it_alone_recorded_at_once(world: World):
    world.event("It runs on orchid-7.")
    found = preview(world.alice, "orchid-7")
    assert "recorder" in found["reach"]
    done = world.alice.ok("post", "values", {"token": found["token"]})
    assert done["status"] == "approved"
    assert world.found("runs") == ["It runs on […]."]


def test_an_agent_waits_for_a_person_to_forget_what_others_recorded(world: World):
    world.event("Staging runs on orchid-7.")
    world.bob.ok("post", "events", world.draft("Staging is orchid-7.", actor_type="human"))
    found = preview(world.alice, "orchid-7")
    assert found["count"] == 2
    done = world.alice.ok("post", "values", {"token": found["token"]})
    assert done["status"] == "pending"
    world.bob.ok("post", f"edits/{done['edit_id']}/approve", {})
    assert world.found("orchid-7") == []
    assert sorted(world.found("staging")) == ["Staging is […].", "Staging runs on […]."]


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"value": ""}, 400, "/value"),
        ({"value": "a"}, 400, "/value"),
        ({"value": "the"}, 400, "/value"),
        ({"value": "…"}, 400, "/value"),
        ({"value": "nobody said this"}, 400, "/value"),
        ({"value": "orchid-7", "reach": {"session_id": "another"}}, 400, "/value"),
        ({"value": "orchid-7", "to": "lotus"}, 400, "/to"),
        ({"value": "orchid-7", "op": "replace"}, 400, "/to"),
        ({"value": "orchid-7", "op": "replace", "to": "ORCHID-7"}, 400, "/to"),
        ({"value": "orchid-7", "op": "retract"}, 400, "/op"),
        ({"value": "orchid-7", "ends_at": "2020-01-01T00:00:00Z"}, 400, "/ends_at"),
        (
            {"value": "orchid-7", "reach": {"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}},
            400,
            "/reach/until",
        ),
    ],
)
def test_bad_input_names_its_place(world: World, body: dict[str, Any], status: int, pointer: str):
    world.event("It runs on orchid-7.")
    problem = refused(world.bob, "values/preview", {"op": "forget", "reason": "asked", **body}, status)
    assert pointer in str(problem), problem


def test_new_words_that_say_the_value_are_refused(world: World):
    world.event("It runs on orchid-7.")
    found = preview(world.bob, "orchid-7", op="replace", to="the new orchid 7 b")
    problem = refused(world.bob, "values", {"token": found["token"]}, 400)
    assert "say the value" in str(problem)


def test_a_stale_preview_is_refused(world: World):
    world.event("It runs on orchid-7.")
    found = preview(world.bob, "orchid-7")
    world.event("And again on orchid-7.")
    refused(world.bob, "values", {"token": found["token"]}, 409)
    assert len(world.found("orchid-7")) == 2


def test_a_value_can_be_forgotten_and_allowed_again_many_times(world: World):
    world.event("The staging database is orchid-7.")
    for _ in range(2):
        done = forget(world.bob, "orchid-7")
        world.bob.ok("post", f"edits/{done['edit_id']}/revert", {"reason": "It was right"})
        assert world.found("staging") == ["The staging database is orchid-7."]


def test_of_two_edits_of_one_value_the_earlier_takes_effect(world: World):
    chunk = world.chunk("It runs on orchid-7.")
    world.event("Staging is orchid-7.", session_id="session-2")
    forget(world.bob, "orchid-7", op="replace", to="lotus-2", reach={"session_id": "session-1"})
    forget(world.bob, "orchid-7")
    world.edit(chunk, "attenuate", importance=0.4)
    assert world.found("runs") == ["It runs on lotus-2."]
    assert world.found("staging") == ["Staging is […]."]


def test_the_preview_lists_checkpoints_and_earlier_edits(world: World):
    chunk = world.chunk("It runs on orchid-7.")
    earlier = world.edit(chunk, "amend", text="It runs on orchid-7, in Lisbon.")
    world.edit(chunk, "amend", text="It runs on lotus-2.")
    other = world.chunk("Staging is orchid-7.")
    labelled = {"working_memory": {}, "turn": 0, "label": "moved to orchid-7"}
    naming = {"working_memory": {"plan": f"as {other} says"}, "turn": 1}
    made = [world.alice.ok("post", "sessions/run-1/checkpoints", state)["id"] for state in (labelled, naming)]
    found = preview(world.bob, "orchid-7")
    assert found["by_kind"] == {"message": 1, "edit": 1, "checkpoint": 2}
    assert {one["id"] for one in found["places"]} == {other, earlier["edit_id"], *made}
    # a checkpoint that is saved meanwhile does not make the preview out of date
    world.alice.ok("post", "sessions/run-1/checkpoints", {**naming, "turn": 2})
    world.bob.ok("post", "values", {"token": found["token"], "confirm": bool(found["confirm_because"])})
    assert refused(world.bob, "values/preview", {"op": "forget", "value": "orchid-7", "reason": "again"}, 400)


def test_within_a_reach_edits_and_checkpoints_are_read_without_it(world: World):
    chunk = world.chunk("It runs on orchid-7.")
    amended = world.edit(chunk, "amend", text="It runs on orchid-7 again.")
    state = {"working_memory": {"plan": "use orchid-7"}, "turn": 0}
    made = world.alice.ok("post", "sessions/run-1/checkpoints", state)
    forget(world.bob, "orchid-7", reach={"recorder": "alice"})
    assert "orchid" not in str(world.bob.ok("get", f"edits/{amended['edit_id']}"))
    assert "orchid" not in str(world.bob.ok("get", f"chunks/{chunk}/history"))
    assert "orchid" not in str(world.alice.ok("post", f"checkpoints/{made['id']}/restore", {}))
