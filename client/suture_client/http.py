"""Client for the REST API of one server, with one key."""

import json
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from suture_client import __version__, credentials, versions
from suture_client.errors import Away, NotSuture, Problem, UnsupportedVersion

SESSION_HEADER = "X-Session-Id"

#: Timeout of a request in seconds. A state may have 64 MiB.
TIMEOUT = 60.0
_JSON = {"Content-Type": "application/json"}


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
        server asks for it. A POST then has an idempotency key, so that it is executed once.

        `transport` is for tests: it replaces the server. Raises Failed if there is no key, or the key or URL is
        invalid.
        """
        self.url = credentials.address(url)
        key = credentials.key() if key is None else key and credentials.checked_key(key, "The key")
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
        return self._answer("GET", path, parameters)

    def send(self, method: str, *path: str, body: str | bytes = "{}", **parameters: Any) -> dict[str, Any]:
        """Send a JSON body and return the answer. Raises as `get`."""
        return self._answer(method, path, parameters, content=body, headers=_JSON)

    def delete(self, *path: str, **parameters: Any) -> dict[str, Any]:
        """Send a DELETE and return the answer. Raises as `get`."""
        return self._answer("DELETE", path, parameters)

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

    def _answer(
        self,
        method: str,
        path: tuple[str, ...],
        parameters: Mapping[str, Any],
        headers: Mapping[str, str] = {},
        **request: Any,
    ) -> dict[str, Any]:
        once = {"Idempotency-Key": str(uuid.uuid4())} if self._pauses and method == "POST" else {}
        given = _given(parameters)
        response = self.request(method, f"/api/v1/{_route(path)}", params=given, headers={**headers, **once}, **request)
        return _content(response, self.url)

    def _request_with_retries(self, client: httpx.Client, method: str, url: str, **request: Any) -> httpx.Response:
        """Send a request, with retries if necessary."""
        may_fail = True
        for tries, pause in enumerate((*self._pauses, None), 1):
            try:
                response = client.request(method, url, **request)
            except (httpx.TransportError, httpx.DecodingError) as error:
                if pause is None:
                    raise _unreachable(error, client, tries) from None
                time.sleep(pause)
                continue
            _check_version(response, self.url)
            problem = Problem(response.status_code, {}, response.headers)
            is_failure = response.status_code == httpx.codes.INTERNAL_SERVER_ERROR
            if pause is None or not (problem.is_temporary or (is_failure and may_fail)):
                return response
            may_fail = not is_failure
            time.sleep(max(pause, problem.retry_after))
        raise AssertionError("the last try ends the loop")

    def _new_client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=self._headers, timeout=self._timeout, transport=self._transport)


class AsyncApi:
    """The REST API for asyncio, without retries."""

    def __init__(self, client: httpx.AsyncClient, headers: Mapping[str, str], session: bytes | None = None) -> None:
        """`headers` identify the caller. `session` is the session of the requests, in UTF-8."""
        self._client = client
        self.headers = headers
        self._session = [] if session is None else [(SESSION_HEADER.encode(), session)]

    async def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """Send GET /api/v1/`path` and return the answer. Raises Problem, Away, UnsupportedVersion."""
        return await self._answer("GET", path, params=parameters)

    async def post(self, path: str, body: Any, **headers: str) -> dict[str, Any]:
        """Send POST /api/v1/`path` and return the answer. Raises as `get`."""
        # Invalid values (NaN, lone surrogates) are sent unchanged, because the API refuses them with their position.
        return await self._answer("POST", path, content=json.dumps(body).encode(), headers={**_JSON, **headers})

    async def ask(self, method: str, *path: str, body: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a request to /api/v1/`path`, with a JSON body if there is one, and return the answer. Path parts may
        contain any character. Parameters that are None are omitted. Raises as `get`."""
        sent: dict[str, Any] = {} if body is None else {"content": body, "headers": _JSON}
        return await self._answer(method, _route(path), params=_given(parameters), **sent)

    async def _answer(self, method: str, path: str, headers: Mapping[str, str] = {}, **request: Any) -> dict[str, Any]:
        own = {versions.HEADER: __version__, **self.headers, **headers}
        try:
            response = await self._client.request(
                method,
                f"/api/v1/{path}",
                headers=[*((name.encode(), value.encode()) for name, value in own.items()), *self._session],
                **request,
            )
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _unreachable(error, self._client) from None
        _check_version(response, str(self._client.base_url))
        return _content(response, str(self._client.base_url))


@asynccontextmanager
async def connected() -> AsyncIterator[AsyncApi]:
    """Connect to the API with the address, key and session from the environment. Raises Failed."""
    headers = {"Authorization": f"Bearer {credentials.key()}"}
    async with httpx.AsyncClient(base_url=credentials.address(), timeout=TIMEOUT) as client:
        yield AsyncApi(client, headers, credentials.session())


def _route(path: Sequence[str]) -> str:
    return "/".join(quote(part, safe="") for part in path)


def _given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


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
        problem = Problem(response.status_code, details, response.headers)
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
    problem = Problem(response.status_code, content or {}, response.headers)
    # A proxy in front of the server may refuse requests in another format.
    if content is None and not (problem.is_temporary or response.is_server_error):
        raise NotSuture(
            f"The server at {url} is not Suture (status {response.status_code}). "
            f"Set {credentials.URL_VARIABLE} to the address of the server, without a path."
        )
    raise problem


def _object(response: httpx.Response) -> dict[str, Any] | None:
    """Parse a response as a JSON object; None if it is not one."""
    try:
        content = response.json()
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
