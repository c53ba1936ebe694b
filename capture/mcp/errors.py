"""What the API refuses, in the forms that MCP has for it."""

from http import HTTPStatus

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from capture.client import Failed, Problem


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
