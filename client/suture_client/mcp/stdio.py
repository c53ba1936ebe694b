"""The MCP server on standard input and output, in front of an HTTP server."""

import os
import sys
from typing import BinaryIO, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.types import JSONRPCError

from suture_client.http import connected
from suture_client.mcp.lines import Input, Output, Unanswered
from suture_client.mcp.server import build_server
from suture_client.mcp.subscriptions import subscriptions
from suture_client.mcp.tools import Catalogue


async def serve() -> None:
    """Serve one client until it closes the input. Raises Failed if no key is set."""
    unanswered = Unanswered()
    output = Output(_own_output(), unanswered)

    async def refuse(refusal: JSONRPCError) -> None:
        await output.write(refusal.model_dump_json(by_alias=True, exclude_unset=True) + "\n")

    # the SDK only iterates over the one and writes to the other
    lines = cast(anyio.AsyncFile[str], Input(sys.stdin.buffer, refuse, unanswered))
    written = cast(anyio.AsyncFile[str], output)
    async with (
        connected() as rest,
        subscriptions(rest) as subscribed,
        stdio_server(lines, written) as (requests, answers),
    ):
        server = build_server(lambda ctx: rest, Catalogue(), subscribed)
        await server.run(requests, answers, server.create_initialization_options())


def _own_output() -> BinaryIO:
    """Standard output for the messages alone: what anything else prints goes to standard error."""
    own = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own
