"""Reading memory as it was at an earlier time."""

import json
import random
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from governance.models import AccessRecord
from memory.curation.expiry import expire_memories
from tests.capture.capturing import store
from tests.curation.agent import Agent
from tests.memories.remembering import remember
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


class Past:
    """What bob, a reviewer, reads as of a time."""

    def __init__(self, world: World) -> None:
        self.api = world.bob
        self.at = timezone.now().isoformat()

    def listed(self, **parameters: str) -> list[str]:
        query = "&".join(f"{name}={quote(value)}" for name, value in {**parameters, "as_of": self.at}.items())
        return [one["text"] for one in self.api.ok("get", f"memories?{query}")["results"]]

    def found(self, query: str, **fields: object) -> list[str]:
        body = {"query": query, "as_of": self.at, **fields}
        return [one["text"] for one in self.api.ok("post", "memories/search", body)["results"]]

    def got(self, memory_id: str) -> dict[str, Any]:
        """One memory; empty if there is none."""
        answer = self.api.get(f"memories/{memory_id}?as_of={quote(self.at)}")
        return dict(answer.json()) if answer.status_code == 200 else {}

    def everywhere(self, memory_id: str) -> list[str]:
        """The texts about Ada, which the list, a search and a read must agree on."""
        got = self.got(memory_id)
        texts = [got["text"]] if got else []
        assert self.listed() == self.found("Ada") == texts
        return texts


def test_a_memory_is_read_before_and_after_it_was_recorded_corrected_and_forgotten(world):
    never = Past(world)
    made = remember(world.alice, value={"cups": 1}, metadata={"topic": "food"}, key="drink")
    recorded = Past(world)
    world.alice.ok("patch", f"memories/{made['id']}", {"text": "Ada drinks coffee"})
    corrected = Past(world)
    remember(world.alice, "Ada drinks water", key="drink")
    replaced = Past(world)
    world.alice.ok("delete", f"memories/{made['id']}", None)
    forgotten = Past(world)

    assert never.everywhere(made["id"]) == []
    assert recorded.everywhere(made["id"]) == ["Ada drinks oolong"]
    assert corrected.everywhere(made["id"]) == ["Ada drinks coffee"]
    assert replaced.everywhere(made["id"]) == ["Ada drinks water"]
    assert forgotten.everywhere(made["id"]) == []
    then, later = recorded.got(made["id"]), corrected.got(made["id"])
    assert (then["value"], then["metadata"], then["edits_applied"]) == ({"cups": 1}, {"topic": "food"}, 0)
    assert (later["value"], later["metadata"], later["edits_applied"]) == (None, {"topic": "food"}, 1)
    assert then["updated_at"] == then["created_at"] == made["ts"] < later["updated_at"]
    assert replaced.got(made["id"])["created_at"] == made["ts"]
    # the words of a search and the conditions of a list are those of the time
    assert recorded.found("oolong") == ["Ada drinks oolong"]
    assert corrected.found("oolong") == replaced.found("coffee") == []
    assert recorded.listed(where=json.dumps({"topic": "food"}), key="drink") == ["Ada drinks oolong"]
    assert (
        recorded.listed(where=json.dumps({"topic": "other"})) == recorded.found("Ada", where={"topic": "other"}) == []
    )
    assert recorded.found("Ada", until=never.at) == recorded.found("Ada", actor="bo") == []
    assert recorded.found("Ada", since=never.at, subject_ids=["ada"]) == ["Ada drinks oolong"]
    assert recorded.listed(subject_id="bo") == recorded.found("Ada", subject_type="user", subject_id="bo") == []


ALL = "include_quarantined=true"


class History:
    """Random changes of a tenant's memory, and what bob read after each of them."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.random = world, random.Random(seed)
        self.agent = Agent(world.alice)
        self.read: list[tuple[str, list[str], list[dict[str, Any]]]] = []
        self.edits: list[tuple[str, str]] = []
        self.seqs: list[int] = []
        self.number = 0

    def now(self) -> list[dict[str, Any]]:
        results: list[dict[str, Any]] = self.world.bob.ok("get", f"memories?limit=200&{ALL}")["results"]
        return results

    def words(self) -> str:
        self.number += 1
        return f"Ada said the number {self.number}"

    def remember(self) -> None:
        key = self.random.choice([None, "drink", "food"])
        remember(self.world.alice, self.words(), metadata={"n": self.number}, **({"key": key} if key else {}))

    def patch(self) -> None:
        if one := self.any():
            changes = self.random.choice([{"text": self.words()}, {"metadata": {"n": -self.number}}])
            self.world.alice.request("patch", f"memories/{one['id']}", changes)

    def delete(self) -> None:
        if one := self.any():
            self.world.alice.request("delete", f"memories/{one['id']}")

    def edit(self) -> None:
        if one := self.any():
            op, patch = self.random.choice(
                [
                    ("retract", {}),
                    ("quarantine", {}),
                    ("amend", {"text": self.words()}),
                    ("amend", {"importance": 0.9}),
                    ("attenuate", {"delta": -0.2}),
                    ("block", {"channel": self.random.choice(["private", "public"])}),
                ]
            )
            chunk = self.random.choice(one["chunk_ids"])
            body = {"target_type": "chunk", "target_id": chunk, "op": op, "reason": "test", "patch": patch}
            answer = self.world.bob.request("post", "edits", body)
            if answer.status_code < 300:
                self.edits.append((chunk, answer.json()["edit_id"]))

    def revert(self) -> None:
        if self.edits:
            chunk, edit = self.edits.pop(self.random.randrange(len(self.edits)))
            body = {"target_type": "chunk", "target_id": chunk, "op": "revert", "reason": "test"}
            answer = self.world.bob.request("post", "edits", {**body, "patch": {"edit_id": edit}})
            if answer.status_code < 300:
                self.edits.append((chunk, answer.json()["edit_id"]))

    def commit(self) -> None:
        self.seqs.append(self.agent.commit(self.words())["seq"])

    def rethink(self) -> None:
        if len(self.seqs) > 1:
            chosen = self.random.sample(self.seqs, 2)
            body = {"supersedes": chosen, "newUnderstanding": self.words()}
            answer = self.world.alice.post("tools/memory_rethink", body)
            if answer.status_code < 300:
                self.seqs.append(answer.json()["consolidationSeq"])

    def block(self) -> None:
        self.agent.update("persona", self.words())

    def store(self) -> None:
        paragraphs = [self.words() if self.random.random() < 0.5 else "Ada wrote the file." for _ in range(3)]
        store(self.world.alice, f"{self.random.choice('ab')}.md", "\n\n".join(paragraphs))

    def any(self) -> dict[str, Any] | None:
        found = self.now()
        return self.random.choice(found) if found else None

    def run(self, steps: int) -> None:
        actions = [self.remember] * 4 + [self.patch, self.delete, self.revert, self.commit, self.rethink]
        actions += [self.block, self.store, self.edit, self.edit, self.edit]
        for _ in range(steps):
            self.random.choice(actions)()
            at, then = timezone.now().isoformat(), self.now()
            ids = [one["id"] for one in then]
            self.read.append((at, ids, then + [self.world.bob.ok("get", f"memories/{id}?{ALL}") for id in ids]))


@pytest.mark.parametrize("seed", range(2))
def test_the_past_is_what_was_read_then(world, seed):
    history = History(world, seed)
    history.run(25)
    for at, ids, then in history.read:
        query = f"as_of={quote(at)}&{ALL}"
        found = world.bob.ok("get", f"memories?limit=200&{query}")["results"]
        assert [one["id"] for one in found] == ids
        found += [world.bob.ok("get", f"memories/{one}?{query}") for one in ids]
        differences = [
            (one["id"], name, value, was[name])
            for one, was in zip(found, then, strict=True)
            for name, value in one.items()
            if value != was[name]
        ]
        assert not differences


def test_a_correction_that_was_reverted_is_in_the_past_between(world):
    made = remember(world.alice)
    edit = world.edit(made["chunk_ids"][0], "retract")
    hidden = Past(world)
    world.edit(made["chunk_ids"][0], "revert", edit_id=edit["edit_id"])
    shown = Past(world)
    world.edit(made["chunk_ids"][0], "quarantine")
    assert (hidden.everywhere(made["id"]), shown.everywhere(made["id"])) == ([], ["Ada drinks oolong"])
    now = Past(world)
    assert now.everywhere(made["id"]) == []
    assert now.listed(include_quarantined="true") == ["Ada drinks oolong"]


def test_an_expired_memory_is_in_the_past(world):
    begun = timezone.now() - timedelta(hours=1)
    made = remember(world.alice, ttl=3600 + 0.3, ts=begun.isoformat())
    before = Past(world)
    while timezone.now() <= begun + timedelta(seconds=3600.3):
        pass
    expire_memories()
    assert before.everywhere(made["id"]) == ["Ada drinks oolong"]
    assert Past(world).everywhere(made["id"]) == []


def test_a_long_memory_gives_up_what_was_corrected_at_the_time(world):
    sentences = [f"Ada walked {n} miles to the village number {n} and came home in the evening." for n in range(60)]
    made = remember(world.alice, " ".join(sentences))
    assert len(made["chunk_ids"]) > 1
    whole = Past(world)
    world.edit(made["chunk_ids"][1], "amend", text="Ada rested.")
    amended = Past(world)
    world.edit(made["chunk_ids"][0], "retract")
    assert whole.everywhere(made["id"]) == [" ".join(sentences)]
    (text,) = amended.everywhere(made["id"])
    assert [part in text for part in ("Ada rested.", sentences[0], "number 59 ")] == [True, True, True]


def test_what_was_erased_or_forgotten_everywhere_is_not_in_the_past(world):
    made = remember(world.alice)
    other = remember(world.alice, "Ada plays chess")
    then = Past(world)
    preview = world.bob.ok("post", "values/preview", {"op": "forget", "value": "oolong", "reason": "asked to"})
    world.bob.ok("post", "values", {"token": preview["token"], "confirm": bool(preview["confirm_because"])})
    assert then.got(made["id"])["text"] == "Ada drinks […]"
    assert then.got(other["id"])["text"] == "Ada plays chess"
    assert then.found("oolong") == []


def test_the_pages_of_a_list_are_of_the_time(world):
    texts = [f"Ada has {n} cats" for n in range(7)]
    for text in texts:
        remember(world.alice, text)
    then = Past(world)
    for one in world.alice.ok("get", "memories")["results"]:
        world.alice.ok("delete", f"memories/{one['id']}", None)
    query = f"memories?limit=3&as_of={quote(then.at)}"
    first = world.bob.ok("get", query)
    second = world.bob.ok("get", f"{query}&cursor={first['next']}")
    third = world.bob.ok("get", f"{query}&cursor={second['next']}")
    pages = [[one["text"] for one in page["results"]] for page in (first, second, third)]
    assert pages == [texts[:3:-1], texts[3:0:-1], texts[:1]]
    assert third["next"] is None


def test_every_read_of_the_past_is_in_the_access_log(world):
    made = remember(world.alice)
    then = Past(world)
    assert then.everywhere(made["id"])
    with world.inside():
        rows = list(AccessRecord.objects.filter(action="words.viewed", target_type="memory"))
    assert [(row.actor, row.details["memories"]) for row in rows] == [(world.bob_name, [made["id"]])] * 3
    assert sorted(str(row.target_id) for row in rows) == sorted([made["id"], "None", "None"])


def test_agents_do_not_read_the_past(world):
    made = remember(world.alice)
    at = quote(timezone.now().isoformat())
    for answer in (
        world.alice.get(f"memories/{made['id']}?as_of={at}"),
        world.alice.get(f"memories?as_of={at}"),
        world.alice.post("memories/search", {"query": "Ada", "as_of": timezone.now().isoformat()}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "past-not-allowed")
    assert world.auditor.ok("get", f"memories?as_of={at}")["results"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"as_of": "yesterday"}, "#/as_of"),
        ({"as_of": "2999-01-01T00:00:00Z"}, "#/as_of"),
        ({"as_of": "2026-01-01T00:00:00Z", "mode": "hybrid"}, "#/mode"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_its_place(world, fields, pointer):
    answer = world.bob.post("memories/search", {"query": "Ada", **fields})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)
