"""Tells an MCP client that a resource has changed: a person decided on an edit, or others corrected a memory."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import anyio
from anyio.abc import TaskGroup
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.types import (
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from suture_client.errors import Failed, NotFound
from suture_client.http import AsyncApi, Call
from suture_client.mcp.errors import as_error
from suture_client.memory.awaiting import AsyncMemory
from suture_client.memory.notices import EventReader
from suture_client.memory.records import Verdict

Context = ServerRequestContext[Any, Any]

logger = logging.getLogger("suture.mcp")


async def last_notice(rest: AsyncApi) -> str | None:
    """The id of the caller's last notice: `updates` continues after it. None if the server has no stream. Raises
    Failed."""
    reader = EventReader(None)
    call = Call("GET", ("notices", "stream"), headers={"Accept": "text/event-stream"})
    try:
        async with rest.lines(call) as lines:
            async for line in lines:
                reader.read(line)
                if reader.last is not None:
                    break
    except NotFound:
        return None
    return reader.last


async def updates(rest: AsyncApi, after: str | None) -> AsyncIterator[tuple[str | None, str]]:
    """The resources that change, each with the id of its notice, from the one after `after` on, without an end. Raises
    Failed."""
    async for notice in AsyncMemory.over(rest).notices(after):
        kind, id = ("edits", notice.edit_id) if isinstance(notice, Verdict) else ("memories", notice.chunk_id)
        yield notice.id, f"suture://{kind}/{id}"


class Subscribed(Protocol):
    """Serves the requests to subscribe."""

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve `subscriptions/listen`."""
        ...

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Serve `resources/subscribe`."""
        ...

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Serve `resources/unsubscribe`."""
        ...


class Subscriptions:
    """The subscriptions of one client. It hears notices from the first subscription on."""

    def __init__(self, rest: AsyncApi, tasks: TaskGroup) -> None:
        self._rest = rest
        self._tasks = tasks
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus)
        #: The sessions of clients of earlier protocol versions that subscribe to a resource.
        self._sessions: dict[str, ServerSession] = {}
        self._is_hearing = False

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve `subscriptions/listen`."""
        await self._hear()
        return await self._streams(ctx, params)

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Serve `resources/subscribe`."""
        await self._hear()
        self._sessions[str(params.uri)] = ctx.session
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Serve `resources/unsubscribe`."""
        self._sessions.pop(str(params.uri), None)
        return EmptyResult()

    async def _hear(self) -> None:
        """Begin to hear what happens from now on. Raises MCPError."""
        if self._is_hearing:
            return
        self._is_hearing = True
        try:
            after = await last_notice(self._rest)
        except Failed as failed:
            self._is_hearing = False
            raise as_error(failed) from None
        self._tasks.start_soon(self._tell, after)

    async def _tell(self, after: str | None) -> None:
        try:
            async for _, uri in updates(self._rest, after):
                await self._updated(uri)
        except Failed as failed:
            logger.warning("no more notices: %s", failed)
        self._is_hearing = False  # the next subscription tries again
        self._streams.close()

    async def _updated(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri))
        if (session := self._sessions.get(uri)) is not None:
            await session.send_resource_updated(uri)


@asynccontextmanager
async def subscriptions(rest: AsyncApi) -> AsyncIterator[Subscriptions]:
    """The subscriptions of a client of `rest`, until the end of the block."""
    async with anyio.create_task_group() as tasks:
        yield Subscriptions(rest, tasks)
        tasks.cancel_scope.cancel()
