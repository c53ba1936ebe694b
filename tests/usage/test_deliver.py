"""Who received what is noted in Redis when an answer is certain, and recorded by a job, each delivery once."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from memory.models import ChunkAccess, Delivery
from memory.usage import deliveries
from tests.tools.calls import call

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def waiting():
    return [json.loads(row) for row in deliveries._redis().lrange(deliveries._waiting(), 0, -1)]


def recorded(world):
    with world.inside("owner"):
        return list(Delivery.objects.using("owner").filter(tenant_id=world.tenant_id).order_by("at", "id"))


def counts(world):
    with world.inside("owner"):
        rows = ChunkAccess.objects.using("owner").filter(tenant_id=world.tenant_id)
        return {str(row.id): row.access_count for row in rows}


def test_what_was_recalled_is_recorded_with_who_got_which_version_by_which_means(world, agent):
    made = agent.commit("Jack likes tea")
    world.edit(made["chunk_id"], "attenuate", importance=0.4)
    agent.recall("tea")

    assert recorded(world) == []  # the reader did not wait for it
    assert deliveries.record_deliveries() == 1

    (one,) = recorded(world)
    assert (str(one.chunk_id), one.version, one.means) == (made["chunk_id"], 1, "recall")
    assert (one.receiver_kind, one.receiver) == ("agent", "alice")
    assert waiting() == []


@pytest.mark.parametrize(
    ("read", "means"),
    [
        (lambda agent: agent.memory(1), {"get"}),
        (lambda agent: agent.recall("Ada"), {"recall"}),
        (lambda agent: agent.bootstrap(), {"core"}),
        (lambda agent: agent.block("persona"), {"block"}),
    ],
)
def test_every_way_of_giving_memory_is_a_delivery(world, agent, read, means):
    agent.update("persona", "I am Ada")
    read(agent)
    deliveries.record_deliveries()
    assert {one.means for one in recorded(world)} == means


def test_the_session_of_a_bootstrap_is_recorded(world, agent):
    agent.update("persona", "I am Ada")
    agent.commit("Jack likes tea")
    agent.bootstrap(session_id="s")
    deliveries.record_deliveries()
    assert {(one.means, one.session_id) for one in recorded(world)} == {("core", "s"), ("bootstrap", "s")}


def test_accesses_are_counted_and_answered(world, agent):
    made = agent.commit("Jack likes tea")
    for _ in range(3):
        agent.recall("tea")
    deliveries.record_deliveries()
    assert counts(world) == {made["chunk_id"]: 3}
    (found,) = call(world.alice, "memory_recall", {"query": "tea"})["memories"]
    assert found["access_count"] == 3
    assert found["last_accessed"] is not None


def test_what_is_recorded_twice_counts_once(world, agent):
    made = agent.commit("Jack likes tea")
    agent.recall("tea")
    rows = [json.dumps(row) for row in waiting()]
    deliveries._redis().rpush(deliveries._waiting(), *rows, *rows)  # three times in all
    deliveries.record_deliveries()
    assert len(recorded(world)) == 1
    assert counts(world) == {made["chunk_id"]: 1}


def test_a_run_killed_between_recording_and_removing_loses_and_doubles_nothing(world, agent, monkeypatch):
    made = agent.commit("Jack likes tea")
    agent.recall("tea")
    record = deliveries._record

    def killed(rows):
        record(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr(deliveries, "_record", killed)
    with pytest.raises(KeyboardInterrupt):
        deliveries.record_deliveries()
    assert len(waiting()) == 1
    monkeypatch.setattr(deliveries, "_record", record)
    assert deliveries.record_deliveries() == 0
    assert waiting() == []
    assert counts(world) == {made["chunk_id"]: 1}


def test_two_runs_at_once_record_each_delivery_once(world, agent, at_once):
    made = agent.commit("Jack likes tea")
    for _ in range(5):
        agent.recall("tea")
    answers = at_once(deliveries.record_deliveries, deliveries.record_deliveries)
    assert sum(answers) == 5, answers
    assert counts(world) == {made["chunk_id"]: 5}
    assert waiting() == []


def test_more_than_a_batch_is_recorded(world, agent, monkeypatch):
    monkeypatch.setattr(deliveries, "BATCH", 3)
    agent.commits(*(f"Person {number} likes tea" for number in range(8)))
    agent.recall("tea")
    assert deliveries.record_deliveries() == 8
    assert waiting() == []


def test_a_refused_call_delivers_nothing(world, agent):
    agent.commit("Jack likes tea")
    world.alice.post("tools/memory_recall", {"query": "tea", "maxResults": 0})
    assert waiting() == []


def test_without_redis_the_reader_gets_an_answer_and_a_warning_is_logged(world, agent, monkeypatch, caplog):
    agent.commit("Jack likes tea")
    nobody = redis.Redis.from_url("redis://127.0.0.1:1/0", socket_connect_timeout=0.1)
    monkeypatch.setattr(deliveries, "_redis", lambda: nobody)
    assert agent.recall("tea") == ["Jack likes tea"]
    assert "deliveries:" in caplog.text


def test_the_list_does_not_grow_for_ever(world, agent, monkeypatch):
    monkeypatch.setattr(deliveries, "AT_MOST", 1)
    agent.commits(*(f"Person {number} likes tea" for number in range(4)))
    agent.recall("tea")
    agent.recall("tea")
    assert len(waiting()) == 1
    assert deliveries.record_deliveries() == 4  # the last answer


def test_what_no_tenant_or_chunk_is_known_of_does_not_stop_the_rest(world, agent):
    made = agent.commit("Jack likes tea")
    agent.recall("tea")
    (row,) = waiting()
    strangers = [{**row, "tenant": str(uuid.uuid4()), "id": str(uuid.uuid4())}, {"tenant": "no"}, "no", []]
    rows = [*map(json.dumps, strangers), "not JSON"]
    deliveries._redis().lpush(deliveries._waiting(), *rows)
    assert deliveries.record_deliveries() == 1
    assert counts(world) == {made["chunk_id"]: 1}
    assert waiting() == []


def test_a_connection_that_redis_has_closed_is_opened_again(world, agent):
    made = agent.commit("Jack likes tea")
    agent.recall("tea")
    for one in deliveries._redis().client_list():
        if one["cmd"] == "rpush":
            deliveries._redis().client_kill_filter(_id=one["id"])
    agent.recall("tea")
    assert deliveries.record_deliveries() == 2
    assert counts(world) == {made["chunk_id"]: 2}


def test_any_number_of_threads_note_what_they_give():
    """A server starts threads for as long as it runs; none may use up the connections of the others."""
    for _ in range(110):
        with ThreadPoolExecutor(1) as thread:
            thread.submit(deliveries._push, b"{}").result()

    assert len(waiting()) == 110
    assert deliveries.record_deliveries() == 0
