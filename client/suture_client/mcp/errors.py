"""What the API refuses, in the forms that MCP has for it."""

from http import HTTPStatus
from typing import Any

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from suture_client.errors import Failed, Problem

#: What a failed call has as its structured content (RFC 9457).
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Why the call failed, where isError is true.",
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
    """A failed tool call: the problem as structured content, and in words that a model can act on."""
    details = failure.details if isinstance(failure, Problem) else {"title": "Not reached", "detail": str(failure)}
    return CallToolResult(
        content=[TextContent(type="text", text=str(failure))], structured_content=details, is_error=True
    )


def as_error(failure: Failed) -> MCPError:
    """An error of the protocol, for what is no tool call: the problem is its data."""
    if not isinstance(failure, Problem):
        return MCPError(INTERNAL_ERROR, str(failure))
    is_callers = failure.status < HTTPStatus.INTERNAL_SERVER_ERROR
    return MCPError(INVALID_PARAMS if is_callers else INTERNAL_ERROR, str(failure), failure.details)
