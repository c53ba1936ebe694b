"""Streams of notifications over `/mcp`: how many there may be, and when they end."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
from mcp import MCPError
from mcp.types import SubscriptionFilter, SubscriptionsListenRequestParams

from memory_project.web import mcp_notifications
from memory_project.web.mcp_notifications import Notifications, TooManyStreams
from suture_client.http import AsyncApi

pytestmark = pytest.mark.pure

SAID = {"edit_id": "e1", "status": "approved", "by": "bob", "reason": "", "decided_at": "2026-01-01T00:00:00Z"}
VERDICT = f"event: verdict\nid: 8\ndata: {json.dumps(SAID)}\n\n".encode()


class Streaming(httpx.AsyncByteStream):
    """Some bytes; then the stream stays open."""

    def __init__(self, said: bytes) -> None:
        self._said = said

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._said
        await asyncio.Event().wait()


class Client:
    """A client of a stream, and what it got."""

    def __init__(self) -> None:
        self.sent = b""
        self.changed = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        return await asyncio.Future()

    async def send(self, message: dict[str, Any]) -> None:
        self.sent += message.get("body", b"")
        self.changed.set()

    async def has(self, words: bytes) -> None:
        while words not in self.sent:
            await self.changed.wait()
            self.changed.clear()


def answer(request: httpx.Request) -> httpx.Response:
    """Where the caller is; after that, one verdict."""
    stream = Streaming(VERDICT if "Last-Event-ID" in request.headers else b"retry: 2000\nid: 7\n\n")
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=stream)


def run(
    work: Callable[[Notifications, AsyncApi], Awaitable[None]],
    answer: Callable[[httpx.Request], httpx.Response] = answer,
) -> None:
    async def within() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://suture") as http:
            rest = AsyncApi(http, {})
            async with asyncio.timeout(60):
                await work(Notifications(lambda ctx: rest), rest)

    asyncio.run(within())


def stream(notifications: Notifications, rest: AsyncApi, client: Client) -> Awaitable[None]:
    return notifications.stream(rest, "", "2025-11-25", {"type": "http", "method": "GET"}, client.receive, client.send)


def test_a_stream_begins_with_an_id_and_ends_when_the_process_stops() -> None:
    async def work(notifications: Notifications, rest: AsyncApi) -> None:
        client = Client()
        task = asyncio.ensure_future(stream(notifications, rest, client))
        await client.has(b"suture://edits/e1")
        notifications.end()
        await task
        assert client.sent.startswith(b"id: 7\r\nevent: message\r\ndata: \r\n\r\nid: 8\r\n")

    run(work)


def test_there_are_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_notifications, "MAX_STREAMS", 1)

    async def work(notifications: Notifications, rest: AsyncApi) -> None:
        client = Client()
        task = asyncio.ensure_future(stream(notifications, rest, client))
        await client.has(b"suture://edits/e1")
        with pytest.raises(TooManyStreams):
            await stream(notifications, rest, Client())
        asked: Any = SubscriptionsListenRequestParams(notifications=SubscriptionFilter(resource_subscriptions=["a"]))
        with pytest.raises(MCPError, match="as many clients as it can"):
            await notifications.listen(Any, asked)  # type: ignore[arg-type] # no context is read
        notifications.end()
        await task
        task = asyncio.ensure_future(stream(notifications, rest, client))  # there is room again
        await asyncio.sleep(0)
        notifications.end()
        await task

    run(work)


def test_a_stream_ends_when_the_key_is_revoked() -> None:
    def refuse_the_second(request: httpx.Request) -> httpx.Response:
        if "Last-Event-ID" in request.headers:
            return httpx.Response(401, json={"title": "No", "detail": "Revoked", "status": 401})
        return answer(request)

    async def work(notifications: Notifications, rest: AsyncApi) -> None:
        client = Client()
        await stream(notifications, rest, client)
        assert client.sent == b"id: 7\r\nevent: message\r\ndata: \r\n\r\n"

    run(work, refuse_the_second)
