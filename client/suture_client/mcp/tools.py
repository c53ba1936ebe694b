"""Tools: listed and called over the REST API, which declares and validates them."""

import json
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from mcp import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, TextContent, Tool

from suture_client.errors import Failed, Problem
from suture_client.http import AsyncApi
from suture_client.mcp import wait_for_edit
from suture_client.mcp.errors import PROBLEM_SCHEMA, as_result
from suture_client.mcp.wait_for_edit import EditWaiter, Report

#: Seconds that the list of tools is kept for a key. For so long, a revoked key is still shown the list.
_CACHE_SECONDS = 10.0
_CACHE_SIZE = 1_000
#: Asks the API for the receipt of what a call records, and where a result has it.
_REQUEST_RECEIPT = {"X-Receipt": "yes"}
RECEIPT = "suture/receipt"
#: The headers by which the server knows who asks, and whether it answers at all.
_Caller = tuple[tuple[str, str], ...]


class Catalogue:
    """The tools of a server, as each key may see them, and the calls that wait."""

    def __init__(self) -> None:
        self.waiting = EditWaiter()
        self._known: dict[_Caller, tuple[float, dict[str, Tool]]] = {}

    async def tools(self, rest: AsyncApi) -> dict[str, Tool]:
        """The tools by name. Raises Failed."""
        caller = _caller(rest)
        now = time.monotonic()
        if (known := self._known.get(caller)) and known[0] > now:
            return known[1]
        self.forget(rest)
        listed = (await rest.get("tools", format="mcp"))["tools"]
        tools = {tool["name"]: _with_problem_schema(Tool.model_validate(tool)) for tool in listed}
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        self._known[caller] = (now + _CACHE_SECONDS, tools)
        return tools

    def forget(self, rest: AsyncApi) -> None:
        """Ask again at the next call: the key may not be valid any more."""
        self._known.pop(_caller(rest), None)


def _with_problem_schema(tool: Tool) -> Tool:
    """The tool with a problem among its outputs: some clients compare failed calls with the schema too."""
    if tool.output_schema is not None:
        tool.output_schema = {"type": "object", "anyOf": [tool.output_schema, PROBLEM_SCHEMA]}
    return tool


def _caller(rest: AsyncApi) -> _Caller:
    return tuple(sorted(rest.headers.items()))


async def call_tool(
    catalogue: Catalogue, rest: AsyncApi, name: str, arguments: Mapping[str, Any], report: Report
) -> CallToolResult:
    """The answer of a tool, with the receipt of what it recorded for the client, not for the model; or why it has none
    as an error that a model can act on. Raises MCPError for a tool that there is not."""
    receipt = None
    try:
        tools = await catalogue.tools(rest)
        if name not in tools:
            raise MCPError(INVALID_PARAMS, f"There is no tool {name!r}. The tools are {', '.join(tools)}.")
        if name == wait_for_edit.TOOL:
            answer = await catalogue.waiting.wait(rest, tools[name], arguments, report)
        else:
            answer = await rest.post(f"tools/{name}", arguments, **_REQUEST_RECEIPT)
            receipt = answer.pop("receipt", None)
    except Problem as problem:
        if problem.status == HTTPStatus.UNAUTHORIZED:
            catalogue.forget(rest)
        return as_result(problem)
    except Failed as failed:
        return as_result(failed)
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=answer,
        _meta={RECEIPT: receipt} if receipt else None,
    )
