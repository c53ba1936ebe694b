"""memory_commit: an agent keeps what is worth remembering."""

from typing import Any

import pytest

from tests.tools.calls import call

pytestmark = pytest.mark.django_db


def test_a_memory_is_appended_to_the_agents_chain_and_found_like_any_other(world: Any) -> None:
    first = call(world.alice, "memory_commit", {"content": "Jack speaks Ladin", "importance": 7})
    second = call(world.alice, "memory_commit", {"content": "Jill speaks Ladin too"})
    assert (first["seq"], second["seq"]) == (1, 2)
    assert world.found("Ladin") == ["Jack speaks Ladin", "Jill speaks Ladin too"]
    assert (first["importance"], first["importance_score"]) == (0.7, 7.0)
    assert (first["retention"], first["tier"]) == ("relationship", "task")


def test_rethink_supersedes(world: Any) -> None:
    seqs = [call(world.alice, "memory_commit", {"content": f"Jack likes {one}"})["seq"] for one in ("tea", "rain")]
    made = call(world.alice, "memory_rethink", {"supersedes": seqs, "newUnderstanding": "Jack likes tea and rain"})
    assert made["supersededCount"] == 2
    assert world.found("Jack likes") == ["Jack likes tea and rain"]
    answer = call(world.alice, "memory_recall", {"query": "Jack likes"})
    assert [one["content"] for one in answer["memories"]] == ["Jack likes tea and rain"]
    answer = call(world.alice, "memory_recall", {"query": "Jack likes", "includeSuperseded": True})
    assert len(answer["memories"]) == 3
    assert world.alice.ok("get", f"memories/{seqs[0]}")["superseded_by"] == made["consolidationSeq"]
    assert world.alice.ok("get", f"memories/{made['consolidationSeq']}")["supersedes"] == seqs


def test_blocks(world: Any) -> None:
    assert call(world.alice, "block_get", {"label": "persona"}) == {"memory": None}
    call(world.alice, "block_update", {"label": "persona", "content": "I am Ada"})
    two = call(world.alice, "block_update", {"label": "persona", "content": "I am Ada, a helper"})
    assert two["version"] == 2
    assert two["is_core"]
    assert call(world.alice, "block_get", {"label": "persona"})["memory"]["content"] == "I am Ada, a helper"
    assert [one["version"] for one in call(world.alice, "block_history", {"label": "persona"})["versions"]] == [2, 1]
    call(world.alice, "memory_commit", {"content": "Tea is hot"})
    made = world.alice.ok("post", "context/bootstrap", {})
    assert "## Who I Am\n> I am Ada, a helper\n" in made["system_prompt"]
    assert world.alice.ok("post", "acb/build", {"session_id": "s", "channel": "private"})["acb"]["core"]


def test_hold(world: Any) -> None:
    one = call(world.alice, "memory_commit", {"content": "Jack likes tea"})
    two = call(world.alice, "memory_commit", {"content": "Jack likes rain"})
    made = call(
        world.alice, "memory_rethink", {"supersedes": [one["seq"], two["seq"]], "newUnderstanding": "Jack likes both"}
    )
    world.edit(one["chunk_id"], "retract")
    assert world.found("Jack likes") == ["Jack likes rain"]
    edits = world.bob.ok("get", "edits?status=pending")["results"]
    (release,) = [e for e in edits if e["target_id"] == made["chunk_id"]]
    world.bob.decide(release["edit_id"])
    assert world.found("Jack likes") == ["Jack likes both"]
    world.edit(made["chunk_id"], "retract")
    assert world.found("Jack likes") == ["Jack likes rain"]
