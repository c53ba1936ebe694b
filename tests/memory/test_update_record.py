"""A record that updates an earlier one has its place, as long as readers get it."""

import uuid

import pytest

from governance.identity import identities
from memory.models import EffectiveChunk
from tests.curation.agent import Agent
from tests.memory.recording import body, counts, refused
from tests.surgery.helpers import drift
from tests.world import Api

OLD, NEW, NEWER = "The staging database is orchid-7", "The staging database is fern-2", "The staging database is moss-9"
JACK = {"subject_type": "user", "subject_id": "jack"}
ANN = {"subject_type": "user", "subject_id": "ann"}


def superseded(world):
    """The superseded chunks, each with the one that replaced it."""
    with world.inside():
        rows = EffectiveChunk.objects.filter(tenant_id=world.tenant_id, is_superseded=True)
        return {(str(id), str(by)) for id, by in rows.values_list("id", "superseded_by")}


def another_agent(world, *channels):
    made = identities.provision(world.slug, agents=[("dora", list(channels))])
    return Api(made.agents["dora"]["key"])


def capture(world, content, **fields):
    source = {"type": "ClaudeResponse", "response_type": "stop"}
    made = {"session_id": "s", "source": source, "content": content, "compute_embedding": False, **fields}
    return world.alice.ok("post", "captures", made)


#: Tests that compare the projection with the record, which only the owner may.
owned = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@owned
def test_it_works(world):
    old = world.event(OLD)

    new = world.event(NEW, updates=old["event_id"])

    assert new["superseded_chunk_ids"] == old["chunk_ids"]
    assert world.found("staging database") == [NEW]
    assert superseded(world) == {(old["chunk_ids"][0], new["chunk_ids"][0])}
    assert world.alice.ok("get", f"events/{old['event_id']}")["content"]["text"] == OLD
    assert drift(world) == []


def test_history_shows_both_records(world):
    old = world.event(OLD)["chunk_ids"][0]
    new = world.event(NEW, updates=old)["chunk_ids"][0]
    for chunk in (old, new):
        (one,) = world.bob.ok("get", f"chunks/{chunk}/history")["relations"]
        assert (one["kind"], one["later_id"], one["earlier_id"], one["recorder"]) == ("update", new, old, "alice")


def test_a_recall_that_includes_superseded_memory_finds_the_earlier_record(world):
    world.event(OLD, key="staging")
    world.event(NEW, key="staging")
    agent = Agent(world.alice)
    assert agent.recall("staging database") == [NEW]
    assert set(agent.recall("staging database", include_superseded=True)) == {OLD, NEW}


def test_a_chunk_is_named_by_its_id_too(world):
    old = world.event(OLD)
    assert world.event(NEW, updates=old["chunk_ids"][0])["superseded_chunk_ids"] == old["chunk_ids"]


@owned
def test_all_chunks_of_a_long_text_are_superseded(world):
    old = world.event(" ".join(f"orchid{number}" for number in range(450)))
    assert len(old["chunk_ids"]) > 1
    assert world.event(NEW, updates=old["event_id"])["superseded_chunk_ids"] == old["chunk_ids"]
    assert world.found("orchid7") == []
    assert drift(world) == []


@owned
@pytest.mark.parametrize("op", ["retract", "quarantine"])
def test_the_earlier_record_returns_while_the_later_is_hidden(world, op):
    old = world.event(OLD)
    new = world.event(NEW, updates=old["event_id"])
    edit = world.edit(new["chunk_ids"][0], op)["edit_id"]
    assert world.found("staging database") == [OLD]
    assert drift(world) == []
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "It was right"})
    assert world.found("staging database") == [NEW]
    assert drift(world) == []


def test_an_amend_of_the_later_record_is_what_readers_get(world):
    old = world.event(OLD)
    new = world.event(NEW, updates=old["event_id"])
    world.edit(new["chunk_ids"][0], "amend", text=NEWER)
    assert world.found("staging database") == [NEWER]


@owned
def test_recording_again_with_a_key_supersedes_the_record_before(world):
    first, second, third = (world.event(text, key="staging", **JACK) for text in (OLD, NEW, NEWER))
    assert [one["superseded_chunk_ids"] for one in (first, second, third)] == [
        [],
        first["chunk_ids"],
        second["chunk_ids"],
    ]
    assert world.found("staging database") == [NEWER]
    world.edit(second["chunk_ids"][0], "retract")
    assert world.found("staging database") == [NEWER]
    world.edit(third["chunk_ids"][0], "retract")
    assert world.found("staging database") == [OLD]
    assert drift(world) == []


def test_a_key_is_of_one_subject_and_one_recorder(world):
    world.event(OLD, key="staging", **JACK)
    assert world.event(NEW, key="staging", **ANN)["superseded_chunk_ids"] == []
    assert world.event(NEW, key="staging")["superseded_chunk_ids"] == []
    theirs = world.bob.ok("post", "events", body(NEWER, key="staging", **JACK))
    assert theirs["superseded_chunk_ids"] == []


@owned
def test_events_of_one_batch_update_each_other_in_order(world):
    first = str(uuid.uuid4())
    events = [
        body(OLD, id=first),
        body(NEW, updates=first),
        body("Tea at four", key="tea"),
        body("Tea at five", key="tea"),
    ]
    made = world.alice.ok("post", "events/batch", {"events": events})["events"]
    assert [one["superseded_chunk_ids"] for one in made] == [[], made[0]["chunk_ids"], [], made[2]["chunk_ids"]]
    assert world.found("staging database") == [NEW]
    assert world.found("tea") == ["Tea at five"]
    assert drift(world) == []


@owned
def test_records_with_one_key_at_once_supersede_each_other(world, at_once):
    posts = [
        lambda text=text: Api(world.keys["alice"]).post("events", body(text, key="staging")) for text in (OLD, NEW)
    ]
    assert [one.status_code for one in at_once(*posts * 2)] == [201] * 4
    assert len(world.found("staging database")) == 1
    assert drift(world) == []


@owned
def test_of_two_updates_of_one_record_at_once_one_is_refused(world, at_once):
    old = world.event(OLD)["event_id"]
    posts = [lambda: Api(world.keys["alice"]).post("events", body(NEW, updates=old))]
    assert sorted(one.status_code for one in at_once(*posts * 2)) == [201, 409]
    assert world.found("staging database") == [NEW]
    assert drift(world) == []


def test_a_repeated_event_updates_nothing_again(world):
    old = world.event(OLD)
    event = body(NEW, id=str(uuid.uuid4()), updates=old["event_id"])
    world.alice.ok("post", "events", event)
    assert world.alice.ok("post", "events", event)["superseded_chunk_ids"] == []
    assert world.found("staging database") == [NEW]


def test_an_agents_record_may_not_replace_a_persons_or_anothers(world):
    for by in (world.bob, another_agent(world)):
        theirs = by.ok("post", "events", body(OLD))
        before = counts(world)
        answer = world.alice.post("events", body(NEW, updates=theirs["event_id"]))
        refused(answer, "#/updates", status=403)
        assert answer.json()["code"] == "updating-needs-approval"
        assert counts(world) == before
    assert world.found("staging database") == [OLD, OLD]


def test_a_reviewer_may_replace_an_agents_record(world):
    old = world.event(OLD)
    new = world.bob.ok("post", "events", body(NEW, updates=old["event_id"]))
    assert new["superseded_chunk_ids"] == old["chunk_ids"]


def test_bad_references_are_refused_with_their_place(world, subtests):
    old = world.event(OLD)
    world.event(NEW, updates=old["event_id"])
    decision = world.event("No", kind="decision", content={"decision": "Use PostgreSQL"})
    own = Agent(world.alice).commit("Jack drinks tea")["chunk_id"]
    mine, other = str(uuid.uuid4()), str(uuid.uuid4())
    known = world.event("Tea at four")["event_id"]
    cases = [
        ([body(NEW, updates=str(uuid.uuid4()))], "#/events/0/updates", 404, "nothing-to-update"),
        ([body(NEW, id=mine, updates=mine)], "#/events/0/updates", 400, None),
        ([body(NEW, updates=other), body(NEW, id=other)], "#/events/0/updates", 400, "updates-later-record"),
        ([body(NEW, updates=known, key="tea")], "#/events/0/key", 400, None),
        ([body(NEW, key="x" * 201)], "#/events/0/key", 400, None),
        ([body(NEW, key="")], "#/events/0/key", 400, None),
        ([body(NEW, key="AKIAQ3EGRJXLZ5TPWX4N")], "#/events/0/key", 400, None),
        ([body(NEW, updates=old["event_id"])], "#/events/0/updates", 409, "updates-replaced-record"),
        ([body(NEW, updates=known), body(NEW, updates=known)], "#/events/1/updates", 409, None),
        ([body(NEW, updates=decision["event_id"])], "#/events/0/updates", 400, "updates-decision"),
        ([body(NEW, updates=own)], "#/events/0/updates", 400, "updates-own-memory"),
        (
            [body(kind="decision", content={"decision": "No"}, updates=known)],
            "#/events/0/updates",
            400,
            None,
        ),
    ]
    for events, pointer, status, code in cases:
        with subtests.test(pointer=pointer, code=code):
            answer = world.alice.post("events/batch", {"events": events})
            refused(answer, pointer, status=status)
            assert code is None or answer.json()["code"] == code


def test_a_record_that_a_key_may_not_read_does_not_exist(world):
    narrow = another_agent(world, "team")
    old = world.event(OLD, channel="private")
    answer = narrow.post("events", body(NEW, channel="team", updates=old["event_id"]))
    refused(answer, "#/updates", status=404)


def test_a_capture_updates_an_earlier_one(world):
    first = capture(world, OLD, key="staging")
    second = capture(world, NEW, key="staging")
    third = capture(world, NEWER, updates=second["event_id"])
    assert second["superseded_chunk_ids"] == first["chunk_ids"]
    assert third["superseded_chunk_ids"] == second["chunk_ids"]
    listed = world.alice.ok("get", "captures")["results"]
    assert [one["content"] for one in listed] == [NEWER]
    everything = world.alice.ok("get", "captures?include_superseded=true")["results"]
    assert {one["content"] for one in everything} == {OLD, NEW, NEWER}
