"""Tools over MCP are those of the API: the same list, the same answers, the same refusals."""

import json

import httpx
import jsonschema
import pytest
from mcp import MCPError

from tests.mcp_server.serving import WAYS, Serving, text_of

pytestmark = [pytest.mark.stack, pytest.mark.anyio]

#: An unused id.
NOTHING = "0198c0de-0000-7000-8000-000000000001"


async def test_the_tools_are_those_of_the_api(serving: Serving) -> None:
    async with serving.connected() as client:
        found = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]
    listed = serving.ask("GET", "tools?format=mcp")["tools"]
    assert [tool["name"] for tool in found] == [tool["name"] for tool in listed]
    for tool, declared in zip(found, listed, strict=True):
        assert tool["inputSchema"] == declared["inputSchema"]
        if tool["annotations"]["readOnlyHint"]:
            # its answer is text: an output schema would require it twice
            assert "outputSchema" not in tool
        else:
            assert tool["outputSchema"]["type"] == "object"
            assert tool["outputSchema"]["anyOf"][0] == declared["outputSchema"]
        assert tool["description"] == declared["description"]
        assert {"readOnlyHint", "destructiveHint", "idempotentHint"} <= tool["annotations"].keys()
    hints = {tool["name"]: tool["annotations"] for tool in found}
    assert hints["preview_edit"]["readOnlyHint"] is True
    assert hints["propose_edit"]["readOnlyHint"] is False


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_lists_and_calls_a_tool(serving: Serving, way: str) -> None:
    """The answer is text, and structured content, which the SDK's client validates."""
    chunk = serving.record(f"The user prefers tea ({way})")
    async with serving.connected(way) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("preview_edit", {"target_id": chunk, "op": "retract"})
    assert "preview_edit" in listed
    assert not result.is_error
    assert json.loads(text_of(result.content)) == result.structured_content
    assert result.structured_content == serving.ask("POST", "tools/preview_edit", {"target_id": chunk, "op": "retract"})


async def test_a_long_answer_is_sent_once(serving: Serving) -> None:
    for number in range(3):
        content = f"Handbook of zebras {number}: {'we verify every table before the switch ' * 400}"
        serving.ask("POST", "tools/memory_commit", {"content": content})
    async with serving.connected() as client:
        result = await client.call_tool("search_memory", {"query": "handbook of zebras", "limit": "3", "cursor": None})
    assert not result.is_error
    assert result.structured_content is None
    assert "[cut after" in text_of(result.content)
    assert len(text_of(result.content)) < 60_000
    assert [one["code"] for one in json.loads(text_of(result.content))["notices"]][-1] == "cut"


async def test_a_refusal_is_a_result_that_a_model_can_act_on(serving: Serving) -> None:
    async with serving.connected() as client:
        listed = (await client.list_tools()).tools
        result = await client.call_tool("propose_edit", {"target_id": NOTHING, "op": "improve", "target_typ": "red"})
    assert result.is_error
    problem = result.structured_content
    assert problem["status"] == 400
    # a client that compares failed calls with the schema too finds nothing wrong
    schemas = {tool.name: tool.output_schema for tool in listed}
    jsonschema.validate(problem, schemas["propose_edit"] or {})
    pointers = {error["pointer"] for error in problem["errors"]}
    assert {"#/op", "#/target_typ", "#/reason"} <= pointers
    said = text_of(result.content)
    for words in (problem["title"], *pointers, "amend", "retract"):
        assert words in said


async def test_what_is_not_there_is_a_refusal(serving: Serving) -> None:
    async with serving.connected() as client:
        result = await client.call_tool("preview_edit", {"target_id": NOTHING, "op": "retract"})
    assert result.is_error
    assert result.structured_content["status"] == 404


async def test_an_unknown_tool_is_an_error_that_names_the_tools(serving: Serving) -> None:
    async with serving.connected() as client:
        with pytest.raises(MCPError, match=r"no tool 'approve_edit'.*propose_edit, preview_edit|preview_edit") as error:
            await client.call_tool("approve_edit", {})
    assert error.value.code == -32602


async def test_what_json_cannot_say_is_refused_and_breaks_nothing(serving: Serving) -> None:
    headers = {
        "Authorization": f"Bearer {serving.agent}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    for target in ('"\\ud800"', "NaN"):
        message = (
            '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "preview_edit", "arguments": '
            f'{{"target_id": {target}, "op": "retract"}}}}}}'
        )
        answer = httpx.post(serving.mcp, content=message, headers=headers, timeout=60)
        assert answer.status_code in {200, 400}, target
        assert "error" in answer.text.lower(), target
        assert "Internal" not in answer.text, target
