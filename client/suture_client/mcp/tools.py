"""Tools, listed and called through the REST API, which declares and validates them."""

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

#: Seconds that the list of tools is cached for a key. Until then, a revoked key still sees the list.
_CACHE_SECONDS = 10.0
_CACHE_SIZE = 1_000
#: Requests a receipt from the API; and the name of the receipt in a result.
_REQUEST_RECEIPT = {"X-Receipt": "yes"}
RECEIPT = "suture/receipt"
#: The characters of an answer that is sent both as text and as structured content.
_SHORT = 4_000
#: The headers that identify the caller.
_Caller = tuple[tuple[str, str], ...]


class Catalogue:
    """The tools that each key may use, and the calls that wait."""

    def __init__(self) -> None:
        self.waiting = EditWaiter()
        self._known: dict[_Caller, tuple[float, dict[str, Tool]]] = {}

    async def tools(self, rest: AsyncApi) -> dict[str, Tool]:
        """Return the tools by name. Raises Failed."""
        caller = _caller(rest)
        now = time.monotonic()
        if (known := self._known.get(caller)) and known[0] > now:
            return known[1]
        self.forget(rest)
        listed = (await rest.get("tools", format="mcp"))["tools"]
        tools = {tool["name"]: _with_answer_schema(Tool.model_validate(tool)) for tool in listed}
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        self._known[caller] = (now + _CACHE_SECONDS, tools)
        return tools

    def forget(self, rest: AsyncApi) -> None:
        """Drop the cached tools of a key, which may no longer be valid."""
        self._known.pop(_caller(rest), None)


def _with_answer_schema(tool: Tool) -> Tool:
    """Add a problem to the tool's output schema, because some clients validate failed calls too. A tool that reads has
    none: its answer is text, and an output schema would require it as structured content as well."""
    if tool.annotations is not None and tool.annotations.read_only_hint:
        tool.output_schema = None
    elif tool.output_schema is not None:
        tool.output_schema = {"type": "object", "anyOf": [tool.output_schema, PROBLEM_SCHEMA]}
    return tool


def _caller(rest: AsyncApi) -> _Caller:
    return tuple(sorted(rest.headers.items()))


async def call_tool(
    catalogue: Catalogue, rest: AsyncApi, name: str, arguments: Mapping[str, Any], report: Report
) -> CallToolResult:
    """Call a tool and return its answer, with a receipt for the client (not for the model), or an error for the model.
    Raises MCPError for an unknown tool."""
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
    # A client may give both to its model: an answer of memory is sent twice only if it is short.
    is_structured = tools[name].output_schema is not None or len(text) <= _SHORT
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=answer if is_structured else None,
        _meta={RECEIPT: receipt} if receipt else None,
    )
