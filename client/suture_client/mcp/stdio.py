"""The MCP server on standard input and output, in front of an HTTP server."""

from mcp.server.stdio import stdio_server

from suture_client.http import connected
from suture_client.mcp.server import build_server
from suture_client.mcp.tools import Catalogue


async def serve() -> None:
    """Serve one client until it closes the input. Raises Failed if no key is set."""
    async with connected() as rest, stdio_server() as (requests, answers):
        server = build_server(lambda ctx: rest, Catalogue())
        await server.run(requests, answers, server.create_initialization_options())
