"""`/mcp`: the MCP server over streamable HTTP. Requests are independent, so any process can answer them. They call the
REST API in this process, with the caller's own key (docs/decisions/0024-mcp.md)."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

import anyio
import httpx
from django.conf import settings
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import INTERNAL_ERROR, INVALID_REQUEST
from starlette.datastructures import Headers as StarletteHeaders
from starlette.requests import Request

from governance.http.on_behalf import HEADER as ON_BEHALF_OF
from memory_project.web import origins, request_bodies
from memory_project.web.bridge import Bridge, Scope, announced_length, joined, refuse
from memory_project.web.cancellations import Cancellations
from memory_project.web.internal_requests import Inside
from memory_project.web.mcp_notifications import Notifications, TooManyStreams
from memory_project.web.protected_resource import MCP_PATH, challenge
from memory_project.web.request_bodies import BodyRefused, Disconnected, Limits, Message, Receive
from memory_project.web.response_streams import CompleteResponse, Headers, Send, send_whole
from suture_client.errors import HOW_TO_GET_A_KEY, Failed, Problem
from suture_client.http import SESSION_HEADER, AsyncApi
from suture_client.mcp.server import Context, build_server
from suture_client.mcp.tools import Catalogue

PATHS = frozenset({MCP_PATH, f"{MCP_PATH}/"})

_SESSION = b"mcp-session-id"
_EVENTS = "text/event-stream"
#: Seconds between two checks for a cancellation by another process.
_LOOK = 0.5


@dataclass(frozen=True, slots=True)
class Call:
    """A complete request to /mcp."""

    scope: Scope
    headers: Mapping[bytes, bytes]
    body: bytes

    def header(self, name: bytes) -> str:
        """The value of a header; empty if it is missing."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def message(self) -> Mapping[str, Any]:
        """The message if it is a JSON object; the SDK reports what is wrong with any other message."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


class MCPEndpoint:
    """An ASGI application for /mcp in front of the REST API that `bridge` runs."""

    def __init__(self, bridge: Bridge, limits: Limits) -> None:
        self._bridge = bridge
        self._limits = limits
        self._catalogue = Catalogue()
        self._notifications = Notifications(self._rest_of)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while the context is open; enter it once per process."""
        self._cancellations = Cancellations(settings.REDIS_URL)
        # a placeholder address: each request has the caller's own Host
        async with httpx.AsyncClient(
            transport=Inside(self._bridge), base_url="http://suture", trust_env=False
        ) as client:
            self._client = client
            self._manager = StreamableHTTPSessionManager(
                build_server(self._rest_of, self._catalogue, self._notifications),
                stateless=True,
                max_request_body_size=settings.MAX_BODY_BYTES,
            )
            try:
                async with self._manager.run():
                    yield
            finally:
                await self._cancellations.close()

    def end_streams(self) -> None:
        """End the streams of notifications."""
        self._notifications.end()

    def _rest_of(self, ctx: Context) -> AsyncApi:
        return self._rest_for(cast(Request, ctx.request).headers)

    def _rest_for(self, headers: Mapping[str, str]) -> AsyncApi:
        session_id = headers.get(SESSION_HEADER)
        return self._rest(
            headers.get("authorization", ""),
            headers.get("host", ""),
            None if session_id is None else session_id.encode("latin-1"),
            headers.get(ON_BEHALF_OF),
        )

    def _rest(
        self, authorization: str, host: str, session_id: bytes | None = None, on_behalf_of: str | None = None
    ) -> AsyncApi:
        caller = {"Host": host}
        if authorization:
            caller["Authorization"] = authorization
        if on_behalf_of is not None:
            caller[ON_BEHALF_OF] = on_behalf_of
        return AsyncApi(self._client, caller, session_id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = joined(scope["headers"])
        limit = self._limits.of(scope["path"], headers)
        try:
            body = await request_bodies.read(receive, limit=limit, announced=announced_length(scope, headers))
        except BodyRefused as refused:
            await refuse(refused, scope["path"], send)
            return
        except Disconnected:
            return
        with body.file as file:
            call = Call(scope, headers, file.read())
        if (refusal := await self._refusal(call)) is not None:
            await send_whole(refusal, send)
        elif scope["method"] == "GET":
            await self._stream(call, receive, send)
        else:
            await self._answer(call, receive, send)

    async def _refusal(self, call: Call) -> CompleteResponse | None:
        """The refusal if the caller may not use the endpoint, otherwise None."""
        host, origin = call.header(b"host"), call.header(b"origin")
        allowed = {"allowed_hosts": settings.ALLOWED_HOSTS, "trusted_origins": settings.CSRF_TRUSTED_ORIGINS}
        if origin and not origins.is_allowed(origin, host, **allowed):
            said = f"Pages of {origin} may not use this server. An operator can add its host to ALLOWED_HOSTS."
            return _refused(call, HTTPStatus.FORBIDDEN, said)
        try:
            await self._catalogue.tools(self._rest(call.header(b"authorization"), host))
        except Problem as problem:
            return _of_problem(call, problem)
        except Failed as failed:
            return _refused(call, HTTPStatus.BAD_GATEWAY, str(failed))
        method = call.scope["method"]
        if method not in ("GET", "POST"):
            said = "Send each message by POST, and open the stream of notifications by GET. There are no sessions."
            return _refused(call, HTTPStatus.METHOD_NOT_ALLOWED, said, (b"allow", b"GET, POST"))
        if method == "GET" and _EVENTS not in call.header(b"accept"):
            said = f"GET opens a stream of notifications: send `Accept: {_EVENTS}`. Send each message by POST."
            return _refused(call, HTTPStatus.NOT_ACCEPTABLE, said)
        return None

    async def _stream(self, call: Call, receive: Receive, send: Send) -> None:
        """Send the caller's notifications until it disconnects."""
        rest = self._rest_for(StarletteHeaders(scope=dict(call.scope)))
        try:
            last, version = call.header(b"last-event-id"), call.header(b"mcp-protocol-version")
            await self._notifications.stream(rest, last, version, call.scope, receive, send)
        except TooManyStreams as refused:
            said, wait = str(refused.__doc__), (b"retry-after", b"60")
            await send_whole(_refused(call, HTTPStatus.SERVICE_UNAVAILABLE, said, wait), send)
        except Problem as problem:
            await send_whole(_of_problem(call, problem), send)
        except Failed as failed:
            await send_whole(_refused(call, HTTPStatus.BAD_GATEWAY, str(failed)), send)

    async def _answer(self, call: Call, receive: Receive, send: Send) -> None:
        """Pass the message to the SDK. Stops if the client disconnects or cancels the request."""
        message = call.message
        caller, session = call.header(b"authorization"), call.header(_SESSION)
        method, request_id = message.get("method"), message.get("id")
        added: Headers = [(b"x-content-type-options", b"nosniff")]
        if method == "initialize":
            # An id with which later requests can be cancelled. Nothing is stored for it.
            added.append((_SESSION, uuid.uuid4().hex.encode()))
        if method == "notifications/cancelled" and session and isinstance(message.get("params"), dict):
            await self._cancellations.cancel(caller, session, message["params"].get("requestId"))

        async def is_cancelled() -> bool:
            return await self._cancellations.is_cancelled(caller, session, request_id)

        rest = iter([{"type": "http.request", "body": call.body, "more_body": False}])

        async def replay() -> Message:
            if (first := next(rest, None)) is not None:
                return first
            await _until_gone(receive, is_cancelled if session and request_id is not None else None)
            return {"type": "http.disconnect"}

        async def add_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *added]
            await send(dict(message))

        await self._manager.handle_request(dict(call.scope), replay, add_headers)


async def _until_gone(receive: Receive, is_cancelled: Callable[[], Awaitable[bool]] | None) -> None:
    """Return when the client disconnects or cancels the request."""
    async with anyio.create_task_group() as tasks:

        async def watch_connection() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        async def watch_cancellations(is_cancelled: Callable[[], Awaitable[bool]]) -> None:
            await asyncio.sleep(_LOOK)
            while not await is_cancelled():
                await asyncio.sleep(_LOOK)
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch_connection)
        if is_cancelled is not None:
            tasks.start_soon(watch_cancellations, is_cancelled)


def _of_problem(call: Call, problem: Problem) -> CompleteResponse:
    """Convert a refusal of the API. Without a valid key, it tells how to get one."""
    status = HTTPStatus(problem.status)
    if status == HTTPStatus.UNAUTHORIZED:
        reason, said = str(problem.details.get("detail", "")), str(problem)
        is_missing = b"authorization" not in call.headers
        if "$" in call.header(b"authorization"):
            reason = "The client sent the name of a variable, not its value: set SUTURE_KEY where the client starts."
            said = f"{reason} {HOW_TO_GET_A_KEY}"
        elif is_missing:
            said = f"The request has no API key. Send one as `Authorization: Bearer KEY`. {HOW_TO_GET_A_KEY}"
        header = challenge(call.scope["scheme"], call.header(b"host"), refused=None if is_missing else reason)
        return _refused(
            call, status, said, (b"www-authenticate", header.encode("latin-1", "replace")), data=problem.details
        )
    kept = [(name.encode(), problem.headers[name].encode()) for name in ("retry-after",) if name in problem.headers]
    return _refused(call, status, str(problem), *kept, data=problem.details)


def _refused(
    call: Call, status: HTTPStatus, said: str, *headers: tuple[bytes, bytes], data: Mapping[str, Any] | None = None
) -> CompleteResponse:
    """A refusal as a JSON-RPC error, which clients show, with the same meaning as the HTTP status."""
    code = INVALID_REQUEST if status < HTTPStatus.INTERNAL_SERVER_ERROR else INTERNAL_ERROR
    error = {"code": code, "message": said, "data": {**(data or {"title": status.phrase, "status": int(status)})}}
    request_id = call.message.get("id")
    content = json.dumps(
        {"jsonrpc": "2.0", "id": request_id if isinstance(request_id, str | int) else None, "error": error}
    ).encode()
    return CompleteResponse(
        int(status),
        [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(content)).encode()),
            (b"x-content-type-options", b"nosniff"),
            *headers,
        ],
        content,
    )
