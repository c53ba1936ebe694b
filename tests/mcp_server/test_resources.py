"""Resources and prompts over MCP."""

import json
import uuid

import pytest
from mcp import MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from tests.mcp_server.serving import Serving, text_of

pytestmark = [pytest.mark.stack, pytest.mark.anyio]

NOTHING = str(uuid.UUID(int=7))


def give_capsule(serving: Serving, chunk: str) -> str:
    body = {
        "scope": "user",
        "subject_type": "user",
        "subject_id": "mcp-user",
        "audience_agent_ids": ["support-agent"],
        "items": {"chunks": [chunk]},
        "ttl_days": 7,
    }
    made: str = serving.ask("POST", "capsules", body)["capsule_id"]
    return made


async def test_blocks_and_capsules_are_listed_and_memories_have_a_template(serving: Serving) -> None:
    capsule = give_capsule(serving, serving.record("In a capsule"))
    async with serving.connected() as client:
        listed = {resource.uri: resource for resource in (await client.list_resources()).resources}
        templates = {one.uri_template: one for one in (await client.list_resource_templates()).resource_templates}
    for label in ("persona", "user_profile", "goals", "knowledge"):
        assert listed[f"suture://blocks/{label}"].mime_type == "text/markdown"
    assert listed[f"suture://capsules/{capsule}"].mime_type == "application/json"
    assert "suture://memories/{chunk_id}" in templates


async def test_the_list_of_capsules_has_pages(serving: Serving) -> None:
    chunk = serving.record("In many capsules")
    made = {give_capsule(serving, chunk) for _ in range(60)}
    found: list[str] = []
    async with serving.connected() as client:
        page = await client.list_resources()
        found += [resource.uri for resource in page.resources]
        while page.next_cursor:
            page = await client.list_resources(cursor=page.next_cursor)
            found += [resource.uri for resource in page.resources]
    assert len(found) == len(set(found))
    assert {f"suture://capsules/{capsule}" for capsule in made} <= set(found)


async def test_a_memory_and_a_capsule_are_read(serving: Serving) -> None:
    chunk = serving.record("The user lives in Bern")
    capsule = give_capsule(serving, chunk)
    async with serving.connected() as client:
        memory = (await client.read_resource(f"suture://memories/{chunk}")).contents
        handed = (await client.read_resource(f"suture://capsules/{capsule}")).contents
    assert memory[0].mime_type == "application/json"
    assert json.loads(text_of(memory))["text"] == "The user lives in Bern"
    assert json.loads(text_of(handed))["capsule_id"] == capsule
    assert chunk in text_of(handed)


NOT_THERE = [
    (f"suture://memories/{NOTHING}", "no memory"),
    (f"suture://capsules/{NOTHING}", ""),
    ("suture://capsules/not-an-id", ""),
    ("suture://memories/not-an-id", ""),
    ("suture://blocks/mood", "persona, user_profile, goals, knowledge"),
    ("suture://nothing/there", "suture://blocks/{label}"),
    ("suture://capsules/../tools", "suture://blocks/{label}"),
    ("file:///etc/passwd", "suture://blocks/{label}"),
]


async def test_a_resource_that_there_is_not_is_an_error(serving: Serving, subtests: pytest.Subtests) -> None:
    async with serving.connected() as client:
        for uri, said in NOT_THERE:
            with subtests.test(uri):
                with pytest.raises(MCPError) as error:
                    await client.read_resource(uri)
                assert error.value.code == -32602
                assert said in error.value.message


async def test_a_retracted_memory_is_not_read(serving: Serving) -> None:
    chunk = serving.record("Forget this")
    edit = {"target_type": "chunk", "target_id": chunk, "op": "quarantine", "reason": "asked to"}
    edit_id = serving.ask("POST", "edits", edit)["edit_id"]
    serving.ask("POST", f"edits/{edit_id}/approve", {"reason": "yes"}, key=serving.bob)
    async with serving.connected() as client:
        with pytest.raises(MCPError, match="no memory"):
            await client.read_resource(f"suture://memories/{chunk}")


async def test_arguments_are_completed(serving: Serving) -> None:
    capsule = give_capsule(serving, serving.record("To complete"))
    blocks = ResourceTemplateReference(type="ref/resource", uri="suture://blocks/{label}")
    capsules = ResourceTemplateReference(type="ref/resource", uri="suture://capsules/{capsule_id}")
    async with serving.connected() as client:
        labels = await client.complete(blocks, {"name": "label", "value": "p"})
        ids = await client.complete(capsules, {"name": "capsule_id", "value": capsule[:30]})
        none = await client.complete(
            PromptReference(type="ref/prompt", name="bootstrap"), {"name": "query", "value": ""}
        )
    assert labels.completion.values == ["persona"]
    assert capsule in ids.completion.values
    assert none.completion.values == []


async def test_the_prompt_is_listed(serving: Serving) -> None:
    async with serving.connected() as client:
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "bootstrap"
        assert [argument.name for argument in prompt.arguments or []] == ["query", "max_tokens"]
        with pytest.raises(MCPError, match="no prompt 'begin'"):
            await client.get_prompt("begin")
        with pytest.raises(MCPError, match="whole number"):
            await client.get_prompt("bootstrap", {"max_tokens": "many"})
        with pytest.raises(MCPError, match="no argument 'colour'"):
            await client.get_prompt("bootstrap", {"colour": "red"})
