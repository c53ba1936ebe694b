"""Every answer that gives chunks to an agent is an access of each of them: once, in the session of the agent."""

import json
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.utils import timezone

from memory.models import Chunk, ChunkAccess, ChunkSession, Delivery, PromotionDue
from memory.usage import deliveries
from tests.capture.capturing import PROMPT, body
from tests.curation.agent import Agent
from tests.factories import CapsuleFactory
from tests.tools.calls import call
from tests.world import Api, World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

HEADER = {"X-Session-Id": "run-7"}
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


@dataclass
class Lived:
    """Memory of each kind, which alice has written."""

    world: World
    chunk: str
    event: str
    seq: int
    capture: str
    capsule: str

    @property
    def api(self) -> Api:
        return self.world.alice

    def every_chunk(self) -> set[str]:
        with self.world.inside():
            return {str(one) for one in Chunk.objects.values_list("id", flat=True)}


@pytest.fixture
def lived(world):
    made = world.event("The quick brown fox", subject_type="user", subject_id="jack-doe-123")
    (chunk,) = made["chunk_ids"]
    alice = Agent(world.alice)
    seq = alice.commit("The quick fox likes tea")["seq"]
    alice.update("persona", "I am quick")
    alice.update("persona", "I am very quick")
    captured = world.alice.ok("post", "captures", body("A quick prompt", PROMPT, compute_embedding=False))
    capsule = world.alice.ok("post", "capsules", CapsuleFactory(items={"chunks": [chunk]}))
    return Lived(world, chunk, made["event_id"], seq, captured["chunk_ids"][0], capsule["capsule_id"])


def post(path: str, **fields: Any) -> Any:
    return lambda lived: lived.api.ok("post", path, fields, **HEADER)


def get(path: str) -> Any:
    return lambda lived: lived.api.ok("get", path.format(**vars(lived)), **HEADER)


def tool(name: str, **arguments: Any) -> Any:
    return lambda lived: call(
        lived.api, name, {key: value.format(**vars(lived)) for key, value in arguments.items()}, **HEADER
    )


#: Each way of reading, and by which means it delivers.
READS = {
    "search": (post("chunks/search", query="quick"), {"search"}),
    "keyword": (post("chunks/search", query="quick", mode="keyword"), {"search"}),
    "semantic": (post("chunks/search", query="quick", mode="semantic"), {"search"}),
    "reranked": (post("chunks/search", query="quick", rerank=True), {"search"}),
    "page": (post("chunks/search", query="quick", limit=1), {"search"}),
    "search tool": (tool("search_memory", query="quick"), {"search"}),
    "by ids": (lambda lived: post("chunks/get", chunk_ids=[lived.chunk, lived.capture])(lived), {"get"}),
    "list": (get("chunks"), {"list"}),
    "page of a list": (get("chunks?limit=1"), {"list"}),
    "timeline": (get("chunks/{chunk}/timeline?window_seconds=600"), {"timeline"}),
    "page of a timeline": (get("chunks/{chunk}/timeline?window_seconds=600&limit=1"), {"timeline"}),
    "timeline tool": (tool("timeline", chunk_id="{chunk}"), {"timeline"}),
    "recall": (tool("memory_recall", query="quick"), {"recall"}),
    "memories": (get("chain?limit=1"), {"list"}),
    "memory": (get("chain/{seq}"), {"get"}),
    "block": (tool("block_get", label="persona"), {"block"}),
    "versions": (post("tools/block_history", label="persona", limit=1), {"history"}),
    "core": (tool("core_memories"), {"core"}),
    "bootstrap": (post("context/bootstrap", query="quick"), {"core", "bootstrap"}),
    "captures": (get("captures?limit=1"), {"list"}),
    "capture": (get("captures/{capture}"), {"get"}),
    "capsule": (get("capsules/{capsule}"), {"capsule"}),
    "capsule tool": (tool("open_capsule", capsule_id="{capsule}"), {"capsule"}),
    "events": (get("events"), {"event"}),
    "event": (get("events/{event}"), {"event"}),
    "by filter": (
        post("edits/by-filter", filter={"session_id": "session-1"}, op="retract", reason="a test"),
        {"preview"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READS)
def test_every_read_counts_each_chunk_once_in_its_session(lived, delivered, counted, due, nothing_due, name):
    read, means = READS[name]
    nothing_due()
    answer = read(lived)

    found = delivered()
    given = {str(one.chunk_id) for one in found}
    assert given
    assert given == set(_UUID.findall(json.dumps(answer))) & lived.every_chunk()
    assert len(found) == len(given)  # each once
    assert {one.means for one in found} == means
    assert {(one.receiver_kind, one.receiver, one.session_id) for one in found} == {("agent", "alice", "run-7")}
    assert counted() == {chunk: {"": 1, "run-7": 1} for chunk in given}
    assert due() == given


@pytest.mark.parametrize(
    "read",
    [
        post("acb/build", session_id="session-1", channel="private", query="quick"),
        post("acb/build", session_id="session-1", channel="private", query="quick", format="text"),
        tool("build_context", session_id="session-1", query="quick"),
    ],
)
def test_a_bundle_counts_its_chunks_and_those_of_its_capsules_in_the_session_that_it_names(lived, delivered, read):
    read(lived)
    found = delivered()
    assert {one.means for one in found} == {"bundle"}  # the capsule's chunk is there as evidence too
    assert lived.chunk in {str(one.chunk_id) for one in found}
    assert len({one.chunk_id for one in found}) == len(found)
    assert {one.session_id for one in found} == {"session-1"}


def test_a_chunk_that_a_bundle_has_in_a_capsule_alone_is_delivered_by_it(world, delivered, given, handed):
    others = world.chunk("A secret fox", subject_type="user", subject_id="somebody-else", session_id="elsewhere")
    handed([others])
    about = {"subject_type": "user", "subject_id": "jack-doe-123"}
    built = given("agent-bob").ok("post", "acb/build", {"session_id": "s", "channel": "private", **about})["acb"]
    assert built["capsules"]
    assert [(str(one.chunk_id), one.means) for one in delivered()] == [(others, "capsule")]


def test_reading_a_bundle_again_gives_nothing_new(lived, counted):
    built = post("acb/build", session_id="session-1", channel="private")(lived)
    before = counted()
    replay = lived.api.ok("get", f"acb/{built['acb']['acb_id']}", **HEADER)
    assert replay["items"]
    assert counted() == before


def test_the_session_of_a_field_wins(lived, counted):
    post("context/bootstrap", query="quick", session_id="mine")(lived)
    assert {session for of_chunk in counted().values() for session in of_chunk} == {"", "mine"}


def test_the_session_that_a_search_filters_by_is_not_the_readers(lived, counted):
    lived.api.ok("post", "chunks/search", {"query": "quick", "session_id": "session-1"})
    found = counted()
    assert found
    assert {session for of_chunk in found.values() for session in of_chunk} == {""}


def test_uses_are_counted_by_session(lived, counted):
    for session_id in ("a", "b", "b"):
        lived.api.ok("post", "chunks/get", {"chunk_ids": [lived.chunk]}, **{"X-Session-Id": session_id})
    lived.api.ok("post", "chunks/get", {"chunk_ids": [lived.chunk]})
    assert counted() == {lived.chunk: {"": 4, "a": 1, "b": 2}}


def test_the_first_and_the_last_use_in_a_session_are_kept(lived, rows_of, counted):
    for _ in range(3):
        lived.api.ok("post", "chunks/get", {"chunk_ids": [lived.chunk]}, **HEADER)
        counted()
    times = [one.at for one in rows_of(Delivery)]
    (session,) = rows_of(ChunkSession)
    assert (session.first_accessed, session.last_accessed) == (min(times), max(times))
    (access,) = rows_of(ChunkAccess)
    assert access.last_accessed == max(times)


def test_what_the_reader_does_not_get_is_not_delivered(lived, world, delivered):
    world.edit(lived.chunk, "retract")
    for read in ("by ids", "search", "events", "event", "capsule"):
        READS[read][0](lived)
    assert lived.chunk not in {str(one.chunk_id) for one in delivered()}


@pytest.mark.parametrize("name", ["search", "by ids", "list", "timeline", "events", "event", "by filter", "captures"])
def test_what_people_read_is_no_access(lived, delivered, counted, name):
    lived.world.alice = lived.world.bob
    READS[name][0](lived)
    assert delivered() == []
    assert counted() == {}


@pytest.mark.parametrize("name", ["recall", "capture"])
def test_what_people_recall_is_recorded_and_no_access(lived, delivered, counted, due, nothing_due, name):
    nothing_due()
    lived.world.alice = lived.world.bob
    READS[name][0](lived)
    assert {one.receiver_kind for one in delivered()} == {"human"}
    assert counted() == {}
    assert due() == set()


@pytest.mark.parametrize("name", ["search", "memory", "bootstrap", "capsule", "events"])
def test_without_redis_every_read_answers(lived, monkeypatch, caplog, name):
    nobody = redis.Redis.from_url("redis://127.0.0.1:1/0", socket_connect_timeout=0.1)
    monkeypatch.setattr(deliveries, "_redis", lambda: nobody)
    assert READS[name][0](lived)
    assert "deliveries:" in caplog.text


def test_one_answer_is_one_note(lived):
    for name in ("search", "bootstrap"):
        READS[name][0](lived)
    assert deliveries._redis().llen(deliveries._waiting()) == 2


def test_another_tenant_counts_nothing_here(lived, charlie, counted):
    charlie.ok("post", "chunks/get", {"chunk_ids": [lived.chunk]}, **HEADER)
    assert counted() == {}


@pytest.mark.parametrize(("days", "is_kept"), [(-3, True), (3, False)])
def test_a_use_makes_a_chunk_due_now_or_earlier(lived, world, counted, rows_of, nothing_due, days, is_kept):
    nothing_due()
    before = timezone.now() + timedelta(days=days)
    with world.inside("owner"):
        PromotionDue.objects.using("owner").create(tenant_id=world.tenant_id, id=lived.chunk, due_at=before)
    READS["event"][0](lived)
    counted()
    (row,) = rows_of(PromotionDue)
    assert (row.due_at == before) is is_kept
    assert row.due_at <= timezone.now()
