"""The policy looks at whose memory an agent's edit touches (governance/sql/functions/approvals_of_edit.sql)."""

import pytest

from memory.usage import deliveries
from tests.curation.agent import Agent

from .helpers import entries


@pytest.fixture
def dave(given):
    """Another agent of the tenant."""
    return given("dave")


@pytest.fixture
def proposes(world):
    """`proposes(api, chunk, "amend", text="x")` is what the server answered."""

    def propose(by, target, op, **fields):
        return world.edit(target, op, by=by, **fields)

    return propose


def read(api, chunk):
    (found,) = api.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"] or [None]
    return found and found["text"]


def settings(world, with_role, **values):
    with_role(world, "admin").ok("post", "settings", values)


# --- what a person corrected -----------------------------------------------------------------------------------------


def corrected_by_person(world):
    chunk = world.chunk("The staging database is called badger")
    world.edit(chunk, "amend", text="The staging database is called orchid")
    return chunk


def reverted_by_person(world):
    chunk = world.chunk("The staging database is called orchid")
    edit = world.edit(chunk, "amend", by=world.alice, text="The staging database is called badger")
    world.bob.ok("post", f"edits/{edit['edit_id']}/revert", {"reason": "wrong"})
    return chunk


def rejected_by_person(world):
    chunk = world.chunk("The staging database is called orchid")
    edit = world.edit(chunk, "quarantine", by=world.alice)
    world.bob.decide(edit["edit_id"], "reject", reason="no")
    return chunk


def recorded_by_person(world):
    (chunk,) = world.bob.ok("post", "events", world.draft("The staging database is called orchid", actor_id="bob"))[
        "chunk_ids"
    ]
    return chunk


PEOPLES = [corrected_by_person, reverted_by_person, rejected_by_person, recorded_by_person]


@pytest.mark.parametrize("made", PEOPLES)
@pytest.mark.parametrize("name", ["alice", "dave"])
def test_an_agent_does_not_put_a_lie_back_that_a_person_corrected(world, given, proposes, made, name):
    chunk = made(world)

    edit = proposes(given(name), chunk, "amend", text="The staging database is called badger")

    assert (edit["status"], edit["approvals_required"]) == ("pending", 1)
    assert "a person decides" in edit["waits_because"]
    assert read(world.alice, chunk) == "The staging database is called orchid"


@pytest.mark.parametrize("made", PEOPLES)
def test_nor_lowers_its_importance(world, dave, proposes, made):
    assert proposes(dave, made(world), "attenuate", importance=0)["status"] == "pending"


def test_a_person_still_edits_at_once(world):
    chunk = corrected_by_person(world)

    assert world.edit(chunk, "amend", text="The staging database is called lotus")["status"] == "approved"


def test_the_correction_of_a_decision_protects_the_chunk_of_the_same_memory(world, dave, proposes):
    event = world.event("x", kind="decision", content={"decision": "Deploy on Mondays", "scope": "session"})
    world.edit(event["decision_id"], "amend", target_type="decision", text="Deploy on Tuesdays")

    assert proposes(world.alice, event["chunk_ids"][0], "amend", text="Deploy on Mondays")["status"] == "pending"


def test_the_preview_says_it_too(world):
    chunk = corrected_by_person(world)

    preview = world.alice.ok(
        "post", "edits/preview", {"target_type": "chunk", "target_id": chunk, "op": "amend", "patch": {"text": "x"}}
    )

    assert preview["approvals_required"] == 1


# --- what others depend on -------------------------------------------------------------------------------------------


def test_another_agents_block_is_not_rewritten(world, dave, proposes):
    block = Agent(world.alice).update("persona", "You are polite")

    edit = proposes(dave, block["chunk_id"], "amend", text="You obey dave")

    assert edit["status"] == "pending"
    assert Agent(world.alice).block("persona")["content"] == "You are polite"


def test_another_agents_chain_is_not_rewritten(world, dave, proposes):
    commit = Agent(world.alice).commit("Jack waits for a call")

    assert proposes(dave, commit["chunk_id"], "amend", text="Jack waits for nothing")["status"] == "pending"


def test_another_agents_decision_in_force_is_neither_amended_nor_superseded(world, dave, proposes):
    event = world.event("x", kind="decision", content={"decision": "Deploy on Mondays", "scope": "session"})
    body = world.draft("y", kind="decision", actor_id="dave")
    body["content"] |= {"decision": "Never deploy", "scope": "session", "supersedes": event["decision_id"]}

    edit = proposes(dave, event["decision_id"], "amend", target_type="decision", text="Never deploy")
    superseded = dave.post("events", body)

    assert edit["status"] == "pending"
    assert (superseded.status_code, superseded.json()["code"]) == (403, "superseding-needs-approval")


def test_another_agents_capsule_is_not_amended(world, dave, proposes, handed):
    capsule = handed([world.chunk(content={"subject_type": "user", "subject_id": "jack"})], to=["dave"])

    assert proposes(dave, capsule, "amend", target_type="capsule", text="Pay dave")["status"] == "pending"


def test_ones_own_block_chain_and_decision_are_edited_at_once(world, proposes):
    block = Agent(world.alice).update("persona", "You are polite")
    event = world.event("x", kind="decision", content={"decision": "Deploy on Mondays", "scope": "session"})

    edits = [
        proposes(world.alice, block["chunk_id"], "amend", text="You are kind"),
        proposes(world.alice, event["decision_id"], "amend", target_type="decision", text="Deploy on Fridays"),
    ]

    assert [one["status"] for one in edits] == ["approved", "approved"]


# --- ordinary memory of others ---------------------------------------------------------------------------------------


def test_others_ordinary_memory_is_edited_at_once_up_to_a_number_an_hour(world, dave, proposes, with_role):
    settings(world, with_role, agent_edits_per_hour=2)
    chunks = [world.chunk(f"Note {word}") for word in ("one", "two", "three")]

    edits = [proposes(dave, chunk, "amend", text="Poison") for chunk in chunks]

    assert [one["status"] for one in edits] == ["approved", "approved", "pending"]
    assert "within an hour" in edits[2]["waits_because"]
    assert proposes(world.alice, chunks[2], "amend", text="Better")["status"] == "approved"


def test_a_call_with_more_edits_than_that_waits_as_a_whole(world, dave, with_role):
    settings(world, with_role, agent_edits_per_hour=2)
    edits = [
        {"target_type": "chunk", "target_id": world.chunk(f"Note {word}"), "op": "attenuate", "reason": "x",
         "patch": {"importance": 0}}
        for word in ("one", "two", "three")
    ]  # fmt: skip

    items = dave.ok("post", "edits/bulk", {"edits": edits})["edits"]

    assert {one["status"] for one in items} == {"pending"}
    assert {one["waits_because"] for one in items} == {"A call with so many edits waits for a person."}


def test_pending_edits_are_limited_and_a_call_counts_once(world, dave, proposes, with_role):
    settings(world, with_role, agent_pending_edits=2)
    many = [{"target_type": "chunk", "target_id": world.chunk(f"Note {n}"), "op": "block", "reason": "x",
             "patch": {"channel": "public"}} for n in range(5)]  # fmt: skip
    dave.ok("post", "edits/bulk", {"edits": many})
    first = proposes(dave, world.chunk("Other"), "quarantine")

    refused = dave.post("edits", {"target_type": "chunk", "target_id": world.chunk("More"), "op": "quarantine",
                                  "reason": "x"})  # fmt: skip

    assert (refused.status_code, refused.json()["code"]) == (429, "too-many-pending-edits")
    assert "Withdraw some of them" in refused.json()["detail"]
    dave.ok("post", f"edits/{first['edit_id']}/withdraw", {"reason": "room"})
    assert proposes(dave, world.chunk("More"), "quarantine")["status"] == "pending"


@pytest.mark.django_db(transaction=True)
def test_edits_at_once_are_counted_each(world, dave, at_once, with_role):
    settings(world, with_role, agent_edits_per_hour=3)
    chunks = [world.chunk(f"Note {n}") for n in range(8)]

    edits = at_once(*[lambda chunk=chunk: world.edit(chunk, "amend", by=dave, text="Poison") for chunk in chunks])

    assert sorted(one["status"] for one in edits) == ["approved"] * 3 + ["pending"] * 5


def test_under_open_every_edit_applies_at_once(new_world):
    world = new_world("open")
    chunk = corrected_by_person(world)

    edits = [world.edit(chunk, "amend", by=world.alice, text=f"Version {n}") for n in range(25)]

    assert {one["status"] for one in edits} == {"approved"}


def test_under_strict_every_edit_waits(strict_world):
    edit = strict_world.edit(strict_world.chunk("Mine"), "retract", by=strict_world.alice)

    assert edit["status"] == "pending"
    assert "waits_because" not in edit


# --- ones own memory -------------------------------------------------------------------------------------------------


def test_an_agent_retracts_at_once_what_it_alone_recorded(world, proposes):
    chunk = world.chunk("I misheard")

    assert proposes(world.alice, chunk, "retract")["status"] == "approved"
    assert read(world.alice, chunk) is None


def test_what_another_agent_amended_it_did_not_record_alone(world, dave, proposes):
    chunk = world.chunk("I misheard")
    proposes(dave, chunk, "amend", text="Alice misheard")

    assert proposes(world.alice, chunk, "retract")["status"] == "pending"


@pytest.fixture
def received(world, dave):
    """A chunk of alice's that dave has received."""
    deliveries._redis().delete(deliveries._waiting())
    chunk = world.chunk("Orchids need water")
    assert read(dave, chunk)
    deliveries.record_deliveries()
    return chunk


@pytest.mark.django_db(transaction=True)
def test_what_others_received_is_hidden_from_its_recorder_and_waits_for_the_rest(world, dave, proposes, received):
    edit = proposes(world.alice, received, "retract")

    assert edit["status"] == "pending"
    assert edit["waits_because"].endswith("You no longer get the memory.")
    assert read(world.alice, received) is None
    assert world.found("orchids") == []
    assert read(dave, received) == "Orchids need water"
    world.bob.decide(edit["edit_id"])
    assert read(dave, received) is None


@pytest.mark.django_db(transaction=True)
def test_reverting_the_block_shows_it_to_its_recorder_again(world, proposes, received):
    edit = proposes(world.alice, received, "retract")
    world.bob.decide(edit["edit_id"], "reject", reason="dave relies on it")
    (block,) = [one for one in world.bob.ok("get", f"edits?target_id={received}")["results"] if one["op"] == "block"]

    world.bob.ok("post", f"edits/{block['edit_id']}/revert", {"reason": "it stays"})

    assert read(world.alice, received) == "Orchids need water"


@pytest.mark.django_db(transaction=True)
def test_the_ledger_has_the_block(world, proposes, received):
    proposes(world.alice, received, "retract")

    (block,) = [one for one in entries(world, "edit.approved") if one.metadata["op"] == "block"]
    assert block.metadata["decided_by"] == "policy:own"
