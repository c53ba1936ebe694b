"""Client for the REST API of one server, with one key."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from suture_client import __version__, credentials, versions
from suture_client.errors import Away, NotSuture, UnsupportedVersion, problem_of

SESSION_HEADER = "X-Session-Id"

#: Timeout of a request in seconds. A state may have 64 MiB.
TIMEOUT = 60.0
_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Call:
    """A request to the API: its path below /api/v1 in parts, which may contain any character; the parameters that are
    not None; and a JSON value as its body, or one that is encoded already."""

    method: str
    path: tuple[str, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    encoded: str | bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether a POST only reads: it needs no idempotency key, which would make the server write.
    only_reads: bool = False

    @property
    def url(self) -> str:
        """The path of the URL."""
        return f"/api/v1/{'/'.join(quote(part, safe='') for part in self.path)}"

    def arguments(self) -> dict[str, Any]:
        """The arguments of httpx's `request`, but the headers."""
        given = {name: value for name, value in self.parameters.items() if value is not None}
        if self.encoded is not None:
            return {"params": given, "content": self.encoded}
        if self.body is None:
            return {"params": given}
        # Invalid values (NaN, lone surrogates) are sent unchanged, because the API refuses them with their position.
        return {"params": given, "content": json.dumps(self.body).encode()}

    def all_headers(self, **more: str) -> list[tuple[bytes, bytes]]:
        """Its headers and `more`, in UTF-8."""
        form = {} if self.body is None and self.encoded is None else _JSON
        return [(name.encode(), value.encode()) for name, value in {**more, **form, **self.headers}.items()]


class Attempts:
    """Decides after each attempt of a request whether to repeat it. It sends nothing and does not wait itself."""

    def __init__(self, url: str, pauses: Sequence[float]) -> None:
        self._url = url
        self._pauses = iter(pauses)
        self._number = 0
        self._may_fail = True

    def after_error(self, error: httpx.RequestError, client: httpx.Client | httpx.AsyncClient) -> float:
        """Return the seconds to wait after an attempt without an answer. Raises Away after the last one."""
        self._number += 1
        pause = next(self._pauses, None)
        if pause is None:
            raise _unreachable(error, client, self._number) from None
        return pause

    def after(self, response: httpx.Response) -> float | None:
        """Return the seconds to wait before the next attempt; None if this answer is final. Raises
        UnsupportedVersion."""
        self._number += 1
        pause = next(self._pauses, None)
        _check_version(response, self._url)
        if response.is_success:
            return None
        problem = problem_of(response.status_code, {}, response.headers)
        is_failure = response.status_code == httpx.codes.INTERNAL_SERVER_ERROR
        if pause is None or not (problem.is_temporary or (is_failure and self._may_fail)):
            return None
        self._may_fail = not is_failure
        return max(pause, problem.retry_after)


class Api:
    """The REST API of one server. It is thread-safe.

    In a `with` block, or until `close()`, requests share connections.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        session: bytes | None = None,
        timeout: float | httpx.Timeout = TIMEOUT,
        pauses: Sequence[float] = (),
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`url` and `key` default to the environment's and the configuration's (SUTURE_URL, SUTURE_KEY, config.toml);
        an empty key sends none. `session` is the session in which the requests are made, `timeout` is in seconds.

        `pauses`: seconds before each retry of a request that got no answer or a temporary refusal, or longer if the
        server asks for it. A change then has an idempotency key, so that it is made once.

        `transport` is for tests: it replaces the server. Raises Failed if there is no key, or the key or URL is
        invalid.
        """
        self.url = credentials.address(url)
        key = credentials.given_key(key)
        self._headers = [(versions.HEADER.encode(), __version__.encode())]
        if key:
            self._headers.append((b"Authorization", f"Bearer {key}".encode()))
        if session is not None:
            self._headers.append((SESSION_HEADER.encode(), session))
        self._timeout, self._pauses, self._transport = timeout, pauses, transport
        self._client: httpx.Client | None = None

    def __enter__(self) -> Self:
        self._client = self._client or self._new_client()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. Later requests open and close their own."""
        opened, self._client = self._client, None
        if opened is not None:
            opened.close()

    def get(self, *path: str, **parameters: Any) -> dict[str, Any]:
        """Send GET /api/v1/`path` and return the answer. Path parts may contain any character. Parameters that are None
        are omitted. Raises Problem, Away, UnsupportedVersion."""
        return self.perform(Call("GET", path, parameters))

    def send(self, method: str, *path: str, body: str | bytes = "{}", **parameters: Any) -> dict[str, Any]:
        """Send a JSON body and return the answer. Raises as `get`."""
        return self.perform(Call(method, path, parameters, encoded=body))

    def delete(self, *path: str, **parameters: Any) -> dict[str, Any]:
        """Send a DELETE and return the answer. Raises as `get`."""
        return self.perform(Call("DELETE", path, parameters))

    def perform(self, call: Call) -> dict[str, Any]:
        """Send a call and return the answer. Raises as `get`."""
        headers = call.all_headers(**_once(call, self._pauses))
        return _content(self.request(call.method, call.url, **call.arguments(), headers=headers), self.url)

    @contextmanager
    def lines(self, call: Call) -> Iterator[Iterator[str]]:
        """Open a streamed answer, and give its lines as they come. Raises as `get`; the lines raise Away."""
        with ExitStack() as stack:
            client = self._client or stack.enter_context(self._new_client())

            def read() -> Iterator[str]:
                try:
                    yield from response.iter_lines()
                except (httpx.TransportError, httpx.DecodingError) as error:
                    raise _unreachable(error, client) from None

            try:
                response = stack.enter_context(
                    client.stream(call.method, call.url, **call.arguments(), headers=call.all_headers())
                )
                if not response.is_success:
                    response.read()
            except (httpx.TransportError, httpx.DecodingError) as error:
                raise _unreachable(error, client) from None
            _require_stream(response, self.url)
            yield read()

    @asynccontextmanager
    async def in_asyncio(self) -> AsyncIterator["AsyncApi"]:
        """The same server for asyncio, with connections of the running loop, and without retries."""
        async with httpx.AsyncClient(base_url=self.url, headers=self._headers, timeout=self._timeout) as client:
            yield AsyncApi(client, {})

    def request(self, method: str, url: str, **request: Any) -> httpx.Response:
        """Send a request to `url`, without /api/v1, and return the response with any status. Raises Away,
        UnsupportedVersion, and Problem for an unsupported client."""
        opened = self._client
        if opened is None:
            with self._new_client() as once:
                return self._request_with_retries(once, method, url, **request)
        return self._request_with_retries(opened, method, url, **request)

    def _request_with_retries(self, client: httpx.Client, method: str, url: str, **request: Any) -> httpx.Response:
        """Send a request, with retries if necessary."""
        attempts = Attempts(self.url, self._pauses)
        while True:
            try:
                response = client.request(method, url, **request)
            except (httpx.TransportError, httpx.DecodingError) as error:
                pause: float | None = attempts.after_error(error, client)
            else:
                pause = attempts.after(response)
                if pause is None:
                    return response
            time.sleep(pause or 0)

    def _new_client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=self._headers, timeout=self._timeout, transport=self._transport)


class AsyncApi:
    """The REST API for asyncio."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        headers: Mapping[str, str],
        session: bytes | None = None,
        *,
        pauses: Sequence[float] = (),
    ) -> None:
        """`headers` identify the caller. `session` is the session of the requests, in UTF-8. `pauses` as in `Api`."""
        self._client = client
        self.headers = headers
        self._session = [] if session is None else [(SESSION_HEADER.encode(), session)]
        self._pauses = pauses

    @classmethod
    def opened(
        cls,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float | httpx.Timeout = TIMEOUT,
        pauses: Sequence[float] = (),
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> Self:
        """Open an API with connections of its own. The arguments are those of `Api`."""
        key = credentials.given_key(key)
        client = httpx.AsyncClient(base_url=credentials.address(url), timeout=timeout, transport=transport)
        return cls(client, {"Authorization": f"Bearer {key}"} if key else {}, pauses=pauses)

    async def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """Send GET /api/v1/`path` and return the answer. Raises Problem, Away, UnsupportedVersion."""
        return await self.perform(Call("GET", tuple(path.split("/")), parameters))

    async def post(self, path: str, body: Any, **headers: str) -> dict[str, Any]:
        """Send POST /api/v1/`path` and return the answer. Raises as `get`."""
        return await self.perform(Call("POST", tuple(path.split("/")), body=body, headers=headers))

    async def ask(self, method: str, *path: str, body: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a request to /api/v1/`path`, with a JSON body if there is one, and return the answer. Path parts may
        contain any character. Parameters that are None are omitted. Raises as `get`."""
        return await self.perform(Call(method, path, parameters, encoded=body))

    async def perform(self, call: Call) -> dict[str, Any]:
        """Send a call and return the answer. Raises as `get`."""
        arguments = call.arguments()
        headers = self._headers_of(call, **_once(call, self._pauses))
        attempts = Attempts(str(self._client.base_url), self._pauses)
        while True:
            try:
                response = await self._client.request(call.method, call.url, headers=headers, **arguments)
            except (httpx.TransportError, httpx.DecodingError) as error:
                pause: float | None = attempts.after_error(error, self._client)
            else:
                pause = attempts.after(response)
                if pause is None:
                    return _content(response, str(self._client.base_url))
            await asyncio.sleep(pause or 0)

    @asynccontextmanager
    async def lines(self, call: Call) -> AsyncIterator[AsyncIterator[str]]:
        """Open a streamed answer, and give its lines as they come. Raises as `get`; the lines raise Away."""

        async def read() -> AsyncIterator[str]:
            try:
                async for line in response.aiter_lines():
                    yield line
            except (httpx.TransportError, httpx.DecodingError) as error:
                raise _unreachable(error, self._client) from None

        async with AsyncExitStack() as stack:
            try:
                response = await stack.enter_async_context(
                    self._client.stream(call.method, call.url, **call.arguments(), headers=self._headers_of(call))
                )
                if not response.is_success:
                    await response.aread()
            except (httpx.TransportError, httpx.DecodingError) as error:
                raise _unreachable(error, self._client) from None
            _require_stream(response, str(self._client.base_url))
            yield read()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _headers_of(self, call: Call, **more: str) -> list[tuple[bytes, bytes]]:
        own = {versions.HEADER: __version__, **self.headers, **more}
        return [*call.all_headers(**own), *self._session]


@asynccontextmanager
async def connected() -> AsyncIterator[AsyncApi]:
    """Connect to the API with the address, key and session from the environment. Raises Failed."""
    headers = {"Authorization": f"Bearer {credentials.key()}"}
    async with httpx.AsyncClient(base_url=credentials.address(), timeout=TIMEOUT) as client:
        yield AsyncApi(client, headers, credentials.session())


def _once(call: Call, pauses: Sequence[float]) -> dict[str, str]:
    """The key by which the server makes a change once, however often it is sent."""
    is_change = call.method != "GET" and not call.only_reads
    return {"Idempotency-Key": str(uuid.uuid4())} if pauses and is_change else {}


def _unreachable(error: httpx.RequestError, client: httpx.Client | httpx.AsyncClient, tries: int = 1) -> Away:
    """Convert an error of a request without an answer."""
    after = f", after {tries} tries" if tries > 1 else ""
    if isinstance(error, httpx.TimeoutException):
        return Away(f"Suture did not answer within {client.timeout.read or 0:.0f} s at {client.base_url}{after}.")
    return Away(
        f"Suture cannot be reached at {client.base_url} ({error or type(error).__name__}){after}. Start it with "
        f"`make up`, or set {credentials.URL_VARIABLE} to its address."
    )


def _check_version(response: httpx.Response, url: str) -> None:
    """Raise UnsupportedVersion if client and server do not support each other."""
    server = response.headers.get(versions.HEADER)
    if server is None:
        return
    if response.status_code == httpx.codes.BAD_REQUEST and (details := _object(response)):
        problem = problem_of(response.status_code, details, response.headers)
        if problem.code == "unsupported-client-version":
            raise UnsupportedVersion(str(problem.details.get("detail")))
    try:
        side = versions.SERVERS.side(server)
    except ValueError:
        return  # not Suture's header
    if side:
        what = "Upgrade the server." if side < 0 else "Upgrade the client: pip install --upgrade suture-client"
        raise UnsupportedVersion(
            f"The server at {url} has version {server}. This client, {__version__}, supports servers of version "
            f"{versions.SERVERS}. {what}"
        )


def _content(response: httpx.Response, url: str) -> dict[str, Any]:
    """Return the JSON object of a response. Raises Problem, and NotSuture if it is not Suture's API."""
    content = _object(response)
    if response.is_success and content is not None:
        return content
    problem = problem_of(response.status_code, content or {}, response.headers)
    # A proxy in front of the server may refuse requests in another format.
    if content is None and not (problem.is_temporary or response.is_server_error):
        raise NotSuture(
            f"The server at {url} is not Suture (status {response.status_code}). "
            f"Set {credentials.URL_VARIABLE} to the address of the server, without a path."
        )
    raise problem


def _require_stream(response: httpx.Response, url: str) -> None:
    """Raise as `_content` and `_check_version`, for an answer that is streamed if it is a success."""
    if response.is_success:
        if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
            raise NotSuture(f"The server at {url} is not Suture: it sent no events.")
        return
    _check_version(response, url)
    _content(response, url)


def _object(response: httpx.Response) -> dict[str, Any] | None:
    """Parse a response as a JSON object; None if it is not one."""
    try:
        content = response.json()
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
