"""`GET /notices/stream`: verdicts on an agent's edits, and corrections of memory that it has received."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from governance.identity import identities
from memory.usage import deliveries

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

Stream = Callable[..., tuple[list[tuple[str, dict[str, Any]]], str]]


@pytest.fixture
def stream() -> Stream:
    """Read the stream: its events, and the last id."""

    def read(api: Any, last: str | None = None, **headers: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
        if last is not None:
            headers["Last-Event-ID"] = last
        answer = api.get("notices/stream", **{"Accept": "text/event-stream", **headers})
        assert answer.status_code == 200, answer.content
        assert answer["Content-Type"] == "text/event-stream"
        found, id = [], last or ""
        for block in answer.content.decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            id = fields.get("id", id)
            if "data" in fields:
                found.append((fields["event"], json.loads(fields["data"])))
        return found, id

    return read


def pending(world: Any, text: str = "brown fox") -> str:
    """A quarantine by alice, which waits for a person."""
    given = {"target_type": "chunk", "target_id": world.chunk(text), "op": "quarantine", "reason": "wrong"}
    answer = world.alice.ok("post", "edits", given)
    assert answer["status"] == "pending"
    return str(answer["edit_id"])


@pytest.fixture
def received(world: Any, agent_in: Callable[..., Any]) -> tuple[Any, str]:
    """Another agent, and a memory of alice that it has received."""
    other = agent_in("private", "team")
    chunk = world.chunk("The code is orchid seven", channel="team")
    assert other.ok("post", "chunks/search", {"query": "orchid", "mode": "keyword"})["chunks"]
    deliveries.record_deliveries()
    return other, chunk


@pytest.mark.parametrize(("verb", "status"), [("approve", "approved"), ("reject", "rejected")])
def test_a_verdict_is_told_once(world: Any, stream: Stream, verb: str, status: str) -> None:
    edit_id = pending(world)
    nothing, last = stream(world.alice)
    world.bob.decide(edit_id, verb, reason="I looked")
    [(kind, said)], then = stream(world.alice, last)
    assert nothing == []
    assert kind == "verdict"
    assert said.pop("decided_at")
    assert said == {"edit_id": edit_id, "status": status, "by": world.bob_name, "reason": "I looked"}
    assert stream(world.alice, then) == ([], then)


def test_a_withdrawal_is_told(world: Any, stream: Stream) -> None:
    edit_id = pending(world)
    _, last = stream(world.alice)
    world.alice.ok("post", f"edits/{edit_id}/withdraw", {})
    [(_, said)], _ = stream(world.alice, last)
    assert (said["edit_id"], said["status"]) == (edit_id, "withdrawn")


def test_the_first_of_two_approvals_is_no_verdict(world: Any, stream: Stream) -> None:
    admin = type(world.bob)(identities.provision(world.slug, people=[("anna", "admin")]).users["anna"]["key"])
    rule = {"op": "quarantine", "proposer_kind": "agent", "sensitivity": None, "approvals": 2}
    admin.ok("post", "policy/changes", {"preset": "standard", "overrides": [rule], "reason": "a test"})
    edit_id = pending(world)
    _, last = stream(world.alice)
    world.bob.decide(edit_id)
    nothing, last = stream(world.alice, last)
    admin.decide(edit_id)
    assert nothing == []
    assert [said["status"] for _, said in stream(world.alice, last)[0]] == ["approved"]


def test_an_edit_that_applies_at_once_is_no_news_for_its_proposer(world: Any, stream: Stream) -> None:
    _, last = stream(world.alice)
    world.edit(world.chunk("brown fox"), "amend", text="red fox", by=world.alice)
    assert stream(world.alice, last)[0] == []


def test_nobody_is_told_of_the_edits_of_others(world: Any, stream: Stream, agent_in: Any, charlie: Any) -> None:
    edit_id = pending(world)
    others = [agent_in("private"), charlie]
    lasts = [stream(other)[1] for other in others]
    world.bob.decide(edit_id)
    assert [stream(other, last)[0] for other, last in zip(others, lasts, strict=True)] == [[], []]


@pytest.mark.parametrize(
    ("op", "patch", "change"),
    [("amend", {"text": "The code is lotus two"}, "amended"), ("retract", {}, "retracted")],
)
def test_who_received_a_memory_is_told_of_its_correction(
    world: Any, stream: Stream, received: tuple[Any, str], op: str, patch: dict[str, str], change: str
) -> None:
    other, chunk = received
    lasts = {api: stream(api)[1] for api in (other, world.alice)}
    edit = world.edit(chunk, op, **patch)
    [(kind, said)], _ = stream(other, lasts[other])
    event = world.alice.ok("get", "events?limit=1")["results"][0]["event_id"]
    assert kind == "correction"
    assert said.pop("changed_at")
    assert said == {"edit_id": edit["edit_id"], "chunk_id": chunk, "memory_id": event, "change": change}
    assert stream(world.alice, lasts[world.alice])[0] == []  # who never received it


def test_a_value_that_is_replaced_everywhere_is_a_correction_of_each_memory(
    world: Any, stream: Stream, received: tuple[Any, str]
) -> None:
    other, chunk = received
    _, last = stream(other)
    asked = {"op": "replace", "value": "orchid seven", "to": "lotus two", "reason": "It moved"}
    token = world.bob.ok("post", "values/preview", asked)["token"]
    world.bob.ok("post", "values", {"token": token, "confirm": True})
    [(_, said)], _ = stream(other, last)
    assert (said["chunk_id"], said["change"]) == (chunk, "amended")


def test_edits_of_one_call_are_told(world: Any, stream: Stream, received: tuple[Any, str]) -> None:
    other, chunk = received
    _, last = stream(other)
    one = {"target_type": "chunk", "target_id": chunk, "op": "retract", "reason": "wrong"}
    world.bob.ok("post", "edits/bulk", {"edits": [one]})
    [(_, said)], _ = stream(other, last)
    assert (said["chunk_id"], said["change"]) == (chunk, "retracted")


def test_an_own_correction_is_no_news(world: Any, stream: Stream, received: tuple[Any, str]) -> None:
    other, chunk = received
    _, last = stream(other)
    edit = other.ok(
        "post",
        "edits",
        {"target_type": "chunk", "target_id": chunk, "op": "amend", "patch": {"text": "x"}, "reason": "wrong"},
    )
    if edit["status"] == "pending":
        world.bob.decide(edit["edit_id"])
    assert [kind for kind, _ in stream(other, last)[0]] in ([], ["verdict"])


def test_who_may_no_longer_hear_a_memory_is_not_told(world: Any, stream: Stream, received: tuple[Any, str]) -> None:
    other, chunk = received
    _, last = stream(other)
    patch = {"audience": {"principals": ["user:ada"]}}
    world.bob.ok(
        "post",
        "edits",
        {"target_type": "chunk", "target_id": chunk, "op": "audience", "patch": patch, "reason": "hers"},
    )
    world.edit(chunk, "amend", text="The code is lotus two")
    assert stream(other, last)[0] == []


def test_an_unknown_id_is_now_and_a_malformed_one_is_refused(world: Any, stream: Stream) -> None:
    world.bob.decide(pending(world))
    assert stream(world.alice, "999999999999")[0] == []
    for wrong in ("x", "-1", "1" * 19):
        answer = world.alice.get("notices/stream", **{"Accept": "text/event-stream", "Last-Event-ID": wrong})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid-event-id")


def test_a_key_is_needed(nobody: Any) -> None:
    answer = nobody("get", "notices/stream", Accept="text/event-stream")
    assert answer.status_code == 401
