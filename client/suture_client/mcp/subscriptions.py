"""Tells an MCP client on standard input and output that a resource has changed: a person decided on an edit, or others
corrected a memory."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

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

from suture_client.errors import Failed
from suture_client.http import AsyncApi
from suture_client.memory.awaiting import AsyncMemory
from suture_client.memory.records import Verdict

Context = ServerRequestContext[Any, Any]


class Subscriptions:
    """The subscriptions of one client. It hears notices from the first subscription on."""

    def __init__(self, rest: AsyncApi, tasks: TaskGroup) -> None:
        self._memory = AsyncMemory.over(rest)
        self._tasks = tasks
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus)
        #: The sessions of clients of earlier protocol versions that subscribe to a resource.
        self._sessions: dict[str, ServerSession] = {}
        self._is_hearing = False

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve `subscriptions/listen`."""
        self._hear()
        return await self._streams(ctx, params)

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Serve `resources/subscribe`."""
        self._hear()
        self._sessions[str(params.uri)] = ctx.session
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Serve `resources/unsubscribe`."""
        self._sessions.pop(str(params.uri), None)
        return EmptyResult()

    def _hear(self) -> None:
        if not self._is_hearing:
            self._is_hearing = True
            self._tasks.start_soon(self._tell)

    async def _tell(self) -> None:
        try:
            async for notice in self._memory.notices():
                kind, id = ("edits", notice.edit_id) if isinstance(notice, Verdict) else ("memories", notice.chunk_id)
                await self._updated(f"suture://{kind}/{id}")
        except Failed as failed:
            print(f"suture: no more notices: {failed}", file=sys.stderr)  # noqa: T201 - the output of a command
        self._is_hearing = False  # the next subscription tries again

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
