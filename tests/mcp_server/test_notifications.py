"""Clients over HTTP are notified of verdicts and corrections."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification

from tests.mcp_server.serving import Serving
from tests.mcp_server.test_wait import propose
from tests.stack.running import HANGS, eventually

pytestmark = [pytest.mark.slow, pytest.mark.stack, pytest.mark.anyio]

ROUTE = "/api/v1/notices/stream"


async def decide(serving: Serving, edit: str) -> None:
    verdict = {"reason": "yes"}
    await anyio.to_thread.run_sync(lambda: serving.ask("POST", f"edits/{edit}/approve", verdict, key=serving.bob))


async def test_a_client_that_listens_is_told(serving: Serving) -> None:
    edit, other = await anyio.to_thread.run_sync(lambda: (propose(serving), propose(serving)))
    uri = f"suture://edits/{edit}"
    async with serving.connected() as client, client.listen(resource_subscriptions=[uri]) as stream:
        await decide(serving, other)
        await decide(serving, edit)
        with anyio.fail_after(HANGS):
            assert await anext(stream) == ResourceUpdated(uri)


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")  # of this version's own requests
async def test_a_client_of_an_earlier_version_is_told_on_its_stream(serving: Serving) -> None:
    edit = await anyio.to_thread.run_sync(lambda: propose(serving))
    before = serving.requests(ROUTE)
    found: list[str] = []
    heard = anyio.Event()

    async def receive(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            found.append(str(message.params.uri))
            heard.set()

    headers = {"Authorization": f"Bearer {serving.agent}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=HANGS) as http,
        Client(streamable_http_client(serving.mcp, http_client=http), mode="legacy", message_handler=receive) as client,
    ):
        await client.subscribe_resource(f"suture://edits/{edit}")
        # the client opens its stream by itself: the server asks where it is, then for what follows
        await anyio.to_thread.run_sync(lambda: eventually(lambda: serving.requests(ROUTE) >= before + 2))
        await decide(serving, edit)
        with anyio.fail_after(HANGS):
            await heard.wait()
        await client.unsubscribe_resource(f"suture://edits/{edit}")
    assert found == [f"suture://edits/{edit}"]


@asynccontextmanager
async def opened(serving: Serving, **headers: str) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of a stream that are not empty."""
    version = {"MCP-Protocol-Version": "2025-11-25"}
    given = {"Authorization": f"Bearer {serving.agent}", "Accept": "text/event-stream", **version, **headers}
    async with httpx.AsyncClient(timeout=HANGS) as http, http.stream("GET", serving.mcp, headers=given) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield (line async for line in answer.aiter_lines() if line)


async def id_of(lines: AsyncIterator[str]) -> str:
    async for line in lines:
        if line.startswith("id: "):
            return line.removeprefix("id: ")
    raise AssertionError("the stream ended")


async def test_a_stream_continues_where_the_last_one_broke(serving: Serving) -> None:
    edit = await anyio.to_thread.run_sync(lambda: propose(serving))
    async with opened(serving) as lines:
        last = await id_of(lines)
    await decide(serving, edit)
    async with opened(serving, **{"Last-Event-ID": last}) as lines:
        assert await id_of(lines) == last
        with anyio.fail_after(HANGS):
            async for line in lines:
                if edit in line:
                    break
    assert line == (
        'data: {"jsonrpc": "2.0", "method": "notifications/resources/updated",'
        f' "params": {{"uri": "suture://edits/{edit}"}}}}'
    )


async def test_a_client_of_a_version_without_empty_events_gets_none(serving: Serving) -> None:
    edit = await anyio.to_thread.run_sync(lambda: propose(serving))
    async with opened(serving, **{"MCP-Protocol-Version": "2025-06-18"}) as lines:
        await decide(serving, edit)
        with anyio.fail_after(HANGS):
            said = [await anext(lines) for _ in range(3)]
    assert edit in said[2]


async def test_streams_leave_threads_to_others(serving: Serving) -> None:
    """Three processes of one thread each, and nine streams."""
    started = anyio.Semaphore(0)

    async def listen() -> None:
        async with opened(serving) as lines:
            await id_of(lines)
            started.release()
            async for _ in lines:
                pass

    async with anyio.create_task_group() as tasks:
        for _ in range(9):
            tasks.start_soon(listen)
        for _ in range(9):
            await started.acquire()
        for _ in range(6):
            await anyio.to_thread.run_sync(lambda: serving.ask("GET", "events?limit=1"))
        tasks.cancel_scope.cancel()
