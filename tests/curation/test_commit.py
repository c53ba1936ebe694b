"""memory_commit: an agent keeps what it finds worth remembering."""

import hashlib
from datetime import datetime, timedelta
from typing import Any

import pytest

from governance.models import Entry
from memory.models import AgentMemory
from tests.tools.calls import faults

pytestmark = pytest.mark.django_db


def chain(world: Any) -> list[Entry]:
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, chain__name="agent:alice").order_by("seq"))


def refused(world: Any, status: int = 400, **arguments: Any) -> dict[str, str]:
    """What a refused commit names; it appends nothing."""
    before = len(chain(world))
    found = faults(world.alice.post("tools/memory_commit", arguments), status)
    assert len(chain(world)) == before
    with world.inside():
        assert not AgentMemory.objects.filter(tenant_id=world.tenant_id).exists()
    return found


def test_a_memory_is_appended_to_the_agents_chain_and_found_like_any_other(world, agent):
    first = agent.commit("Jack speaks Ladin")
    second = agent.commit("Jill speaks Ladin too")

    assert (first["seq"], second["seq"]) == (1, 2)
    assert sorted(world.found("Ladin")) == ["Jack speaks Ladin", "Jill speaks Ladin too"]
    got = world.alice.ok("post", "chunks/get", {"chunk_ids": [first["chunk_id"]]})["chunks"]
    assert [(one["text"], one["source"]) for one in got] == [("Jack speaks Ladin", "commit")]
    listed = world.alice.ok("get", "chunks")["results"]
    assert [one["chunk_id"] for one in listed] == [second["chunk_id"], first["chunk_id"]]
    around = world.alice.ok("get", f"chunks/{first['chunk_id']}/timeline?window_seconds=60")["chunks"]
    assert {one["chunk_id"] for one in around} == {first["chunk_id"], second["chunk_id"]}


def test_it_answers_the_hash_of_the_entry(world, agent):
    made = agent.commit("Jack speaks Ladin")
    entry = chain(world)[made["seq"]]
    assert entry.content_hash.hex() == made["contentHash"] == agent.memory(made["seq"])["content_hash"]
    assert made["contentHash"] != hashlib.sha256(b"Jack speaks Ladin").hexdigest()  # over a salt too


def test_the_answer_and_the_entry_tell_retention_and_tier_by_their_own_names(world, agent):
    made = agent.commit("Jack speaks Ladin", retention="committed")
    assert (made["retention"], made["tier"]) == ("committed", "task")
    memory = agent.memory(made["seq"])
    assert (memory["retention"], memory["tier"]) == ("committed", "task")
    assert chain(world)[1].retention == "committed"


@pytest.mark.parametrize("name", ["tier", "retention"])
@pytest.mark.parametrize("value", ["committed", "relationship", "ephemeral"])
def test_retention_is_accepted_by_both_names(agent, name, value):
    assert agent.commit("Jack speaks Ladin", **{name: value})["retention"] == value


def test_without_a_retention_it_is_a_relationship(agent):
    assert agent.commit("Jack speaks Ladin")["retention"] == "relationship"


def test_tier_and_retention_that_differ_are_refused(world):
    told = refused(world, content="a", tier="committed", retention="ephemeral")
    assert told == {"#/tier": "tier and retention contradict each other. Send only one of them."}


@pytest.mark.parametrize("value", ["task", "session", "longterm", 5])
def test_an_unknown_retention_is_refused(world, value):
    assert list(refused(world, content="a", tier=value)) == ["#/tier"]


@pytest.mark.parametrize(("score", "stored"), [(1, 0.1), (5, 0.5), (7.5, 0.75), (10, 1.0)])
def test_importance_is_given_from_1_to_10_kept_from_a_tenth_to_1_and_answered_as_both(world, agent, score, stored):
    made = agent.commit("Jack speaks Ladin", importance=score)
    assert (made["importance"], made["importance_score"]) == (stored, score)
    memory = agent.memory(made["seq"])
    assert (memory["importance"], memory["importance_score"]) == (stored, score)
    (chunk,) = world.alice.ok("get", "chunks")["results"]
    assert chunk["importance"] == stored


def test_importance_is_5_unless_it_is_given(agent):
    assert agent.commit("Jack speaks Ladin")["importance_score"] == 5


@pytest.mark.parametrize("value", [0, 11, -1, 10.5, 0.9, "high", "NaN", [], True, 1e300])
def test_any_other_importance_is_refused_and_nothing_appended(world, value):
    assert list(refused(world, content="a", importance=value)) == ["#/importance"]


@pytest.mark.parametrize("value", ["", "   ", None, 5, "a\x00b", ["a"], {"text": "a"}])
def test_content_that_says_nothing_is_refused(world, value):
    assert list(refused(world, content=value)) == ["#/content"]


def test_content_is_required(world):
    assert refused(world, importance=5) == {"#/content": "This field is required."}


def test_content_of_2_megabytes_is_refused(world):
    answer = world.alice.post("tools/memory_commit", {"content": "a" * 2_000_000})
    assert answer.status_code in (400, 413)
    assert answer["Content-Type"] == "application/problem+json"
    assert len(chain(world)) == 1


def test_a_misspelled_argument_is_named(world):
    assert list(refused(world, content="a", importanc=5)) == ["#/importanc"]


def test_a_secret_is_masked_and_named(agent):
    made = agent.commit("The key is AKIAIOSFODNN7EXAMPLE for the bucket")
    assert made["redacted"]
    assert "AKIAIOSFODNN7EXAMPLE" not in agent.memory(made["seq"])["content"]


def test_a_person_has_no_chain_to_commit_to(world):
    answer = world.bob.post("tools/memory_commit", {"content": "a"})
    assert answer.status_code == 403
    assert "agent" in answer.json()["detail"]


def test_it_keeps_what_it_is_about_and_the_session(agent):
    about = {
        "subject_type": "user",
        "subject_id": "jack",
        "project_id": "p",
        "session_id": "s",
        "tags": ["language"],
        "channel": "team",
        "sensitivity": "low",
    }
    memory = agent.memory(agent.commit("Jack speaks Ladin", **about)["seq"])
    assert {name: memory[name] for name in about} == about
    assert memory["scope"] == "user"


def test_half_a_subject_is_refused_with_the_missing_half(world):
    assert list(refused(world, content="a", subject_type="user")) == ["#/subject_id"]
    assert list(refused(world, content="a", subject_id="jack")) == ["#/subject_type"]


def test_a_channel_outside_the_key_is_refused(world, agent_in):
    answer = agent_in("public").post("tools/memory_commit", {"content": "a", "channel": "private"})
    assert faults(answer, 403) == {"#/channel": "This key may not use that channel."}


def test_without_a_channel_it_is_the_most_private_of_the_key(agent, agent_in, agent_of):
    assert agent.commit("a")["channel"] == "private"
    assert agent_of(agent_in("public", "team")).commit("a")["channel"] == "team"


def test_ephemeral_memory_says_when_it_expires(agent):
    for given, hours in (({}, 24), ({"expires_in_hours": 2}, 2), ({"expiresInHours": 0.5}, 0.5)):
        made = agent.commit("The train leaves at nine", tier="ephemeral", **given)
        lasts = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["ts"])
        assert lasts == timedelta(hours=hours)
    assert agent.commit("Jack speaks Ladin")["expires_at"] is None


def test_only_ephemeral_memory_expires(world):
    assert list(refused(world, content="a", expires_in_hours=2)) == ["#/expires_in_hours"]


@pytest.mark.parametrize("value", [0, -1, 100_000, "soon"])
def test_an_expiry_that_cannot_be_is_refused(world, value):
    assert list(refused(world, content="a", tier="ephemeral", expires_in_hours=value)) == ["#/expires_in_hours"]


def test_the_same_request_twice_is_one_memory(world, agent):
    first = agent.commit("Jack speaks Ladin")
    header = {"Idempotency-Key": "one"}
    answers = [world.alice.post("tools/memory_commit", {"content": "Tea"}, **header).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert [one.seq for one in chain(world)] == [0, first["seq"], answers[0]["seq"]]


def test_a_memory_that_repeats_what_was_retracted_is_quarantined_and_says_why(world, agent):
    first = agent.commit("Jack speaks Ladin")
    retract = world.edit(first["chunk_id"], "retract")
    again = agent.commit("Jack speaks Ladin!")
    assert again["is_quarantined"]
    assert again["quarantine"]["retracted_by"] == retract["edit_id"]
    assert agent.recall("Ladin") == []
    assert agent.listed() == []
