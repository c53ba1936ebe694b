"""A client of MCP names the principal on whose behalf it asks in the header of its requests."""

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from tests.mcp_server.serving import Serving
from tests.stack.running import HANGS

pytestmark = [pytest.mark.slow, pytest.mark.stack, pytest.mark.anyio]


@pytest.mark.parametrize(
    ("named", "told"), [(b"patient:ada", "may not speak for patient:ada"), (b"ada", "has the form type:id")]
)
async def test_the_header_of_an_mcp_client_is_passed_on(serving: Serving, named: bytes, told: str) -> None:
    # the agent's key speaks for nobody
    headers = {b"Authorization": f"Bearer {serving.agent}".encode(), b"X-On-Behalf-Of": named}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=HANGS) as http,
        Client(streamable_http_client(serving.mcp, http_client=http)) as client,
    ):
        with pytest.raises(MCPError, match=told):
            await client.list_tools()
