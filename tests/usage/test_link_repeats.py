"""What an agent received and records again follows the memory that it repeats."""

import pytest

from memory.models import EffectiveChunk, Relation
from memory.usage import deliveries
from tests.erasure.conftest import admins_of
from tests.surgery.helpers import drift

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

FACT, CORRECTED = "The staging database is orchid-7", "The staging database is fern-2"
SESSION = "s-1"
HEADER = {"X-Session-Id": SESSION}


def receive(world, query="staging database", session=SESSION):
    """Alice searches in a session, and the job records what she got."""
    world.alice.ok("post", "chunks/search", {"query": query, "limit": 50}, **{"X-Session-Id": session})
    deliveries.record_deliveries()


def say(world, text, **fields):
    return world.event(text, session_id=fields.pop("session_id", SESSION), **fields)


def relations(world):
    with world.inside():
        rows = Relation.objects.filter(tenant_id=world.tenant_id).order_by("id")
        return [(row.kind, str(row.later_id), str(row.earlier_id)) for row in rows]


def visible(world, event):
    """Whether readers get the chunk of an event, and whether it is superseded, retracted or quarantined."""
    with world.inside():
        row = EffectiveChunk.objects.get(tenant_id=world.tenant_id, id=event["chunk_ids"][0])
        flags = ("is_superseded", "is_retracted", "is_quarantined")
        return [name for name in flags if getattr(row, name)]


def test_a_copy_is_superseded_by_its_source(world):
    source = world.chunk(FACT, session_id="earlier")
    receive(world)
    copy = say(world, "- the staging database is “Orchid-7”.\n")
    assert relations(world) == [("copy", copy["chunk_ids"][0], source)]
    assert visible(world, copy) == ["is_superseded"]
    assert world.found("staging database") == [FACT]
    assert drift(world) == []


def test_a_list_of_several_memories_is_a_copy_of_each(world):
    sources = [world.chunk(text, session_id="earlier") for text in (FACT, "The staging database has ten tables")]
    receive(world)
    copy = say(world, f"- {FACT}\n- The staging database has ten tables")
    assert sorted(relations(world)) == sorted(("copy", copy["chunk_ids"][0], source) for source in sources)
    assert visible(world, copy) == ["is_superseded"]
    world.edit(sources[1], "retract")
    assert visible(world, copy) == ["is_superseded", "is_retracted"]


def test_what_comes_back_before_the_job_has_run_is_linked_by_the_job(world):
    source = world.chunk(FACT, session_id="earlier")
    world.alice.ok("post", "chunks/search", {"query": "staging database"}, **HEADER)
    copy = say(world, FACT)
    assert visible(world, copy) == []
    deliveries.record_deliveries()
    assert relations(world) == [("copy", copy["chunk_ids"][0], source)]
    assert world.found("staging database") == [FACT]
    assert drift(world) == []


@pytest.mark.parametrize("op", ["amend", "retract", "quarantine", "block"])
def test_a_copy_follows_every_edit_of_its_source(world, op):
    source = world.chunk(FACT, session_id="earlier")
    receive(world)
    copy = say(world, FACT)
    fields = {"amend": {"text": CORRECTED}, "block": {"channel": "public"}}.get(op, {})
    edit = world.edit(source, op, **fields)["edit_id"]
    assert visible(world, copy) == ["is_superseded", "is_retracted"]
    if op in ("amend", "retract"):
        assert FACT not in world.found("staging database", include_quarantined=True)
    assert drift(world) == []
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "It was right"})
    assert visible(world, copy) == ["is_superseded"]
    assert drift(world) == []


@pytest.mark.parametrize("op", ["amend", "retract", "quarantine"])
def test_a_text_that_quotes_its_source_is_held_when_the_source_is_edited(world, op):
    source = world.chunk(FACT, session_id="earlier")
    receive(world)
    quote = say(world, f"I looked it up: {FACT}, so I connect to it now")
    assert relations(world) == [("quote", quote["chunk_ids"][0], source)]
    assert visible(world, quote) == []
    world.edit(source, op, **({"text": CORRECTED} if op == "amend" else {}))
    assert visible(world, quote) == ["is_quarantined"]
    assert all("orchid" not in text for text in world.found("staging database orchid"))
    (waiting,) = world.bob.ok("get", "edits?status=pending")["results"]
    assert (waiting["op"], waiting["target_id"]) == ("revert", quote["chunk_ids"][0])
    world.bob.decide(waiting["edit_id"])
    assert visible(world, quote) == []
    assert drift(world) == []


def test_an_edit_that_leaves_the_words_leaves_what_quotes_them(world):
    source = world.chunk(FACT, session_id="earlier")
    receive(world)
    quote = say(world, f"I looked it up: {FACT}, so I connect to it now")
    world.edit(source, "amend", text=f"{FACT} since May", importance=0.9)
    assert visible(world, quote) == ["is_quarantined"]
    other = world.chunk("The office opens at nine", session_id="earlier")
    receive(world, "office")
    quote = say(world, "I looked it up: the office opens at nine, so I wait")
    world.edit(other, "attenuate", importance=0.9)
    assert visible(world, quote) == []


def test_a_former_text_that_comes_back_after_its_correction_is_hidden(world):
    source = world.chunk(FACT, session_id="earlier")
    receive(world)
    world.edit(source, "amend", text=CORRECTED)
    copy = say(world, FACT)
    quote = say(world, f"I looked it up: {FACT}, so I connect to it now")
    assert visible(world, copy) == ["is_superseded", "is_retracted"]
    assert visible(world, quote) == ["is_quarantined"]
    assert quote["quarantined_chunk_ids"] == quote["chunk_ids"]
    assert world.found("staging database") == [CORRECTED]


@pytest.mark.parametrize("source", [{"sensitivity": "high"}, {"channel": "private"}])
def test_what_is_recorded_for_more_readers_than_its_source_is_hidden(world, source):
    world.chunk(FACT, session_id="earlier", **source)
    world.alice.ok("post", "chunks/search", {"query": "staging database", "channel": "private"}, **HEADER)
    deliveries.record_deliveries()
    fields = {"channel": "team"} if "channel" in source else {}
    copy = say(world, FACT, **fields)
    quote = say(world, f"I looked it up: {FACT}, so I connect to it now", **fields)
    assert visible(world, copy) == ["is_superseded", "is_retracted"]
    assert visible(world, quote) == ["is_quarantined"]


def test_only_what_this_agent_received_in_this_session_is_linked(world):
    world.chunk(FACT, session_id="earlier")
    receive(world, session="another")
    before = say(world, FACT, session_id="before")
    receive(world)
    theirs = world.bob.ok("post", "events", world.draft(FACT, session_id=SESSION))
    world.chunk("orchid-7", session_id="earlier")  # too short to be a statement
    receive(world, "orchid")
    say(world, "It is orchid-7 again")
    other = say(world, "The production database is moss-9")
    assert relations(world) == []
    assert [visible(world, one) for one in (before, theirs, other)] == [[], [], []]


def test_a_record_that_updates_another_is_a_statement_of_its_own(world):
    old = world.event(FACT, session_id="earlier", key="staging")
    world.alice.ok("post", "chunks/search", {"query": "staging database"}, **HEADER)
    early = say(world, FACT, key="staging")
    deliveries.record_deliveries()
    late = say(world, FACT, key="staging")
    assert [kind for kind, *_ in relations(world)] == ["update"] * 3
    assert visible(world, late) == []
    assert [visible(world, one) for one in (old, early)] == [["is_superseded"]] * 2
    assert drift(world) == []


def test_an_erasure_of_a_memory_erases_its_copies(world):
    source = world.chunk(FACT, session_id="earlier")
    receive(world)
    copy = say(world, FACT)
    quote = say(world, f"I looked it up: {FACT}, so I connect to it now")
    receipt = admins_of(world).erase(by="chunk", id=source)
    assert copy["event_id"] in {one["id"] for one in receipt["scope"]["records"]}
    assert world.alice.ok("get", f"events/{copy['event_id']}")["withheld"] == "erased"
    assert visible(world, quote) == ["is_quarantined"]
    assert drift(world) == []
