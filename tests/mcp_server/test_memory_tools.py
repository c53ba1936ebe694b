"""An agent keeps, corrects and consolidates its own memory over MCP."""

import re
from typing import Any

import pytest
from mcp import Client, MCPError

from tests.mcp_server.serving import Serving, text_of

pytestmark = [pytest.mark.stack, pytest.mark.anyio]


async def done(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer of a call that must succeed. The client validates it against the tool's output schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result.content)
    answer: dict[str, Any] = result.structured_content
    return answer


async def refused(client: Client, tool: str, **arguments: Any) -> tuple[list[str], str]:
    """The positions and messages of a refusal."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return [error.get("pointer", "") for error in result.structured_content.get("errors", [])], text_of(result.content)


async def test_memories_are_committed_recalled_and_consolidated(serving: Serving) -> None:
    facts = ("In Lapwing the user prefers dark mode", "In Lapwing the user uses an editor", "Lapwing is in TypeScript")
    async with serving.connected() as client:
        await client.list_tools()
        made = [await done(client, "memory_commit", content=fact, importance=7) for fact in facts]
        assert all(len(one["contentHash"]) == 64 for one in made)
        assert (made[0]["importance_score"], made[0]["importance"]) == (7, 0.7)
        numbers = [one["seq"] for one in made]
        whole = "In Lapwing, a TypeScript developer prefers dark mode"
        one = await done(client, "memory_rethink", supersedes=numbers, newUnderstanding=whole, reason="one note")
        assert one["supersededCount"] == 3
        found = await done(client, "memory_recall", query="What of dark mode in Lapwing?", maxResults=20)
        seen = {memory["seq"]: memory for memory in found["memories"]}
        assert one["consolidationSeq"] in seen
        assert not seen.keys() & set(numbers)
        assert found["tokensUsed"] > 0
        places, said = await refused(client, "memory_rethink", supersedes=numbers[:1], newUnderstanding="Again")
    assert places == ["#/supersedes/0"]
    assert "supersede" in said


async def test_a_block_is_written_and_read_as_a_resource_and_begins_the_prompt(serving: Serving) -> None:
    async with serving.connected() as client:
        await client.list_tools()
        before = await done(client, "block_get", label="persona")
        version = (before["memory"] or {"version": 0})["version"]
        content = "I am the support agent"
        made = await done(client, "block_update", label="persona", content=content)
        assert made["version"] == version + 1
        read = (await client.read_resource("suture://blocks/persona")).contents
        assert text_of(read) == content
        assert read[0].meta == {
            "suture/seq": made["seq"],
            "suture/version": made["version"],
            "suture/chunk_id": made["chunk_id"],
        }
        prompt = await client.get_prompt("bootstrap", {"query": "Who are you?", "max_tokens": "2000"})
    (message,) = prompt.messages
    assert message.role == "user"
    assert message.content.type == "text"
    assert "## Who I Am" in message.content.text
    assert content in message.content.text


async def test_a_block_that_nobody_wrote_is_empty(serving: Serving) -> None:
    async with serving.connected() as client:
        read = (await client.read_resource("suture://blocks/knowledge")).contents
    assert (text_of(read), read[0].mime_type, read[0].meta) == ("", "text/markdown", None)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("memory_commit", {"content": "x", "importance": 0}, "#/importance"),
    ("memory_commit", {"content": "x", "importance": 11}, "#/importance"),
    ("memory_commit", {"content": "x", "importance": "high"}, "#/importance"),
    ("memory_rethink", {"supersedes": [99_999_999], "newUnderstanding": "x"}, "#/supersedes/0"),
    ("block_update", {"label": "mood", "content": "x"}, "#/label"),
    ("block_update", {"label": "goals", "content": "x" * 2_000_000}, "#/content"),
    ("memory_recall", {"query": "x", "max_results": 0}, "#/max_results"),
]


async def test_what_is_refused_says_where(serving: Serving) -> None:
    async with serving.connected() as client:
        for tool, arguments, place in REFUSED:
            places, said = await refused(client, tool, **arguments)
            assert places == [place], (tool, place)
            assert place in said, (tool, place)


async def test_a_prompt_that_is_too_small_or_too_large_is_an_error(serving: Serving) -> None:
    async with serving.connected() as client:
        for number in ("1", "99999999999"):
            with pytest.raises(MCPError, match=re.escape("#/max_tokens")):
                await client.get_prompt("bootstrap", {"max_tokens": number})


async def test_a_prompt_needs_no_arguments(serving: Serving) -> None:
    async with serving.connected("stdio legacy") as client:
        prompt = await client.get_prompt("bootstrap")
    assert prompt.messages
