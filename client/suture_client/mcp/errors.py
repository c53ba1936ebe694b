"""Converts errors of the API to MCP's formats."""

from http import HTTPStatus
from typing import Any

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from suture_client.errors import Failed, Problem

#: The structured content of a failed call (RFC 9457).
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Why the call failed, if isError is true.",
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer", "description": "The HTTP status of the API."},
        "code": {"type": "string", "description": "The name of the problem."},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pointer": {"type": "string", "description": "The place in the arguments."},
                    "detail": {"type": "string"},
                },
            },
        },
    },
    "required": ["title", "detail"],
}


def as_result(failure: Failed) -> CallToolResult:
    """Return a failed tool call, with the problem as structured content and as text for the model."""
    details = failure.details if isinstance(failure, Problem) else {"title": "Not reached", "detail": str(failure)}
    return CallToolResult(
        content=[TextContent(type="text", text=str(failure))], structured_content=details, is_error=True
    )


def as_error(failure: Failed) -> MCPError:
    """Return a protocol error with the problem as its data, for requests other than tool calls."""
    if not isinstance(failure, Problem):
        return MCPError(INTERNAL_ERROR, str(failure))
    is_callers = failure.status < HTTPStatus.INTERNAL_SERVER_ERROR
    return MCPError(INVALID_PARAMS if is_callers else INTERNAL_ERROR, str(failure), failure.details)
