"""Notifications to MCP clients over HTTP: a resource has changed. They come from the stream of notices, and no process
keeps a subscription (docs/decisions/0099-mcp-notifications.md)."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from mcp import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)
from sse_starlette import EventSourceResponse, ServerSentEvent

from memory_project.web.bridge import ALIVE, MAX_WAITING, Scope
from memory_project.web.request_bodies import Receive
from memory_project.web.response_streams import PATIENCE, Send
from suture_client.errors import Failed
from suture_client.http import AsyncApi
from suture_client.mcp.server import Context
from suture_client.mcp.subscriptions import last_notice, subscriptions, updates

#: How many streams a process serves at once. Many clients open one without being asked to, so they leave room for other
#: requests that wait.
MAX_STREAMS = MAX_WAITING // 2
#: The first version of the protocol whose clients take an event without data. From its id on, a client continues that
#: loses the connection before the first notification.
_EMPTY_EVENTS = "2025-11-25"


class TooManyStreams(Exception):  # noqa: N818 (as the other refusals)
    """This server sends notifications to as many clients as it can. Try again later."""


class Notifications:
    """The notifications of all clients of this process. `rest_of` returns the API for the caller of a request."""

    def __init__(self, rest_of: Callable[[Context], AsyncApi]) -> None:
        self._rest_of = rest_of
        self._open: set[anyio.CancelScope] = set()

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve `subscriptions/listen`: its answer is the stream."""
        try:
            with self._one():
                async with subscriptions(self._rest_of(ctx)) as own:
                    return await own.listen(ctx, params)
        except TooManyStreams as refused:
            raise MCPError(INTERNAL_ERROR, str(TooManyStreams.__doc__)) from refused
        raise MCPError(INTERNAL_ERROR, "The server is stopping. Subscribe again.")

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Serve `resources/subscribe`: the stream of a session has all updates."""
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Serve `resources/unsubscribe`, as `subscribe`."""
        return EmptyResult()

    async def stream(self, rest: AsyncApi, last: str, version: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all updates of the caller as server-sent events, until it disconnects. `last` is the Last-Event-ID that
        it sent, `version` that of its protocol. Raises TooManyStreams and Failed before the first event."""
        with self._one():
            now = await last_notice(rest)
            after = last if last.isascii() and last.isdigit() else now
            events = _events(rest, after, begins_with_id=version >= _EMPTY_EVENTS)
            response = EventSourceResponse(
                events, headers={"X-Content-Type-Options": "nosniff"}, ping=ALIVE, send_timeout=PATIENCE
            )
            await response(dict(scope), receive, lambda message: send(dict(message)))

    def end(self) -> None:
        """End all streams."""
        for scope in self._open:
            scope.cancel()

    @contextmanager
    def _one(self) -> Iterator[None]:
        """A stream, until `end`. Raises TooManyStreams."""
        if len(self._open) >= MAX_STREAMS:
            raise TooManyStreams
        with anyio.CancelScope() as scope:
            self._open.add(scope)
            try:
                yield
            finally:
                self._open.discard(scope)


async def _events(rest: AsyncApi, after: str | None, *, begins_with_id: bool) -> AsyncIterator[ServerSentEvent]:
    """The events of a stream."""
    if begins_with_id:
        yield _event("", after)
    try:
        async for id, uri in updates(rest, after):
            yield _event(_updated(uri), id)
    except Failed:
        return  # the key was revoked; the client's next request is refused


def _event(data: str, id: str | None) -> ServerSentEvent:
    return ServerSentEvent(data=data, event="message", id=id)


def _updated(uri: str) -> str:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
    return json.dumps(message)
