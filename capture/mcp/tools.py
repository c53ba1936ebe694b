"""Tools: listed and called over the REST API, which declares and validates them."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, TextContent, Tool

from capture.client import Failed, Problem, Rest
from capture.mcp.errors import PROBLEM_SCHEMA, as_result

#: Reports how far a call is: (done, total, message).
Report = Callable[[float, float, str], Awaitable[None]]

#: Seconds that the list of tools is kept for a key. For so long, a revoked key is still shown the list.
_FRESH = 10.0
_KEPT = 1_000

_WAIT = "wait_for_edit"
_SECONDS = ("timeout_seconds", "timeoutSeconds")
_MOST_SECONDS = 30
_USUAL_SECONDS = 20
#: Seconds between two looks at an edit.
_PAUSE = 1.0


#: The headers by which the server knows who asks, and whether it answers at all.
_Caller = tuple[tuple[str, str], ...]


class Catalogue:
    """The tools of a server, as each key may see them."""

    def __init__(self) -> None:
        self._known: dict[_Caller, tuple[float, dict[str, Tool]]] = {}

    async def tools(self, rest: Rest) -> dict[str, Tool]:
        """The tools by name. Raises Failed."""
        caller = _caller(rest)
        now = time.monotonic()
        if (known := self._known.get(caller)) and known[0] > now:
            return known[1]
        self.forget(rest)
        listed = (await rest.get("tools", format="mcp"))["tools"]
        tools = {tool["name"]: _as_answered(Tool.model_validate(tool)) for tool in listed}
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[caller] = (now + _FRESH, tools)
        return tools

    def forget(self, rest: Rest) -> None:
        """Ask again at the next call: the key may not be valid any more."""
        self._known.pop(_caller(rest), None)


def _as_answered(tool: Tool) -> Tool:
    """The tool with a problem among its outputs: some clients compare failed calls with the schema too."""
    if tool.output_schema is not None:
        tool.output_schema = {"type": "object", "anyOf": [tool.output_schema, PROBLEM_SCHEMA]}
    return tool


def _caller(rest: Rest) -> _Caller:
    return tuple(sorted(rest.headers.items()))


async def call_tool(
    catalogue: Catalogue, rest: Rest, name: str, arguments: Mapping[str, Any], report: Report
) -> CallToolResult:
    """The answer of a tool, or why it has none as an error that a model can act on. Raises MCPError for a tool that
    there is not."""
    try:
        tools = await catalogue.tools(rest)
        if name not in tools:
            raise MCPError(INVALID_PARAMS, f"There is no tool {name!r}. The tools are {', '.join(tools)}.")
        if name == _WAIT:
            answer = await _wait(rest, tools[name], arguments, report)
        else:
            answer = await rest.post(f"tools/{name}", arguments)
    except Problem as problem:
        catalogue.forget(rest)
        return as_result(problem)
    except Failed as failed:
        return as_result(failed)
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer)


async def _wait(rest: Rest, tool: Tool, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Look at the edit again and again until it is decided or the time is up; no request waits in the server."""
    spelled = [name for name in _SECONDS if name in arguments]
    given = arguments[spelled[0]] if spelled else _usual_seconds(tool)
    is_valid = isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= _MOST_SECONDS
    if len(spelled) > 1 or not is_valid:
        return await rest.post(f"tools/{_WAIT}", arguments)  # which refuses it
    look = {**arguments, (spelled[0] if spelled else _SECONDS[0]): 0}
    started = time.monotonic()
    while True:
        answer = await rest.post(f"tools/{_WAIT}", look)
        waited = min(time.monotonic() - started, given)
        await report(waited, given, f"The edit is {answer.get('status', 'pending')}.")
        if answer.get("is_decided") or waited >= given:
            return answer
        await asyncio.sleep(min(_PAUSE, given - waited))


def _usual_seconds(tool: Tool) -> int:
    declared = tool.input_schema.get("properties", {}).get(_SECONDS[0], {}).get("default")
    return declared if isinstance(declared, int) else _USUAL_SECONDS
