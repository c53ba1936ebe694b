"""Requests of this process to its own API, without a network connection."""

import asyncio
from typing import Any

import httpx

from memory_project.web.bridge import Bridge
from memory_project.web.request_bodies import Message


class Inside(httpx.AsyncBaseTransport):
    """A transport that calls the application. httpx's own ASGI transport looks up the event loop's module at each
    request, which takes as long as everything else."""

    def __init__(self, application: Bridge) -> None:
        self._application = application

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the application's complete response."""
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

        await self._application(_scope(request), receive, send)
        return httpx.Response(status, headers=headers, content=b"".join(pieces))


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
