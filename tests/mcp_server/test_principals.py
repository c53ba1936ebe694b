"""A client of MCP names the principal on whose behalf it asks in the header of its requests."""

import json

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp_server.serving import Serving
from tests.stack.running import HANGS

pytestmark = [pytest.mark.slow, pytest.mark.stack, pytest.mark.anyio]


async def test_the_header_of_an_mcp_client_is_passed_on(serving: Serving) -> None:
    headers = {b"Authorization": f"Bearer {serving.agent}".encode(), b"X-On-Behalf-Of": b"patient:ada"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=HANGS) as http,
        Client(streamable_http_client(serving.mcp, http_client=http)) as client,
    ):
        assert (await client.list_tools()).tools
        refused = await client.call_tool("search_memory", {"query": "ladder"})
    # the agent's key speaks for nobody
    assert refused.is_error
    assert "may not speak for patient:ada" in json.dumps(str(refused.content))
