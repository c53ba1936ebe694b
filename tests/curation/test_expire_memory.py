"""Ephemeral memory expires: no reader gets it from then on, and a job deletes what was derived from its words."""

import functools
import operator
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from governance.models import Entry
from memory.curation.expiry import expire_memories
from memory.models import AgentMemory, EffectiveChunk
from tests.factories import EditFactory
from tests.ledger.tampering import unguarded

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def over(world):
    """`over(made)` lets the time of a memory be over, in the record and in its projection."""

    def move(*made):
        before = timezone.now() - timedelta(seconds=1)
        ids = [one["chunk_id"] for one in made]
        with unguarded("memory_agentmemory") as cursor:
            cursor.execute(
                "UPDATE memory_agentmemory SET expires_at = %s WHERE tenant_id = %s AND id = ANY (%s::uuid[])",
                [before, world.tenant_id, ids],
            )
            cursor.execute(
                "UPDATE memory_effectivechunk SET expires_at = %s WHERE tenant_id = %s AND id = ANY (%s::uuid[])",
                [before, world.tenant_id, ids],
            )
            assert cursor.rowcount == len(ids)

    return move


@pytest.fixture(autouse=True)
def nothing_drifts():
    """The record itself was changed here, which verification rightly finds; drift is looked at where it matters."""


def expired(world):
    """(the entries of the job, the memories of which it has removed what was derived)"""
    with world.inside("owner"):
        ids = EffectiveChunk.objects.using("owner").filter(tenant_id=world.tenant_id, is_expired=True)
        entries = Entry.objects.using("owner").filter(tenant_id=world.tenant_id, type="memory.expired").order_by("seq")
        return [one.metadata["chunks"] for one in entries], {str(one) for one in ids.values_list("id", flat=True)}


def drift(world):
    from memory.db import effective_drift

    with world.inside("owner"):
        return effective_drift.on("owner")(tenant=world.tenant_id)


def test_no_reader_gets_it_from_then_on_whether_the_job_has_run_or_not(world, agent, over):
    made = agent.commit("The train leaves at nine", tier="ephemeral")
    agent.commit("Jack likes trains")
    assert len(agent.recall("train")) == 2
    over(made)

    for _ in range(2):
        assert agent.listed() == ["Jack likes trains"]
        assert agent.listed(include_superseded="true", include_quarantined="true") == ["Jack likes trains"]
        assert world.alice.get(f"chain/{made['seq']}").status_code == 404
        assert "nine" not in str(agent.recall("train", includeSuperseded=True))
        assert world.found("nine") == []
        assert "nine" not in agent.bootstrap()["system_prompt"] + agent.bootstrap(query="train")["system_prompt"]
        assert world.alice.ok("post", "chunks/get", {"chunk_ids": [made["chunk_id"]]})["chunks"] == []
        assert len(world.alice.ok("get", "chunks")["results"]) == 1
        assert world.alice.get(f"chunks/{made['chunk_id']}/timeline").status_code == 404
        assert drift(world) == []
        expire_memories()


def test_the_job_deletes_what_was_derived_and_writes_one_entry(world, agent, over, owner):
    one, two = (agent.commit(f"The train leaves at {hour}", tier="ephemeral") for hour in ("nine", "ten"))
    agent.commit("It rains", tier="ephemeral")
    over(one, two)

    assert expire_memories() == 2

    chunks = sorted([one["chunk_id"], two["chunk_id"]])
    assert expired(world) == ([chunks], set(chunks))
    with world.inside("owner"):
        left = owner(
            "SELECT 1 FROM memory_effectivechunk WHERE tenant_id = %s AND id = ANY (%s::uuid[])"
            " AND num_nonnulls(text, tsv, lex) > 0",
            [world.tenant_id, chunks],
        )
    assert left == []
    assert expire_memories() == 0
    assert len(expired(world)[0]) == 1
    assert drift(world) == []


def test_the_record_keeps_it(world, agent, over):
    made = agent.commit("The train leaves at nine", tier="ephemeral")
    over(made)
    expire_memories()
    with world.inside():
        assert AgentMemory.objects.filter(tenant_id=world.tenant_id, id=made["chunk_id"]).exists()


def test_what_does_not_expire_stays(world, agent):
    agent.commit("Jack likes tea")
    agent.commit("Jack likes rain", tier="ephemeral")
    assert expire_memories() == 0
    assert len(agent.listed()) == 2


def test_an_expired_original_does_not_come_back_with_its_consolidation_retracted(world, agent, over):
    one, two = agent.commit("The train leaves at nine", tier="ephemeral"), agent.commit("Jack likes trains")
    made = agent.rethink([one["seq"], two["seq"]], "Jack takes the train")
    over(one)
    expire_memories()
    assert agent.listed() == ["Jack takes the train"]
    world.edit(made["chunk_id"], "retract")
    assert agent.listed() == ["Jack likes trains"]
    assert drift(world) == []


def test_expired_memory_cannot_be_consolidated(world, agent, over):
    made = agent.commit("The train leaves at nine", tier="ephemeral")
    over(made)
    answer = world.alice.post(
        "tools/memory_rethink", {"supersedes": [made["seq"]], "newUnderstanding": "The train leaves at nine"}
    )
    assert answer.status_code == 400
    (fault,) = answer.json()["errors"]
    assert fault["pointer"] == "#/supersedes/0"
    assert "expired" in fault["detail"]


def test_an_edit_after_its_time_changes_nothing_that_is_read(world, agent, over):
    made = agent.commit("The train leaves at nine", tier="ephemeral")
    over(made)
    expire_memories()
    body = EditFactory(target_id=made["chunk_id"], op="amend", patch={"text": "The train leaves at ten"})
    world.bob.post("edits", body)
    assert agent.listed() == []
    assert world.found("train") == []
    assert drift(world) == []


def test_two_jobs_at_once_expire_each_memory_once(world, agent, over, at_once):
    made = [agent.commit(f"The train leaves at {hour}", tier="ephemeral") for hour in range(6)]
    over(*made)
    assert sum(at_once(expire_memories, expire_memories)) == 6
    entries, _ = expired(world)
    assert sorted(functools.reduce(operator.iadd, entries, [])) == sorted(one["chunk_id"] for one in made)


def test_the_setting_of_the_tenant_says_how_long_it_lasts(world, agent, owner):
    with world.inside("owner"):
        owner("UPDATE governance_tenant SET ephemeral_hours = 2 WHERE id = %s RETURNING id", [world.tenant_id])
    made = agent.commit("The train leaves at nine", tier="ephemeral")
    memory = agent.memory(made["seq"])
    lasts = datetime.fromisoformat(memory["expires_at"]) - datetime.fromisoformat(memory["ts"])
    assert lasts == timedelta(hours=2)
