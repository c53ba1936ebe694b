"""Requests over MCP and from the command line have the client's session, by which uses are counted."""

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.mcp_server.serving import SUTURE, Serving, run, text_of
from tests.stack.running import HANGS, ROOT, eventually

pytestmark = [pytest.mark.slow, pytest.mark.stack]


def sessions_of(serving: Serving, chunk: str) -> int:
    """Return the job's count of sessions in which the chunk was read."""
    found: int = serving.ask("GET", f"chunks/{chunk}/confidence")["sessions"]
    return found


@pytest.mark.anyio
async def test_the_header_of_an_mcp_client_is_passed_on(serving: Serving) -> None:
    chunk = serving.record("Read in a session of MCP")
    for session_id in ("mcp-1", "mcp-2", "Gespräch"):
        headers = {b"Authorization": f"Bearer {serving.agent}".encode(), b"X-Session-Id": session_id.encode()}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=HANGS) as http,
            Client(streamable_http_client(serving.mcp, http_client=http)) as client,
        ):
            assert "Read in a session of MCP" in text_of(
                (await client.read_resource(f"suture://memories/{chunk}")).contents
            )
            found = await client.call_tool("search_memory", {"query": "session of MCP"})
            assert chunk in str(found.structured_content)
    eventually(lambda: sessions_of(serving, chunk) == 3)


@pytest.mark.anyio
async def test_the_session_of_the_environment_goes_with_mcp_on_standard_input(serving: Serving) -> None:
    chunk = serving.record("Read over standard input")
    variables = {**serving.variables(serving.agent), "SUTURE_SESSION_ID": "stdio-1"}
    server = StdioServerParameters(command=SUTURE[0], args=[*SUTURE[1:], "mcp"], env=variables, cwd=ROOT)
    async with Client(server) as client:
        await client.read_resource(f"suture://memories/{chunk}")
    eventually(lambda: sessions_of(serving, chunk) == 1)


def test_the_session_of_the_environment_goes_with_commands(serving: Serving) -> None:
    chunk = serving.record("The ladder is in the shed")
    variables = {**serving.variables(serving.agent), "SUTURE_SESSION_ID": "shell-1"}
    recalled = run("recall", "Where is the ladder?", variables=variables)
    assert "The ladder is in the shed" in recalled.stdout, recalled.stderr
    eventually(lambda: sessions_of(serving, chunk) == 1)


@pytest.mark.parametrize("wrong", ["a\nb", "x" * 201])
def test_what_is_no_session_is_refused_by_its_name(serving: Serving, wrong: str) -> None:
    refused = run("recall", "ladder", variables={**serving.variables(serving.agent), "SUTURE_SESSION_ID": wrong})
    assert refused.returncode == 1
    assert "SUTURE_SESSION_ID" in refused.stderr or "X-Session-Id" in refused.stderr
