"""An agent edits what it may hear: any other target is for it as if there were none."""

import pytest

from .helpers import counts, preview, proposal, read

NOWHERE = "00000000-0000-7000-8000-000000000000"
HIDDEN = [
    {"channel": "private", "sensitivity": "high"},
    {"channel": "private"},
    {"channel": "public", "sensitivity": "high"},
    {"channel": "public", "sensitivity": "secret"},
]


def record(world, **fields):
    """A decision and the chunk of its memory: (target type, id) of both."""
    made = world.event("Pay Jack double", kind="decision", content={"decision": "Pay Jack double"}, **fields)
    return [("chunk", made["chunk_ids"][0]), ("decision", made["decision_id"])]


def answered(response, target):
    """Status and body of an answer, without the id that was asked for and that of the request."""
    body = response.json()
    body.pop("request_id", None)
    return response.status_code, str(body).replace(target, "<id>")


def propose(api, target, op, target_type, **patch):
    return api.post("edits", proposal(target, op, target_type, **patch))


def propose_in_bulk(api, target, op, target_type, **patch):
    return api.post("edits/bulk", {"edits": [proposal(target, op, target_type, **patch)]})


def assert_as_if_there_were_none(world, api, target_type, target):
    before = counts(world)
    for op, patch in (("amend", {"text": "Pay Jack half"}), ("attenuate", {"importance_delta": -0.5}), ("retract", {})):
        for ask in (propose, preview, propose_in_bulk):
            hidden = answered(ask(api, target, op, target_type, **patch), target)
            assert hidden[0] == 404
            assert hidden == answered(ask(api, NOWHERE, op, target_type, **patch), NOWHERE)
    assert counts(world) == before


@pytest.mark.parametrize("fields", HIDDEN)
def test_it_works(world, agent_in, fields):
    for target_type, target in record(world, **fields):
        assert_as_if_there_were_none(world, agent_in("public"), target_type, target)


def test_what_is_blocked_in_all_its_channels_is_none(world, agent_in):
    targets = record(world, channel="public")
    for channel in ("public", "agent"):
        world.edit(targets[0][1], "block", channel=channel)

    for target_type, target in targets:
        assert_as_if_there_were_none(world, agent_in("public", "agent"), target_type, target)
        made = agent_in("public", "team").post("edits", proposal(target, "attenuate", target_type, importance=0.1))
        assert made.status_code == 201


def test_one_channel_must_both_hear_it_and_not_be_blocked(world, agent_in):
    """Public is not blocked and does not hear it; private would hear it and is blocked."""
    (_, chunk), _ = record(world, sensitivity="high")
    world.edit(chunk, "block", channel="private")

    response = agent_in("public", "private").post("edits", proposal(chunk, "amend", text="Pay Jack half"))

    assert response.status_code == 404


def test_in_bulk_each_of_the_others_is_proposed(world, agent_in):
    (_, hidden), _ = record(world, sensitivity="high")
    seen = world.chunk("Jack is nice", channel="public")
    edits = [proposal(target, "amend", text="Jack is kind") for target in (hidden, NOWHERE, seen)]

    answer = agent_in("public").ok("post", "edits/bulk", {"edits": edits, "mode": "each"})["edits"]

    assert [one["status"] for one in answer] == ["refused", "refused", "approved"]
    assert answer[0]["refusal"].replace(hidden, NOWHERE) == answer[1]["refusal"]
    assert read(world, hidden)["text"] == "Pay Jack double"


def test_a_revert_of_an_edit_of_it_is_refused_alike(world, agent_in):
    (_, chunk), _ = record(world, sensitivity="high")
    edit = world.edit(chunk, "amend", text="Pay Jack half")["edit_id"]

    response = agent_in("public").post(f"edits/{edit}/revert", {"reason": "a test"})

    assert response.status_code == 404
    assert read(world, chunk)["text"] == "Pay Jack half"


@pytest.mark.parametrize("op", ["quarantine", "retract"])
def test_what_a_quarantine_or_a_retract_hides_is_found_as_ever(world, op):
    chunk = world.chunk("Jack is nice")
    world.edit(chunk, op)

    assert world.alice.post("edits", proposal(chunk, "attenuate", importance=0.1)).status_code == 201


@pytest.mark.parametrize("fields", [{"sensitivity": "high"}, {"sensitivity": "secret"}])
def test_people_with_a_role_edit_whatever_there_is(world, fields):
    (_, chunk), (_, decision) = record(world, **fields)
    for channel in ("private", "public", "team", "agent"):
        world.edit(chunk, "block", channel=channel)

    assert world.edit(decision, "retract", target_type="decision")["status"] == "approved"
