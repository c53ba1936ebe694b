"""The filters of a search: by tag, recorder, actor, kind, time and several subjects, over REST and as a tool."""

import uuid
from typing import Any

import pytest

from governance.identity import identities
from tests.tools.calls import call, faults
from tests.world import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def foxes(world: Any, given: Any) -> Any:
    """Five foxes that differ in what a filter asks for."""
    bob = given("agent-bob")
    world.chunk("red fox", tags=["wild", "rare"], ts="2026-03-01T00:00:00Z")
    world.chunk("grey fox", tags=["wild"], actor_id="Dr. Who", ts="2026-03-01T23:59:59Z")
    world.chunk("blue fox", kind="tool_result", actor_id="Dr. Who", ts="2026-03-02T00:00:00Z")
    for text, ts, subject in (("old fox", "2025-03-01", "jack"), ("new fox", "2026-03-05", "jill")):
        world.chunk(text, ts=f"{ts}T12:00:00Z", content={"subject_type": "user", "subject_id": subject})
    bob.ok("post", "tools/memory_commit", {"content": "bob's fox"})
    return world


OLD = ["blue fox", "grey fox", "new fox", "old fox", "red fox"]
FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"tag": "wild"}, ["grey fox", "red fox"]),
    ({"tag": "rare"}, ["red fox"]),
    ({"tag": "tame"}, []),
    ({"recorder": "agent-bob"}, ["bob's fox"]),
    ({"recorder": "alice"}, OLD),
    ({"recorder": "nobody"}, []),
    ({"actor": "Dr. Who"}, ["blue fox", "grey fox"]),
    ({"kind": "tool_result"}, ["blue fox"]),
    ({"kind": "decision"}, []),
    ({"actor": "Dr. Who", "kind": "message"}, ["grey fox"]),
    ({"tag": "wild", "actor": "Dr. Who"}, ["grey fox"]),
    ({"since": "2026-03-02"}, ["blue fox", "bob's fox", "new fox"]),
    ({"since": "2026-03-01", "until": "2026-03-02"}, ["grey fox", "red fox"]),
    ({"since": "2026-03-01t00:00:00z", "until": "2026-03-01T23:59:60Z"}, ["grey fox", "red fox"]),
    ({"until": "2026-01-01"}, ["old fox"]),
    ({"until": "1970-01-01"}, []),
    ({"since": "2026-03-02T01:00:00+01:00", "until": "2026-03-05"}, ["blue fox"]),
    ({"subject_ids": ["jack", "jill"]}, ["new fox", "old fox"]),
    ({"subject_ids": ["jill"], "subject_type": "user"}, ["new fox"]),
    ({"subject_ids": ["jill"], "subject_type": "order"}, []),
    ({"subject_ids": ["jack", "jill"], "since": "2026-01-01"}, ["new fox"]),
]


@pytest.mark.parametrize(("filters", "texts"), FILTERS)
def test_a_search_finds_what_passes_its_filters(foxes: Any, filters: dict[str, Any], texts: list[str]) -> None:
    for mode in ("keyword", "hybrid"):
        body = {"query": "fox", "mode": mode, "collapse_duplicates": False, "limit": 50, **filters}
        found = foxes.alice.ok("post", "chunks/search", body)
        assert sorted(one["text"] for one in found["chunks"]) == texts, mode
    found = call(foxes.alice, "search_memory", {"query": "fox", **filters})
    assert sorted(one["text"] for one in found["chunks"]) == texts


def test_a_list_takes_dates_too(foxes: Any) -> None:
    found = foxes.alice.ok("get", "chunks?since=2026-03-01&until=2026-03-02")["results"]
    assert sorted(one["text"] for one in found) == ["grey fox", "red fox"]


@pytest.mark.parametrize(
    ("filters", "place"),
    [
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-02-30"}, "since"),
        ({"since": "2026-03-01T12:00:00"}, "since"),
        ({"until": "2026-03-01T12:00:61Z"}, "until"),
        ({"until": "20260301"}, "until"),
        ({"kind": "note"}, "kind"),
        ({"subject_ids": []}, "subject_ids"),
        ({"subject_ids": [str(number) for number in range(51)]}, "subject_ids"),
        ({"tag": ""}, "tag"),
    ],
)
def test_a_malformed_filter_is_refused(world: Any, filters: dict[str, Any], place: str) -> None:
    assert set(faults(world.alice.post("chunks/search", {"query": "fox", **filters}))) == {f"#/{place}"}


def test_pages_of_a_filtered_search_belong_together(foxes: Any) -> None:
    asked = {"query": "fox", "tag": "wild", "limit": 1, "since": "2026-03-01"}
    first = foxes.alice.ok("post", "chunks/search", asked)
    second = foxes.alice.ok("post", "chunks/search", {**asked, "cursor": first["next"]})
    assert {one["text"] for page in (first, second) for one in page["chunks"]} == {"grey fox", "red fox"}
    other = foxes.alice.post("chunks/search", {**asked, "tag": "rare", "cursor": first["next"]})
    assert set(faults(other)) == {"#/cursor"}


def test_an_agent_gets_its_own_quarantined_memory_and_no_other(world: Any) -> None:
    bob = Api(identities.provision(world.slug, agents=[("agent-bob", [])]).agents["agent-bob"]["key"])
    own = bob.ok("post", "tools/memory_commit", {"content": "the fox is blue"})["chunk_id"]
    other = world.chunk("the fox is green")
    for chunk in (own, other):
        world.edit(chunk, "quarantine")
    asked = {"query": "fox", "include_quarantined": True}
    assert bob.post("chunks/search", asked).status_code == 403
    assert bob.post("chunks/search", {**asked, "recorder": "alice"}).status_code == 403
    for found in (
        bob.ok("post", "chunks/search", {**asked, "recorder": "agent-bob"}),
        bob.ok("post", "chunks/search", {**asked, "recorder": "agent-bob", "explain": True, "mode": "keyword"}),
        call(bob, "search_memory", {**asked, "recorder": "agent-bob"}),
    ):
        assert [(one["text"], one["is_quarantined"]) for one in found["chunks"]] == [("the fox is blue", True)]
    assert bob.ok("post", "chunks/search", {"query": "fox"})["chunks"] == []
    assert bob.ok("post", "chunks/search", {"query": "fox", "recorder": str(uuid.uuid4())})["chunks"] == []
