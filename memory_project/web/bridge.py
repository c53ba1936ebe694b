"""From ASGI to WSGI: each request runs in a thread of a pool, after it has been read completely."""

import asyncio
import logging
import re
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, aclosing
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_to_bytes

from governance.http.waiting import CAN_WAIT
from memory_project.web import refusals, request_bodies, response_streams
from memory_project.web.refusals import Refused
from memory_project.web.request_bodies import Body, BodyRefused, Disconnected, Limits, Receive
from memory_project.web.response_streams import CompleteResponse, Headers, Send, StreamedResponse
from memory_project.web.tenant_limits import Turns

Scope = Mapping[str, Any]
Environ = dict[str, Any]
WSGIApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

logger = logging.getLogger("suture.web")

#: Seconds between two attempts of a waiting request: few at first, because many decisions are made soon.
MIN_PAUSE, MAX_PAUSE = 0.2, 1.0
#: Maximum seconds that any request waits.
MAX_WAIT = 60.0
#: How many requests of one worker may wait at once, and how many of them are retried per second: the more requests
#: wait, the longer each pauses. Additional ones are answered at once.
MAX_WAITING, TRIES_PER_SECOND = 100, 20

#: Seconds without an event after which a stream sends a sign of life.
ALIVE = 15.0
_EVENT_ID = re.compile(rb"^id: (.*)$", re.MULTILINE)

#: Headers that WSGI passes under another name, or that describe the transfer of the body, which is already complete.
_NOT_PASSED_ON = frozenset({b"content-type", b"content-length", b"transfer-encoding"})


class Bridge:
    """An ASGI application that runs a WSGI application in `threads` threads. `tenant_of` returns the tenant of an
    Authorization header, None if unknown. A request waits at most `patience` seconds for a thread."""

    def __init__(
        self,
        wsgi: WSGIApplication,
        *,
        threads: int,
        limits: Limits,
        tenant_of: Callable[[bytes], Hashable | None] = lambda _: None,
        patience: float = 10.0,
    ) -> None:
        self._wsgi = wsgi
        self._limits = limits
        self._tenant_of = tenant_of
        self._count = threads
        self._turns = Turns(threads, patience=patience)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._waiting = 0
        self._stopping = asyncio.Event()

    def in_each_thread(self, work: Callable[[], None]) -> None:
        """Call `work` once in each thread, before the first request. Returns when all calls have finished."""
        together = threading.Barrier(self._count)

        def one() -> None:
            together.wait()  # so that none takes two
            work()

        for done in [self._threads.submit(one) for _ in range(self._count)]:
            done.result()

    def end_waiting(self) -> None:
        """Answer waiting requests now, and end streams of events: the process stops."""
        self._stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers = joined(scope["headers"])
        limit = self._limits.of(scope["path"], headers)
        try:
            body = await request_bodies.read(receive, limit=limit, announced=announced_length(scope, headers))
        except BodyRefused as refused:
            await refuse(refused, scope["path"], send)
            return
        except Disconnected:
            return
        environ = _environ(scope, headers, body)
        tenant = self._tenant(scope, headers)
        try:
            answer = await self._answer({**environ, CAN_WAIT: self._waiting < MAX_WAITING}, tenant)
            if isinstance(answer, CompleteResponse) and answer.wait_seconds is not None:
                if answer.is_event_stream:
                    async with aclosing(self._events(environ, tenant, receive, answer)) as later:
                        await response_streams.send_events(answer, later, send)
                    return
                answer = await self._last_answer(environ, tenant, receive, answer.wait_seconds)
        except Disconnected:
            body.file.close()
            return
        except Refused as refused:
            body.file.close()
            await refusals.refuse(refused, scope["path"], send)
            return
        if isinstance(answer, StreamedResponse):
            await answer.send(send)
        else:
            await response_streams.send_whole(answer, send)

    def _tenant(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Hashable:
        """Whose turn a request takes: that of the tenant of its key; of a key that is new to this process, a session or
        an address its own."""
        shown = headers.get(b"authorization", b"")
        return self._tenant_of(shown) or shown or headers.get(b"cookie") or (scope.get("client") or ("",))[0]

    async def _answer(self, environ: Environ, tenant: Hashable) -> CompleteResponse | StreamedResponse:
        """Run the WSGI application in a thread and return its response. Raises Refused."""
        loop = asyncio.get_running_loop()
        turn = await self._turns.take(tenant)
        whole: asyncio.Future[CompleteResponse | StreamedResponse] = loop.create_future()
        self._threads.submit(self._run, environ, loop, whole, turn)
        return await whole

    async def _last_answer(
        self, environ: Environ, tenant: Hashable, receive: Receive, seconds: float
    ) -> CompleteResponse | StreamedResponse:
        """Retry the request until it need not wait any longer, or until `seconds` have passed; hold no thread in
        between. Raises Disconnected if the client disconnects, and Refused."""
        async with aclosing(self._tries(receive, seconds)) as tries:
            async for is_last in tries:
                answer = await self._again(environ, tenant, is_last=is_last)
                if isinstance(answer, StreamedResponse) or answer.wait_seconds is None:
                    break
        return answer

    async def _events(
        self, environ: Environ, tenant: Hashable, receive: Receive, answer: CompleteResponse
    ) -> AsyncGenerator[CompleteResponse | None]:
        """Repeat a request for events, each time from the last event of the answer before. None is a sign of life.
        Raises Disconnected."""
        clock = asyncio.get_running_loop().time
        said = clock()
        async with aclosing(self._tries(receive, answer.wait_seconds or 0)) as tries:
            async for is_last in tries:
                environ = _continued(environ, answer.body)
                try:
                    found = await self._again(environ, tenant, is_last=is_last)
                except Refused:
                    continue  # the next try has the events of this one
                if isinstance(found, StreamedResponse):
                    raise TypeError("a response with events must be complete")
                answer = found
                if answer.body or clock() - said >= ALIVE:
                    said = clock()
                    yield answer if answer.body else None

    async def _again(self, environ: Environ, tenant: Hashable, *, is_last: bool) -> CompleteResponse | StreamedResponse:
        environ["wsgi.input"].seek(0)
        return await self._answer({**environ, CAN_WAIT: not is_last}, tenant)

    async def _tries(self, receive: Receive, seconds: float) -> AsyncGenerator[bool]:
        """Wait before each try, and yield whether it is the last: `seconds` have nearly passed. Raises Disconnected."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + min(seconds, MAX_WAIT)
        gone = asyncio.ensure_future(_disconnected(receive))
        stopping = asyncio.ensure_future(self._stopping.wait())
        pause = MIN_PAUSE
        is_last = False
        self._waiting += 1
        try:
            while not is_last:
                left = deadline - loop.time()
                both = [gone, stopping]
                await asyncio.wait(both, timeout=max(0, min(pause, left)), return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    raise Disconnected
                is_last = left <= pause or stopping.done()
                yield is_last
                pause = max(min(2 * pause, MAX_PAUSE), self._waiting / TRIES_PER_SECOND)
        finally:
            self._waiting -= 1
            gone.cancel()
            stopping.cancel()

    def _run(
        self,
        environ: Environ,
        loop: asyncio.AbstractEventLoop,
        whole: "asyncio.Future[CompleteResponse | StreamedResponse]",
        turn: ExitStack,
    ) -> None:
        """Run the WSGI application in this thread, then release the thread."""
        try:
            self._run_wsgi(environ, loop, whole)
        finally:
            loop.call_soon_threadsafe(turn.close)

    def _run_wsgi(
        self,
        environ: Environ,
        loop: asyncio.AbstractEventLoop,
        whole: "asyncio.Future[CompleteResponse | StreamedResponse]",
    ) -> None:
        """Set `whole` to a complete response or to a stream, which this thread then fills. Closes the body unless a
        retry needs it."""
        head = [(500, [(b"content-length", b"0")])]

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
            head[0] = int(status[:3]), _encoded(headers)

        result: Iterable[bytes] = ()
        content = b""
        try:
            result = self._wsgi(environ, start_response)
            if getattr(result, "streaming", True):
                answer = StreamedResponse(loop, *head[0])
                _hand_over(loop, whole, answer)
                answer.fill(result)
                return
            content = b"".join(result)
        except Exception:
            # Django handles and logs its own errors; this is an error of the server.
            logger.exception("a request failed without a response")
        finally:
            if hasattr(result, "close"):
                result.close()
            found = CompleteResponse(*head[0], content)
            if found.wait_seconds is None:
                environ["wsgi.input"].close()
        _hand_over(loop, whole, found)


def _continued(environ: Environ, events: bytes) -> Environ:
    """The request for the events after these."""
    ids = _EVENT_ID.findall(events)
    return {**environ, "HTTP_LAST_EVENT_ID": ids[-1].decode("latin-1")} if ids else environ


def _hand_over(
    loop: asyncio.AbstractEventLoop,
    whole: "asyncio.Future[CompleteResponse | StreamedResponse]",
    answer: CompleteResponse | StreamedResponse,
) -> None:
    loop.call_soon_threadsafe(lambda: None if whole.cancelled() else whole.set_result(answer))


async def _disconnected(receive: Receive) -> None:
    """Return when the client disconnects; expects a request whose body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Join repeated headers. Omits names with an underscore: in the environment they would look like other headers."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if b"_" in name:
            continue
        separator = b"; " if name == b"cookie" else b","
        found[name] = found[name] + separator + value if name in found else value
    return found


def announced_length(scope: Scope, headers: Mapping[bytes, bytes]) -> int | None:
    """The announced length of the body; None if it is unknown: chunked, or another version of HTTP."""
    length = headers.get(b"content-length", b"")
    if b"transfer-encoding" in headers:
        return None
    if length.isdigit():
        return int(length)
    return 0 if scope["http_version"].startswith("1") else None


def _environ(scope: Scope, headers: Mapping[bytes, bytes], body: Body) -> Environ:
    raw_path = scope.get("raw_path") or scope["path"].encode()
    server, client = scope.get("server") or ("", None), scope.get("client") or ("", None)
    return {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(raw_path.partition(b"?")[0]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or ""),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "CONTENT_TYPE": headers.get(b"content-type", b"").decode("latin-1"),
        "CONTENT_LENGTH": str(body.length),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body.file,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        **{
            "HTTP_" + name.decode("latin-1").upper().replace("-", "_"): value.decode("latin-1")
            for name, value in headers.items()
            if name not in _NOT_PASSED_ON
        },
    }


def _encoded(headers: Iterable[tuple[str, str]]) -> Headers:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]


async def refuse(refused: BodyRefused, path: str, send: Send) -> None:
    """Answer without reading the rest of the body, and close the connection."""
    content = refused.content(path)
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
    ]
    if refused.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append((b"retry-after", b"5"))
    await send({"type": "http.response.start", "status": int(refused.status), "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": False})
