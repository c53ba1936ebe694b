"""Governance holds for what an agent keeps of its own accord: edits, holds, erasure, and who may read it."""

import pytest

from tests.erasure.conftest import admins_of
from tests.factories import EditFactory
from tests.tools.calls import call

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def waiting(world, chunk):
    """The pending edits of a chunk in the review queue."""
    return world.bob.ok("get", f"edits?status=pending&target_id={chunk}")["results"]


def release(world, chunk, verdict="approve"):
    """Decide on the one release that waits."""
    (edit,) = waiting(world, chunk)
    world.bob.decide(edit["edit_id"], verdict, reason="a test")


@pytest.fixture
def both(agent):
    """(one, two, both): two memories and their consolidation."""
    one, two = agent.commit("Jack likes tea"), agent.commit("Jack likes rain")
    return one, two, agent.rethink([one["seq"], two["seq"]], "Jack likes both")


# -- edits of memories


def test_a_retracted_memory_leaves_list_recall_and_bootstrap(world, agent):
    made = agent.commit("Jack likes tea")
    edit = world.edit(made["chunk_id"], "retract")
    assert agent.listed() == agent.recall("Jack") == agent.listed(include_superseded="true") == []
    assert agent.bootstrap(query="Jack")["system_prompt"] == agent.bootstrap()["system_prompt"] == ""
    assert world.alice.get(f"chain/{made['seq']}").status_code == 404
    world.edit(made["chunk_id"], "revert", edit_id=edit["edit_id"])
    assert agent.listed() == agent.recall("Jack") == ["Jack likes tea"]


def test_an_amended_memory_says_the_new_words_everywhere(world, agent):
    made = agent.commit("Jack likes tea")
    world.edit(made["chunk_id"], "amend", text="Jack likes coffee", importance=0.8)
    memory = agent.memory(made["seq"])
    assert (memory["content"], memory["importance"], memory["edits_applied"]) == ("Jack likes coffee", 0.8, 1)
    assert memory["content_hash"] != made["contentHash"]
    assert agent.recall("coffee") == ["Jack likes coffee"]
    assert agent.recall("tea") == []
    assert "coffee" in agent.bootstrap()["system_prompt"]


def test_quarantined_memory_is_read_only_by_those_who_ask_for_it(world, agent):
    made = agent.commit("Jack likes tea")
    world.edit(made["chunk_id"], "quarantine")
    assert agent.listed() == agent.recall("tea") == []
    assert agent.listed(include_quarantined="true") == ["Jack likes tea"]
    assert agent.memory(made["seq"], include_quarantined="true")["is_quarantined"]


def test_memory_blocked_in_a_channel_is_not_heard_there(world, agent):
    made = agent.commit("Jack likes tea")
    world.edit(made["chunk_id"], "block", channel="public")
    assert agent.listed(channel="public") == agent.recall("tea", channel="public") == agent.recall("tea") == []
    assert agent.listed(channel="private") == agent.recall("tea", channel="private") == ["Jack likes tea"]


def test_an_agent_amends_its_own_memory_and_asks_to_quarantine_it(world, agent):
    made = agent.commit("Jack likes tea")
    world.edit(made["chunk_id"], "amend", by=world.alice, text="Jack likes coffee")
    assert agent.listed() == ["Jack likes coffee"]
    edit = world.edit(made["chunk_id"], "quarantine", by=world.alice)
    assert edit["status"] == "pending"
    assert agent.listed() == ["Jack likes coffee"]
    world.bob.decide(edit["edit_id"])
    assert agent.listed() == []


def test_a_superseded_memory_may_be_edited_and_the_edit_holds_when_it_comes_back(world, agent, both):
    one, two, made = both
    world.edit(one["chunk_id"], "amend", by=world.alice, text="Jack likes green tea")
    world.edit(two["chunk_id"], "attenuate", importance=0.2)
    assert agent.listed() == ["Jack likes both"]
    assert agent.memory(one["seq"])["content"] == "Jack likes green tea"
    world.edit(made["chunk_id"], "retract")
    assert agent.listed() == ["Jack likes rain", "Jack likes green tea"]
    assert agent.memory(two["seq"])["importance"] == 0.2


# -- edits of consolidations


def test_when_a_consolidation_is_retracted_its_originals_come_back(world, agent, both):
    one, _two, made = both
    edit = world.edit(made["chunk_id"], "retract")
    assert agent.listed() == ["Jack likes rain", "Jack likes tea"]
    assert set(agent.recall("Jack")) == set(world.found("Jack")) == {"Jack likes rain", "Jack likes tea"}
    assert agent.memory(one["seq"])["superseded_by"] is None
    world.edit(made["chunk_id"], "revert", edit_id=edit["edit_id"])
    assert agent.listed() == agent.recall("Jack") == ["Jack likes both"]


def test_a_quarantined_consolidation_gives_its_place_back_too(world, agent, both):
    world.edit(both[2]["chunk_id"], "quarantine")
    assert agent.listed() == ["Jack likes rain", "Jack likes tea"]


def test_originals_that_came_back_may_be_consolidated_again(world, agent, both):
    one, two, made = both
    edit = world.edit(made["chunk_id"], "retract")
    again = agent.rethink([one["seq"], two["seq"]], "Jack likes weather and drinks")
    assert agent.listed() == ["Jack likes weather and drinks"]
    world.edit(made["chunk_id"], "revert", edit_id=edit["edit_id"])
    # both stand: each was made, and nothing superseded either
    assert agent.listed() == ["Jack likes weather and drinks", "Jack likes both"]
    world.edit(again["chunk_id"], "retract")
    assert agent.listed() == ["Jack likes both"]


def test_the_upper_of_two_consolidations_gives_back_the_lower(world, agent, both):
    upper = agent.rethink([both[2]["consolidationSeq"], *agent.commits("Jack likes fog")], "Jack likes all")
    world.edit(upper["chunk_id"], "retract")
    assert agent.listed() == ["Jack likes fog", "Jack likes both"]


def test_a_retract_of_the_lower_consolidation_holds_the_upper_and_the_originals_speak(world, agent, both):
    _, _, lower = both
    upper = agent.rethink([lower["consolidationSeq"]], "Jack likes all")
    world.edit(lower["chunk_id"], "retract")
    assert agent.listed() == ["Jack likes rain", "Jack likes tea"]
    release(world, upper["chunk_id"])
    assert agent.listed() == ["Jack likes all"]


# -- holds


@pytest.mark.parametrize(("op", "patch"), [("retract", {}), ("quarantine", {}), ("block", {"channel": "public"})])
def test_a_consolidation_built_on_hidden_memory_is_flagged_and_excluded_until_looked_at(world, agent, both, op, patch):
    one, _, made = both
    world.edit(one["chunk_id"], op, **patch)
    assert "Jack likes both" not in agent.listed() + agent.recall("Jack") + world.found("Jack")
    assert "both" not in agent.bootstrap()["system_prompt"]
    (edit,) = waiting(world, made["chunk_id"])
    assert (edit["op"], edit["proposer"]) == ("revert", "alice")
    (hold,) = list(world.bob.ok("get", f"edits?target_id={made['chunk_id']}&op=quarantine")["results"])
    assert hold["reason"] == f"Built on memory {one['seq']}, which is hidden."
    assert (hold["status"], hold["policy"]) == ("approved", "consolidation")
    release(world, made["chunk_id"])
    assert agent.listed() == ["Jack likes both"]


def test_a_release_that_is_rejected_leaves_it_hidden(world, agent, both):
    one, _, made = both
    world.edit(one["chunk_id"], "retract")
    release(world, made["chunk_id"], "reject")
    assert agent.listed() == ["Jack likes rain"]
    assert waiting(world, made["chunk_id"]) == []


def test_neither_an_agent_nor_an_auditor_releases_it(world, agent, both):
    one, _, made = both
    world.edit(one["chunk_id"], "retract")
    (edit,) = waiting(world, made["chunk_id"])
    for api in (world.alice, world.auditor):
        assert api.post(f"edits/{edit['edit_id']}/approve", {}).status_code == 403
    assert agent.listed() == ["Jack likes rain"]


def test_the_return_of_the_original_does_not_release_it(world, agent, both):
    one, _, made = both
    edit = world.edit(one["chunk_id"], "retract")
    world.edit(one["chunk_id"], "revert", edit_id=edit["edit_id"])
    assert agent.listed() == ["Jack likes rain", "Jack likes tea"]
    release(world, made["chunk_id"])
    assert agent.listed() == ["Jack likes both"]


def test_what_was_released_stays_released_when_another_edit_of_the_original_is_reverted(world, agent, both):
    one, _, made = both
    amend = world.edit(one["chunk_id"], "amend", text="Jack likes coffee")
    retract = world.edit(one["chunk_id"], "retract")
    release(world, made["chunk_id"])
    world.edit(one["chunk_id"], "revert", edit_id=amend["edit_id"])
    assert agent.listed() == ["Jack likes both"]
    back = world.edit(one["chunk_id"], "revert", edit_id=retract["edit_id"])
    assert agent.listed() == ["Jack likes both"]
    world.edit(one["chunk_id"], "revert", edit_id=back["edit_id"])  # hidden again
    assert agent.listed() == ["Jack likes rain"]
    assert len(waiting(world, made["chunk_id"])) == 1


def test_a_release_shows_nothing_that_was_retracted_itself_meanwhile(world, agent, both):
    one, _, made = both
    world.edit(one["chunk_id"], "retract")
    world.edit(made["chunk_id"], "retract")
    release(world, made["chunk_id"])
    assert agent.listed() == ["Jack likes rain"]


def test_a_consolidation_made_of_hidden_memory_waits_from_the_start_and_says_for_what(world, agent):
    one, two = agent.commit("Jack likes tea"), agent.commit("Jack likes rain")
    world.edit(one["chunk_id"], "quarantine")
    made = agent.rethink([one["seq"], two["seq"]], "Jack likes both")
    assert made["is_quarantined"]
    assert agent.listed() == ["Jack likes rain"]
    waited = call(world.alice, "wait_for_edit", {"edit_id": made["approval_edit_id"], "timeout_seconds": 0})
    assert not waited["is_decided"]
    release(world, made["chunk_id"])
    assert agent.listed() == ["Jack likes both"]


def test_a_consolidation_above_one_that_is_held_is_held_too_and_each_is_released_by_itself(world, agent, both):
    one, _, lower = both
    upper = agent.rethink([lower["consolidationSeq"]], "Jack likes all")
    world.edit(one["chunk_id"], "retract")
    assert agent.listed() == ["Jack likes rain"]
    release(world, lower["chunk_id"])
    assert agent.listed() == ["Jack likes both"]
    release(world, upper["chunk_id"])
    assert agent.listed() == ["Jack likes all"]


def test_a_consolidation_that_stands_on_a_hidden_one_in_two_ways_is_held_once(world, agent):
    one = agent.commit("Jack likes tea")
    lower = agent.rethink([one["seq"]], "Jack likes green tea")
    edit = world.edit(lower["chunk_id"], "retract")
    upper = agent.rethink([one["seq"], lower["consolidationSeq"]], "Jack likes hot tea")
    release(world, upper["chunk_id"])
    world.edit(lower["chunk_id"], "revert", edit_id=edit["edit_id"])
    world.edit(one["chunk_id"], "retract")
    assert len(waiting(world, lower["chunk_id"])) == len(waiting(world, upper["chunk_id"])) == 1
    release(world, upper["chunk_id"])
    assert agent.listed() == ["Jack likes hot tea"]


@pytest.mark.parametrize("mode", ["all_or_nothing", "each"])
def test_edits_in_bulk_hold_what_was_built_on_what_they_hide(world, agent, both, mode):
    one, two, made = both
    other = agent.rethink(agent.commits("Jill likes fog"), "Jill likes mist")
    targets = [one["chunk_id"], agent.memory(4)["chunk_id"], two["chunk_id"]]
    edits = [EditFactory(target_id=target) for target in targets]
    answer = world.bob.ok("post", "edits/bulk", {"edits": edits, "mode": mode})
    assert [edit["status"] for edit in answer["edits"]] == ["approved"] * 3
    assert agent.listed() == []
    release(world, other["chunk_id"])
    release(world, made["chunk_id"])
    assert agent.listed() == ["Jill likes mist", "Jack likes both"]


@pytest.mark.parametrize("filter", [{"subject_type": "user", "subject_id": "jack"}, {"phrase": "Jack likes"}])
def test_edits_by_filter_reach_superseded_memory_which_would_come_back(world, agent, filter):
    about = {"subject_type": "user", "subject_id": "jack"}
    agent.rethink(agent.commits("Jack likes tea", "Jack likes rain", **about), "Jack likes both")
    made = agent.rethink(agent.commits("Jill likes fog"), "Jill likes mist")
    asked = world.bob.ok("post", "edits/by-filter", {"filter": filter, "op": "retract", "reason": "a test"})
    world.bob.ok("post", "edits/by-filter", {"token": asked["token"]})
    assert agent.listed(include_superseded="true") == ["Jill likes mist", "Jill likes fog"]
    assert waiting(world, made["chunk_id"]) == []


def test_an_amended_original_does_not_hold_what_was_built_on_it(world, agent, both):
    world.edit(both[0]["chunk_id"], "amend", text="Jack likes coffee")
    assert agent.listed() == ["Jack likes both"]


@pytest.mark.parametrize("policy", ["open", "strict"])
def test_whatever_the_policy_a_person_looks_at_it(new_world, agent_of, policy):
    world = new_world(policy)
    agent = agent_of(world.alice)
    one = agent.commit("Jack likes tea")
    edit = world.edit(one["chunk_id"], "quarantine")
    if edit["status"] == "pending":
        world.ann.decide(edit["edit_id"])
    made = agent.rethink([one["seq"]], "Jack likes green tea")
    assert agent.listed() == []
    release(world, made["chunk_id"])
    assert agent.listed() == ["Jack likes green tea"]


# -- blocks


def test_when_a_version_of_a_block_is_retracted_the_one_before_has_its_place_again(world, agent):
    agent.update("persona", "I am Ada")
    second = agent.update("persona", "I am Bea")
    edit = world.edit(second["chunk_id"], "retract")
    assert agent.block("persona")["content"] == "I am Ada"
    assert agent.core() == ["I am Ada"]
    assert "> I am Ada\n" in agent.bootstrap()["system_prompt"]
    third = agent.update("persona", "I am Cat")
    assert (third["version"], third["previous_block_seq"]) == (3, second["seq"])
    assert agent.core() == ["I am Cat"]
    world.edit(second["chunk_id"], "revert", edit_id=edit["edit_id"])
    assert agent.core() == ["I am Cat"]
    world.edit(third["chunk_id"], "retract")
    assert agent.core() == ["I am Bea"]


def test_a_retracted_block_leaves_core_memory_and_no_version_holds_the_next(world, agent):
    first = agent.update("persona", "I am Ada")
    world.edit(first["chunk_id"], "retract")
    assert agent.core() == []
    assert agent.block("persona") is None
    assert not agent.update("persona", "I am Bea")["is_quarantined"]
    assert agent.core() == ["I am Bea"]


# -- removed values


def test_a_consolidation_that_repeats_what_was_retracted_is_quarantined(world, agent):
    one, two = agent.commit("Jack likes tea"), agent.commit("Jack likes rain")
    retract = world.edit(one["chunk_id"], "retract")
    made = agent.rethink([two["seq"]], "jack likes TEA")
    assert made["quarantine"]["retracted_by"] == retract["edit_id"]
    assert agent.listed() == ["Jack likes rain"]


def test_a_block_that_repeats_what_was_retracted_is_quarantined(world, agent):
    world.edit(agent.commit("I am Ada")["chunk_id"], "retract")
    assert agent.update("persona", "I am Ada")["is_quarantined"]
    assert agent.core() == []


# -- erasure


def test_erased_memory_is_gone_what_was_built_on_it_is_held_and_the_chain_says_so(world, agent, both):
    one, _, made = both
    admins_of(world).erase(by="chunk", id=one["chunk_id"])
    assert agent.listed() == ["Jack likes rain"]
    assert world.alice.get(f"chain/{one['seq']}").status_code == 404
    release(world, made["chunk_id"])
    assert agent.listed() == ["Jack likes both"]


def test_when_a_consolidation_is_erased_its_originals_come_back(world, agent, both):
    admins_of(world).erase(by="chunk", id=both[2]["chunk_id"])
    assert agent.listed() == ["Jack likes rain", "Jack likes tea"]


def test_everything_about_a_subject_is_erased_together(world, agent):
    about = {"subject_type": "user", "subject_id": "jack"}
    one, two = agent.commit("Jack likes tea", **about), agent.commit("Jack likes rain", **about)
    agent.rethink([one["seq"], two["seq"]], "Jack likes both")
    other = agent.commit("Jill likes fog")
    admins_of(world).erase(by="subject", subject_type="user", subject_id="jack")
    assert agent.listed(include_superseded="true") == ["Jill likes fog"]
    assert agent.memory(other["seq"])["content"] == "Jill likes fog"


def test_an_erased_version_of_a_block_gives_its_place_back(world, agent):
    agent.update("persona", "I am Ada")
    second = agent.update("persona", "I am Bea")
    admins_of(world).erase(by="chunk", id=second["chunk_id"])
    assert agent.core() == ["I am Ada"]


def test_committed_memory_is_not_erased(world, agent):
    made = agent.commit("Jack likes tea", retention="committed")
    carol = admins_of(world).carol
    answer = carol.post("erasures", {"reason": "a request", "by": "chunk", "id": made["chunk_id"]})
    assert answer.status_code == 409
    assert agent.listed() == ["Jack likes tea"]


# -- who reads it


def test_people_with_a_role_read_the_memory_of_an_agent_that_they_name(world, agent, both):
    one, two, made = both
    for api in (world.bob, world.auditor):
        listed = api.ok("get", "chain?agent=alice&include_superseded=true")["results"]
        assert [row["seq"] for row in listed] == [made["consolidationSeq"], two["seq"], one["seq"]]
        assert api.ok("get", f"chain/{one['seq']}?agent=alice")["superseded_by"] == made["consolidationSeq"]
        for asked in ("chain", "chain?agent=nobody", f"chain/{one['seq']}"):
            answer = api.get(asked)
            assert answer.status_code == 400
            assert [fault["parameter"] for fault in answer.json()["errors"]] == ["agent"]


def test_another_agent_reads_only_its_own_chain(agent, agent_in, agent_of, both):
    other = agent_of(agent_in("private", "team"))
    assert other.listed() == []
    assert other.api.get(f"chain/{both[0]['seq']}").status_code == 404
    for agent_name in ("alice", "nobody"):  # the same answer
        answer = other.api.get(f"chain?agent={agent_name}")
        assert answer.status_code == 400
        assert "only your own" in answer.json()["detail"]


def test_another_tenant_reads_nothing(agent, charlie, agent_of, both):
    assert agent_of(charlie).listed() == []
    assert charlie.get(f"chain/{both[0]['seq']}").status_code == 404
    assert charlie.post("chunks/get", {"chunk_ids": [both[2]["chunk_id"]]}).json()["chunks"] == []
