"""MCP clients get notifications of resources that have changed."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, MCPError
from mcp.server.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification

from suture_client.http import AsyncApi
from suture_client.mcp.server import build_server
from suture_client.mcp.subscriptions import subscriptions
from suture_client.mcp.tools import Catalogue

pytestmark = pytest.mark.pure

EDIT, MEMORY = "suture://edits/e1", "suture://memories/c1"
VERDICT = {"edit_id": "e1", "status": "approved", "by": "bob", "reason": "", "decided_at": "2026-01-01T00:00:00Z"}
CORRECTION = {"edit_id": "e2", "memory_id": "m1", "chunk_id": "c1", "change": "amended"}
CORRECTION |= {"changed_at": "2026-01-01T00:00:00Z"}


class Streaming(httpx.AsyncByteStream):
    """Where the caller is; after that, two notices. Then the stream stays open."""

    def __init__(self, last: str | None) -> None:
        self._last = last

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._last is None:
            yield b"retry: 2000\nid: 7\n\n"
        else:
            assert self._last == "7"
            for kind, said in (("verdict", VERDICT), ("correction", CORRECTION)):
                yield f"event: {kind}\nid: 8\ndata: {json.dumps(said)}\n\n".encode()
        await asyncio.Event().wait()


def respond(request: httpx.Request) -> httpx.Response:
    assert request.url.path == "/api/v1/notices/stream"
    stream = Streaming(request.headers.get("Last-Event-ID"))
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=stream)


def told(subscribe: Any, respond: Any = respond) -> list[str]:
    """The notifications that a client gets, until it knows of both."""

    async def run() -> list[str]:
        found: list[str] = []
        async with httpx.AsyncClient(transport=httpx.MockTransport(respond), base_url="http://suture") as http:
            rest = AsyncApi(http, {})
            async with subscriptions(rest) as subscribed:
                server = build_server(lambda ctx: rest, Catalogue(), subscribed)
                with anyio.fail_after(10):
                    await subscribe(server, found)
        return found

    return asyncio.run(run())


def test_a_client_that_listens_is_told() -> None:
    async def subscribe(server: Any, found: list[str]) -> None:
        async with Client(server) as client, client.listen(resource_subscriptions=[EDIT, MEMORY]) as stream:
            async for event in stream:
                assert isinstance(event, ResourceUpdated)
                found.append(event.uri)
                if len(found) == 2:
                    return

    assert told(subscribe) == [EDIT, MEMORY]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")  # of this version's own requests
def test_a_client_of_an_earlier_version_is_told_of_what_it_subscribed_to() -> None:
    async def subscribe(server: Any, found: list[str]) -> None:
        heard = anyio.Event()

        async def receive(message: Any) -> None:
            if isinstance(message, ResourceUpdatedNotification):
                found.append(str(message.params.uri))
                heard.set()

        async with Client(server, mode="legacy", message_handler=receive) as client:
            await client.subscribe_resource(MEMORY)
            await heard.wait()
            await client.unsubscribe_resource(MEMORY)

    assert told(subscribe) == [MEMORY]


def test_a_client_that_may_not_listen_is_told_why() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        return httpx.Response(401, json={"title": "No", "detail": "The key was revoked.", "status": 401})

    async def subscribe(server: Any, found: list[str]) -> None:
        async with Client(server) as client:
            with pytest.raises(MCPError, match="revoked"):
                async with client.listen(resource_subscriptions=[EDIT]):
                    pass

    assert told(subscribe, refuse) == []


def test_the_streams_end_when_the_key_is_revoked() -> None:
    def refuse_the_second(request: httpx.Request) -> httpx.Response:
        if "Last-Event-ID" in request.headers:
            return httpx.Response(401, json={"title": "No", "detail": "The key was revoked.", "status": 401})
        return respond(request)

    async def subscribe(server: Any, found: list[str]) -> None:
        async with Client(server) as client, client.listen(resource_subscriptions=[EDIT]) as stream:
            assert [event async for event in stream] == []

    assert told(subscribe, refuse_the_second) == []
