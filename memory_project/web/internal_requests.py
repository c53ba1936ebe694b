"""Requests of this process to its own API, without a network connection."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx
from anyio.streams.memory import MemoryObjectReceiveStream

from memory_project.web.bridge import Bridge
from memory_project.web.request_bodies import Message, Receive


class Inside(httpx.AsyncBaseTransport):
    """A transport that calls the application. httpx's own ASGI transport looks up the event loop's module at each
    request, which takes as long as everything else."""

    def __init__(self, application: Bridge) -> None:
        self._application = application

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the application's response: complete, or while it comes if the request accepts only events."""
        body = iter([{"type": "http.request", "body": await request.aread(), "more_body": False}])
        status, headers, pieces = 500, [], []

        async def receive() -> Message:
            if (message := next(body, None)) is not None:
                return message
            await asyncio.Event().wait()  # the caller never disconnects: it is cancelled instead
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], message["headers"]
            else:
                pieces.append(message.get("body", b""))

        if request.headers.get("accept") == "text/event-stream":
            return await self._streamed(request, receive)
        await self._application(_scope(request), receive, send)
        return httpx.Response(status, headers=headers, content=b"".join(pieces))

    async def _streamed(self, request: httpx.Request, receive: Receive) -> httpx.Response:
        sending, receiving = anyio.create_memory_object_stream[Message]()

        async def run() -> None:
            async with sending:
                await self._application(_scope(request), receive, sending.send)

        task = asyncio.ensure_future(run())
        body = _Body(task, receiving)
        try:
            start = await receiving.receive()
        except BaseException:
            await body.aclose()
            raise
        return httpx.Response(start["status"], headers=start["headers"], stream=body)


class _Body(httpx.AsyncByteStream):
    """The body of a response that the application sends in a task."""

    def __init__(self, task: asyncio.Future[None], messages: MemoryObjectReceiveStream[Message]) -> None:
        self._task, self._messages = task, messages

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for message in self._messages:
            yield message.get("body", b"")

    async def aclose(self) -> None:
        """End the application's work on the request."""
        self._messages.close()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def _scope(request: httpx.Request) -> dict[str, Any]:
    path, _, query = request.url.raw_path.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "server": (request.url.host, request.url.port),
        "client": ("127.0.0.1", 0),
    }
