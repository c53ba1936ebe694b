"""memory_recall: what an agent needs for a topic, within a number of tokens, and why each was chosen."""

import math
import random
from datetime import timedelta
from string import ascii_lowercase
from unittest.mock import Mock

import pytest

from governance import tokens
from memory.context import bootstrap
from memory.curation import db, recall
from memory.models import EffectiveChunk
from tests.owning import as_owner
from tests.tools.calls import call, faults

pytestmark = pytest.mark.django_db


def recalled(world, query, **arguments):
    return call(world.alice, "memory_recall", {"query": query, **arguments})


def moved(world, chunk_id, ago):
    """The chunk as if it had been recorded so long ago."""
    with as_owner():
        one = EffectiveChunk.objects.get(tenant_id=world.tenant_id, id=chunk_id)
        EffectiveChunk.objects.filter(tenant_id=world.tenant_id, id=chunk_id).update(ts=one.ts - ago)


def test_it_works(world, agent):
    agent.commit("Jack speaks Ladin")
    agent.commit("Jill likes tea")
    answer = recalled(world, "Which language is Ladin?")
    (found,) = [one for one in answer["memories"] if one["content"] == "Jack speaks Ladin"]
    assert found["seq"] == 1
    assert answer["memories"][0] == found
    assert answer["tokensUsed"] == sum(one["tokens"] for one in answer["memories"])


def test_the_score_is_made_of_the_parts_that_are_told(world, agent):
    agent.commit("Jack speaks Ladin", importance=8)
    (found,) = recalled(world, "Ladin")["memories"]
    parts = found["parts"]
    assert parts["importance"] == 0.8
    assert parts["access"] == 0
    assert parts["recency"] == pytest.approx(1, abs=0.01)
    expected = 0.4 * parts["relevance"] + 0.3 * parts["recency"] + 0.2 * parts["importance"] + 0.1 * parts["access"]
    assert found["score"] == pytest.approx(expected, abs=1e-5)
    assert found["why"].startswith("matches the query (") or found["why"].startswith("recent (")
    assert "important (0.80)" in found["why"]


def test_recency_halves_in_seven_days(world, agent):
    made = agent.commit("Jack speaks Ladin")
    moved(world, made["chunk_id"], timedelta(days=14))
    (found,) = recalled(world, "Ladin")["memories"]
    assert found["parts"]["recency"] == pytest.approx(0.25, abs=0.01)


def test_of_equal_matches_the_more_important_comes_first(agent):
    for name, score in (("Ann", 2), ("Ben", 9), ("Cat", 5)):
        agent.commit(f"{name} speaks Ladin", importance=score)
    assert agent.recall("Ladin") == ["Ben speaks Ladin", "Cat speaks Ladin", "Ann speaks Ladin"]


def test_what_was_said_in_events_is_recalled_too(world, agent):
    agent.commit("Jack speaks Ladin")
    world.event("Jill speaks Ladin")
    found = {one["content"]: one["seq"] for one in recalled(world, "Ladin")["memories"]}
    assert found == {"Jack speaks Ladin": 1, "Jill speaks Ladin": None}


def test_at_most_so_many_are_returned(world, agent):
    agent.commits(*(f"Person {number} speaks Ladin" for number in range(15)))
    assert len(recalled(world, "Ladin")["memories"]) == 10
    assert len(recalled(world, "Ladin", maxResults=3)["memories"]) == 3


def test_no_more_tokens_are_used_than_allowed_and_what_did_not_fit_is_counted(world, agent):
    agent.commits(*(f"Person {number} speaks Ladin every day of the week" for number in range(5)))
    (one,) = tokens.count(["Person 0 speaks Ladin every day of the week"])
    answer = recalled(world, "Ladin", maxTokens=2 * one + 1)
    assert len(answer["memories"]) == 2
    assert answer["tokensUsed"] == 2 * one
    assert answer["omitted"] == 3


def test_a_small_memory_is_taken_where_a_large_one_does_not_fit(world, agent):
    agent.commit("Ladin " + "word " * 150, importance=10)
    agent.commit("Jack speaks Ladin", importance=1)
    assert agent.recall("Ladin", maxTokens=20) == ["Jack speaks Ladin"]


def test_superseded_memory_is_left_out_unless_it_is_asked_for(agent):
    seqs = agent.commits("Jack likes tea", "Jack likes rain")
    agent.rethink(seqs, "Jack likes both")
    assert agent.recall("Jack likes") == ["Jack likes both"]
    assert len(agent.recall("Jack likes", includeSuperseded=True)) == 3
    assert len(agent.recall("Jack likes", include_superseded=True)) == 3


def test_the_superseded_memory_of_another_agent_is_not_recalled(agent, agent_in, agent_of):
    agent.rethink(agent.commits("Jack likes tea"), "Jack likes rain")
    other = agent_of(agent_in("private", "team", "public", "agent"))
    assert other.recall("tea", includeSuperseded=True) == []
    (found,) = call(other.api, "memory_recall", {"query": "rain"})["memories"]
    assert (found["seq"], found["supersedes"], found["superseded_by"]) == (None, [], None)


def test_another_tenant_recalls_nothing(agent, charlie, agent_of):
    agent.commit("Jack speaks Ladin")
    assert agent_of(charlie).recall("Ladin") == []


def test_only_what_those_who_listen_may_hear_is_recalled(agent):
    agent.commit("Jack speaks Ladin", channel="public", sensitivity="high")
    agent.commit("Jill speaks Ladin", channel="public")
    assert set(agent.recall("Ladin", channel="private")) == {"Jack speaks Ladin", "Jill speaks Ladin"}
    assert agent.recall("Ladin", channel="public") == ["Jill speaks Ladin"]
    assert set(agent.recall("Ladin")) == {"Jack speaks Ladin", "Jill speaks Ladin"}


def test_what_is_secret_is_never_recalled(agent):
    agent.commit("Jack speaks Ladin", sensitivity="secret")
    assert agent.recall("Ladin", channel="private") == []


def test_nothing_is_recalled_of_empty_memory(world):
    answer = recalled(world, "Ladin")
    assert (answer["memories"], answer["tokensUsed"], answer["omitted"]) == ([], 0, 0)


def test_a_question_without_words_says_so(world, agent):
    agent.commit("Jack speaks Ladin")
    answer = recalled(world, "the of and")
    assert isinstance(answer["notices"], list)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("query", ""), ("query", None), ("query", 5),
        ("maxResults", 0), ("maxResults", 101), ("maxResults", "many"),
        ("maxTokens", 0), ("maxTokens", -1), ("maxTokens", "many"),
        ("includeSuperseded", "perhaps"), ("channel", "street"), ("includeSupersedes", True),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_and_named(world, argument, value):
    answer = world.alice.post("tools/memory_recall", {"query": "Ladin", argument: value})
    assert list(faults(answer)) == [f"#/{argument}"]


def test_access_counts_towards_the_score_as_a_logarithm(world, agent):
    made = agent.commit("Jack speaks Ladin")
    with as_owner():
        from memory.models import ChunkAccess

        ChunkAccess.objects.create(
            tenant_id=world.tenant_id, id=made["chunk_id"], access_count=9, last_accessed=made["ts"]
        )
    (found,) = recalled(world, "Ladin")["memories"]
    assert found["parts"]["access"] == pytest.approx(math.log(10) / math.log(51), abs=1e-5)
    assert found["access_count"] == 9
    assert "used 9 times" in found["why"]


def test_without_a_query_it_looks_no_further_than_until_the_prompt_is_full(world, monkeypatch):
    monkeypatch.setattr(recall, "CANDIDATES", 4)
    monkeypatch.setattr(bootstrap, "MAX_RESULTS", 4)
    read = Mock(wraps=db.recent_memories)
    monkeypatch.setattr(db, "recent_memories", read)
    letters = random.Random(1)
    for _ in range(20):
        world.chunk(" ".join("".join(letters.choices(ascii_lowercase, k=6)) for _ in range(8)))
    for number in range(4):
        world.chunk(f"The nightly run of the payment service has passed without a new failure in build {number}")
    prompt = world.alice.ok("post", "context/bootstrap", {"max_tokens": 4_000})["system_prompt"]
    assert prompt.count("in build") == 2
    assert [one.kwargs["limit"] for one in read.call_args_list] == [4, 16]  # of the first four, two waited


def test_the_list_of_memories_is_read_page_by_page(world, agent):
    agent.commits(*(f"Fact {number}" for number in range(1, 6)))
    agent.rethink([2, 3], "Facts 2 and 3")
    for parameters, numbers in (("", [6, 5, 4, 1]), ("&include_superseded=true", [6, 5, 4, 3, 2, 1])):
        told, path = [], f"chain?limit=2{parameters}"
        while path:
            page = world.alice.ok("get", path)
            told += [one["seq"] for one in page["results"]]
            path = page["next"] and f"chain?limit=2{parameters}&cursor={page['next']}"
        assert told == numbers
