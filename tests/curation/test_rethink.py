"""memory_rethink: one understanding takes the place of several memories, which stay on record."""

import pytest

from governance.models import Entry
from tests.tools.calls import call, faults

pytestmark = pytest.mark.django_db


def chain(world):
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, chain__name="agent:alice").order_by("seq"))


def refused(world, status=400, **arguments):
    """What a refused rethink names; it appends nothing."""
    before = len(chain(world))
    found = faults(world.alice.post("tools/memory_rethink", {"newUnderstanding": "Tea and rain", **arguments}), status)
    assert len(chain(world)) == before
    return found


def test_it_works(world, agent):
    seqs = agent.commits("Jack prefers dark mode", "Jack mentioned Emacs", "Jack writes TypeScript")

    made = agent.rethink(seqs, "Jack writes TypeScript in a dark Emacs", reason="One profile")

    assert (made["consolidationSeq"], made["supersededCount"]) == (4, 3)
    # the consolidated one is returned, the originals are not
    assert agent.recall("Jack") == ["Jack writes TypeScript in a dark Emacs"]
    assert world.found("Jack") == ["Jack writes TypeScript in a dark Emacs"]
    assert agent.listed() == ["Jack writes TypeScript in a dark Emacs"]
    assert len(agent.recall("Jack", includeSuperseded=True)) == 4
    assert len(agent.listed(include_superseded="true")) == 4


def test_superseded_memory_leaves_every_way_of_reading(world, agent):
    first = agent.commit("Jack likes tea")
    made = agent.rethink([first["seq"]], "Jack likes rain")
    ids = [first["chunk_id"], made["chunk_id"]]
    got = world.alice.ok("post", "chunks/get", {"chunk_ids": ids})["chunks"]
    assert [one["text"] for one in got] == ["Jack likes rain"]
    assert [one["text"] for one in world.alice.ok("get", "chunks")["results"]] == ["Jack likes rain"]
    assert world.alice.get(f"chunks/{first['chunk_id']}/timeline").status_code == 404
    assert world.found("tea") == []
    bundle = world.alice.ok("post", "acb/build", {"session_id": "s", "channel": "private", "query": "tea"})
    assert "tea" not in str(bundle["acb"])
    assert "tea" not in agent.bootstrap(query="tea")["system_prompt"]
    assert "tea" not in agent.bootstrap()["system_prompt"]


def test_both_directions_are_readable(agent):
    seqs = agent.commits("Jack likes tea", "Jack likes rain")
    made = agent.rethink(seqs, "Jack likes both", reason="One note")["consolidationSeq"]
    consolidation = agent.memory(made)
    assert (consolidation["type"], consolidation["supersedes"]) == ("consolidation", seqs)
    assert (consolidation["reason"], consolidation["is_superseded"]) == ("One note", False)
    for seq in seqs:
        original = agent.memory(seq)
        assert (original["is_superseded"], original["superseded_by"], original["supersedes"]) == (True, made, [])


def test_recall_tells_what_superseded_what(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    made = agent.rethink([seq], "Jack likes tea and rain")["consolidationSeq"]
    found = call(world.alice, "memory_recall", {"query": "tea", "includeSuperseded": True})["memories"]
    told = {one["seq"]: (one["is_superseded"], one["superseded_by"], one["supersedes"]) for one in found}
    assert told == {seq: (True, made, []), made: (False, None, [seq])}


def test_the_entry_says_what_it_supersedes_and_why_and_the_originals_stay_as_they_were(world, agent):
    seqs = agent.commits("Jack likes tea", "Jack likes rain")
    before = [bytes(one.hash) for one in chain(world)]
    agent.rethink(seqs, "Jack likes both", reason="One note")
    entries = chain(world)
    assert [bytes(one.hash) for one in entries[:3]] == before
    assert entries[3].type == "consolidation"
    assert (entries[3].metadata["supersedes"], entries[3].metadata["reason"]) == (seqs, "One note")


def test_a_reason_is_optional(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    made = agent.rethink([seq], "Jack likes rain")
    assert agent.memory(made["consolidationSeq"])["reason"] is None
    assert chain(world)[2].metadata["reason"] is None


def test_snake_case_is_accepted_too(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    made = call(world.alice, "memory_rethink", {"supersedes": [seq], "new_understanding": "Jack likes rain"})
    assert made["supersededCount"] == 1


def test_a_consolidation_of_consolidations_has_the_place_of_all(agent):
    one, two, three = agent.commits("Jack likes tea", "Jack likes rain", "Jack likes fog")
    first = agent.rethink([one, two], "Jack likes tea and rain")["consolidationSeq"]
    second = agent.rethink([first, three], "Jack likes tea, rain and fog")["consolidationSeq"]
    assert agent.listed() == ["Jack likes tea, rain and fog"]
    assert agent.memory(one)["superseded_by"] == first
    assert agent.memory(first)["superseded_by"] == second
    assert agent.memory(second)["supersedes"] == [three, first]
    assert len(agent.listed(include_superseded="true")) == 5


def test_an_unknown_number_is_refused_and_its_place_is_named(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    assert refused(world, supersedes=[seq, 77]) == {"#/supersedes/1": "Your chain has no memory 77."}
    assert agent.listed() == ["Jack likes tea"]


def test_an_entry_that_is_no_memory_is_refused_and_says_what_it_is(world):
    assert refused(world, supersedes=[0]) == {"#/supersedes/0": "Entry 0 of your chain is not a memory, but identity."}


def test_the_memory_of_another_agent_is_as_unknown(world, agent_in, agent_of, agent):
    agent.commits("Jack likes tea")
    other = agent_of(agent_in("private"))
    answer = other.api.post("tools/memory_rethink", {"supersedes": [1], "newUnderstanding": "Mine"})
    assert faults(answer) == {"#/supersedes/0": "Your chain has no memory 1."}
    assert agent.listed() == ["Jack likes tea"]


def test_the_memory_of_another_tenant_is_as_unknown(agent, charlie):
    agent.commits("Jack likes tea")
    answer = charlie.post("tools/memory_rethink", {"supersedes": [1], "newUnderstanding": "Mine"})
    assert faults(answer) == {"#/supersedes/0": "Your chain has no memory 1."}


def test_a_superseded_number_is_refused_and_what_has_its_place_is_named(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    made = agent.rethink([seq], "Jack likes rain")["consolidationSeq"]
    told = refused(world, 409, supersedes=[seq])
    assert told == {"#/supersedes/0": f"Memory {seq} is superseded by memory {made}."}


def test_a_number_twice_is_refused(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    assert refused(world, supersedes=[seq, seq]) == {"#/supersedes/1": f"Memory {seq} is listed twice."}


def test_a_block_is_refused_and_the_tool_to_use_is_named(world, agent):
    seq = agent.update("goals", "Ship it")["seq"]
    told = refused(world, supersedes=[seq])
    assert told == {"#/supersedes/0": f"Memory {seq} is a version of the block goals. To change it, use block_update."}


@pytest.mark.parametrize("value", [[], None, "1", [-1], ["one"], [1.5], [True], {}, [2**70], list(range(1001))])
def test_what_is_no_list_of_numbers_is_refused(world, value):
    assert all(pointer.startswith("#/supersedes") for pointer in refused(world, supersedes=value))


@pytest.mark.parametrize("value", ["", " ", None, 5])
def test_an_understanding_that_says_nothing_is_refused(world, agent, value):
    (seq,) = agent.commits("Jack likes tea")
    assert list(refused(world, supersedes=[seq], newUnderstanding=value)) == ["#/newUnderstanding"]


def test_several_faults_are_told_at_once(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    agent.rethink([seq], "Jack likes rain")
    assert list(refused(world, supersedes=[77, seq, 0])) == [f"#/supersedes/{place}" for place in (0, 2, 1)]


def test_it_is_as_important_as_the_most_important_original(world, agent):
    seqs = [agent.commit(f"Jack likes {what}", importance=score)["seq"] for what, score in (("tea", 3), ("rain", 8))]
    assert agent.rethink(seqs, "Jack likes both")["importance_score"] == 8


def test_it_is_about_what_all_originals_are_about(agent):
    about = {"subject_type": "user", "subject_id": "jack", "project_id": "p"}
    one = agent.commit("Jack likes tea", **about)["seq"]
    two = agent.commit("Jack likes rain", **about)["seq"]
    three = agent.commit("Jill likes fog", subject_type="user", subject_id="jill", project_id="p")["seq"]
    made = agent.memory(agent.rethink([one, two], "Jack likes both")["consolidationSeq"])
    assert (made["subject_type"], made["subject_id"], made["project_id"], made["scope"]) == (
        "user",
        "jack",
        "p",
        "user",
    )
    mixed = agent.memory(agent.rethink([made["seq"], three], "They like weather")["consolidationSeq"])
    assert (mixed["subject_type"], mixed["subject_id"], mixed["project_id"]) == (None, None, "p")


def test_it_is_as_sensitive_as_the_most_sensitive_original(agent):
    seqs = [
        agent.commit(f"Jack likes {what}", sensitivity=sensitivity)["seq"]
        for what, sensitivity in (("tea", "none"), ("rain", "high"), ("fog", "low"))
    ]
    made = agent.rethink(seqs, "Jack likes all")
    assert made["sensitivity"] == "high"
    assert agent.recall("Jack", channel="public") == []
    assert agent.recall("Jack", channel="private") == ["Jack likes all"]


def test_it_is_heard_where_its_originals_are(agent):
    seqs = agent.commits("Jack likes tea", "Jack likes rain", channel="team")
    assert agent.rethink(seqs, "Jack likes both")["channel"] == "team"


def test_of_originals_of_several_channels_it_is_the_most_private(agent):
    seqs = [agent.commit(f"Jack likes {channel}", channel=channel)["seq"] for channel in ("team", "private", "public")]
    assert agent.rethink(seqs, "Jack likes all")["channel"] == "private"


def test_a_channel_that_more_hear_than_the_originals_is_refused(world, agent):
    (seq,) = agent.commits("Jack likes tea", channel="private")
    told = refused(world, supersedes=[seq], channel="public")
    assert told == {
        "#/channel": f"Memory {seq} was recorded in the channel private, which is more private than public."
    }


def test_a_channel_that_fewer_hear_is_allowed(agent):
    (seq,) = agent.commits("Jack likes tea", channel="public")
    assert agent.rethink([seq], "Jack likes rain", channel="private")["channel"] == "private"


def test_a_secret_in_it_is_masked(agent):
    (seq,) = agent.commits("Jack has a key")
    made = agent.rethink([seq], "The key is AKIAIOSFODNN7EXAMPLE", reason="It is AKIAIOSFODNN7EXAMPLE")
    assert made["redacted"]
    memory = agent.memory(made["consolidationSeq"])
    assert "AKIAIOSFODNN7EXAMPLE" not in memory["content"] + memory["reason"]


def test_a_person_has_no_memory_to_consolidate(world, agent):
    agent.commits("Jack likes tea")
    answer = world.bob.post("tools/memory_rethink", {"supersedes": [1], "newUnderstanding": "Mine"})
    assert answer.status_code == 403


@pytest.mark.slow
def test_a_thousand_memories_are_consolidated_at_once(agent, world):
    for start in range(0, 1_000, 100):
        agent.commits(*(f"Fact number {number}" for number in range(start, start + 100)))
    made = agent.rethink(list(range(1, 1_001)), "A thousand facts")
    assert made["supersededCount"] == 1_000
    assert agent.listed() == ["A thousand facts"]
