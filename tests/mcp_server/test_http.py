"""Streamable HTTP: no session in one process, the limits of every other request, and no pages of other sites."""

import http.client
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import anyio
import httpx
import pytest
from mcp import Client

from tests.mcp_server.serving import Serving

pytestmark = pytest.mark.stack

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = "application/json, text/event-stream"


def post(serving: Serving, content: bytes | dict[str, object] = b"", **headers: str) -> httpx.Response:
    sent = {"json": content} if isinstance(content, dict) else {"content": content}
    given = {"Authorization": f"Bearer {serving.agent}", "Content-Type": "application/json", "Accept": ACCEPT}
    return httpx.post(serving.mcp, **sent, headers={**given, **headers}, timeout=60)


def test_any_process_answers_any_request_of_a_session(serving: Serving) -> None:
    """Send each request on a new connection, so that most reach another of the three processes."""
    session = post(serving, INITIALIZE, Connection="close").headers["mcp-session-id"]
    headers = {"mcp-session-id": session, "mcp-protocol-version": "2025-06-18", "Connection": "close"}
    told = post(serving, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)
    assert told.status_code == 202

    def list_tools(number: int) -> httpx.Response:
        return post(serving, {"jsonrpc": "2.0", "id": number, "method": "tools/list"}, **headers)

    with ThreadPoolExecutor(8) as pool:
        for answer in pool.map(list_tools, range(1, 25)):
            assert answer.status_code == 200
            assert "preview_edit" in answer.text


@pytest.mark.anyio
async def test_many_clients_at_once(serving: Serving) -> None:
    async def use(number: int) -> None:
        async with serving.connected("http legacy" if number % 2 else "http auto") as client:
            for _ in range(3):
                assert (await client.list_tools()).tools

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(use, number)


ORIGINS = [
    ("http://evil.example", 403),
    ("null", 403),
    ("http://127.0.0.1.evil.example", 403),
    ("file://", 403),
    ("http://localhost:6274", 200),
    ("http://[::1]:9", 200),
]


def test_pages_of_other_sites_are_refused(serving: Serving) -> None:
    for origin, status in ORIGINS:
        assert post(serving, INITIALIZE, Origin=origin).status_code == status, origin


def test_a_page_of_the_server_itself_is_not_refused(serving: Serving) -> None:
    assert post(serving, INITIALIZE, Origin=serving.url).status_code == 200


def test_a_host_that_the_server_does_not_answer_to_is_refused(serving: Serving) -> None:
    answer = post(serving, INITIALIZE, Host="evil.example")
    assert answer.status_code == 400
    assert "evil.example" not in answer.headers.get("www-authenticate", "")


def test_a_name_that_resolves_to_the_server_is_refused(serving: Serving) -> None:
    """DNS rebinding: page and request have the same, foreign, name."""
    answer = post(serving, INITIALIZE, Host="evil.example", Origin="http://evil.example")
    assert answer.status_code == 400


def test_bodies_have_the_limits_of_every_request(serving: Serving) -> None:
    at = urlsplit(serving.url)
    for key, size in (("", 64 * 1024 + 1), (serving.agent, 10 * 1024 * 1024 + 1)):
        connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=60)
        connection.putrequest("POST", "/mcp")
        connection.putheader("Content-Length", str(size))
        if key:
            connection.putheader("Authorization", f"Bearer {key}")
        connection.endheaders()
        answer = connection.getresponse()
        assert answer.status == 413
        assert b"body-too-large" in answer.read()
        connection.close()


@pytest.mark.slow
def test_half_a_body_has_the_deadline_of_every_request(serving: Serving) -> None:
    at = urlsplit(serving.url)
    with socket.create_connection((at.hostname or "", at.port or 0), timeout=60) as connection:
        head = f"POST /mcp HTTP/1.1\r\nHost: {at.netloc}\r\nAuthorization: Bearer {serving.agent}\r\n"
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\nhalf".encode())
        said = connection.recv(65_536)
    assert said.startswith(b"HTTP/1.1 408")
    assert b"body-too-slow" in said


def test_a_large_argument_is_for_the_tool_to_refuse(serving: Serving) -> None:
    arguments = {"target_id": "x" * 5_000_000, "op": "retract"}
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "preview_edit", "arguments": arguments},
    }
    answer = post(serving, message)
    assert answer.status_code == 200
    assert "target_id" in answer.text


def test_what_is_no_message_is_a_clear_error(serving: Serving) -> None:
    for body in (b"", b"{", b"[]", b"null", b'"x"', b"{}", b"\xff", b"[" * 100_000):
        answer = post(serving, body)
        assert answer.status_code == 400, body[:9]
        assert answer.json()["error"]["code"] in {-32700, -32600, -32602}, body[:9]


def test_a_version_of_the_protocol_that_is_unknown_is_an_error(serving: Serving) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = post(serving, message, **{"mcp-protocol-version": "1999-01-01"})
    assert answer.status_code == 400


@pytest.mark.anyio
async def test_the_client_learns_who_the_server_is(serving: Serving) -> None:
    async with serving.connected("http legacy") as client:
        assert isinstance(client, Client)
        assert client.server_info is not None
        assert client.server_info.name == "suture"
        assert "memory_recall" in (client.instructions or "")
