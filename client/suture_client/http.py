"""Requests to the REST API of one server, for the owner of one key."""

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

#: Seconds that one request may take: a state may have 64 MiB.
TIMEOUT = 60.0


class Api:
    """The REST API of one server. It may be used by several threads.

    In a `with` block, or until `close()`, the requests share their connections.
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

        `pauses`: a request without an answer, or with a temporary refusal, is sent again after each of these pauses
        (seconds), or after as long as the server asks for. A POST has an idempotency key then, so it is done once.

        `transport` is for tests: what answers in the server's place. Raises Failed, if there is no key or one of them
        cannot be right.
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
        self._client = self._client or self._made()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close what is open. A later request opens, and closes, a connection of its own."""
        opened, self._client = self._client, None
        if opened is not None:
            opened.close()

    def get(self, *path: str, **parameters: Any) -> dict[str, Any]:
        """The answer to GET /api/v1/`path`, whose parts may hold any character; parameters that are None are left out.
        Raises Problem, Away, UnsupportedVersion."""
        return self._answer("GET", path, parameters)

    def send(self, method: str, *path: str, body: str | bytes = "{}", **parameters: Any) -> dict[str, Any]:
        """The answer to a body of JSON. Raises as `get`."""
        return self._answer(method, path, parameters, content=body, headers={"Content-Type": "application/json"})

    def delete(self, *path: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a DELETE. Raises as `get`."""
        return self._answer("DELETE", path, parameters)

    def request(self, method: str, url: str, **request: Any) -> httpx.Response:
        """What the server answers at `url`, without /api/v1, whatever its status is. Raises Away, UnsupportedVersion,
        and Problem for an unsupported client."""
        opened = self._client
        if opened is None:
            with self._made() as once:
                return self._last_answer(once, method, url, **request)
        return self._last_answer(opened, method, url, **request)

    def _answer(
        self,
        method: str,
        path: tuple[str, ...],
        parameters: Mapping[str, Any],
        headers: Mapping[str, str] = {},
        **request: Any,
    ) -> dict[str, Any]:
        given = {name: value for name, value in parameters.items() if value is not None}
        once = {"Idempotency-Key": str(uuid.uuid4())} if self._pauses and method == "POST" else {}
        route = "/".join(quote(part, safe="") for part in path)
        response = self.request(method, f"/api/v1/{route}", params=given, headers={**headers, **once}, **request)
        return _content(response, self.url)

    def _last_answer(self, client: httpx.Client, method: str, url: str, **request: Any) -> httpx.Response:
        """The answer to the first try that needs no other."""
        may_fail = True
        for tries, pause in enumerate((*self._pauses, None), 1):
            try:
                response = client.request(method, url, **request)
            except (httpx.TransportError, httpx.DecodingError) as error:
                if pause is None:
                    raise _away(error, client, tries) from None
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

    def _made(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=self._headers, timeout=self._timeout, transport=self._transport)


class AsyncApi:
    """The same for a program that does several things at once. Each request is tried once."""

    def __init__(self, client: httpx.AsyncClient, headers: Mapping[str, str], session: bytes | None = None) -> None:
        """`headers` say who asks, `session` in which session, in UTF-8."""
        self._client = client
        self.headers = headers
        self._session = [] if session is None else [(SESSION_HEADER.encode(), session)]

    async def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """The answer to GET /api/v1/`path`. Raises Problem, Away, UnsupportedVersion."""
        return await self._answer("GET", path, params=parameters)

    async def post(self, path: str, body: Any, **headers: str) -> dict[str, Any]:
        """The answer to POST /api/v1/`path`. Raises as `get`."""
        # What JSON has no form for (NaN, half a surrogate pair) goes as it came: the API refuses it, with its place.
        return await self._answer(
            "POST", path, content=json.dumps(body).encode(), headers={"Content-Type": "application/json", **headers}
        )

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
            raise _away(error, self._client) from None
        _check_version(response, str(self._client.base_url))
        return _content(response, str(self._client.base_url))


@asynccontextmanager
async def connected() -> AsyncIterator[AsyncApi]:
    """The API of the server and for the key and the session that the environment names. Raises Failed."""
    headers = {"Authorization": f"Bearer {credentials.key()}"}
    async with httpx.AsyncClient(base_url=credentials.address(), timeout=TIMEOUT) as client:
        yield AsyncApi(client, headers, credentials.session())


def _away(error: httpx.RequestError, client: httpx.Client | httpx.AsyncClient, tries: int = 1) -> Away:
    """Why a request of `client` got no answer."""
    after = f", after {tries} tries" if tries > 1 else ""
    if isinstance(error, httpx.TimeoutException):
        return Away(f"Suture did not answer within {client.timeout.read or 0:.0f} s at {client.base_url}{after}.")
    return Away(
        f"Suture cannot be reached at {client.base_url} ({error or type(error).__name__}){after}. Start it with "
        f"`make up`, or set {credentials.URL_VARIABLE} to where it runs."
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
        return  # something else has a header of this name
    if side:
        what = "Upgrade the server." if side < 0 else "Upgrade the client: pip install --upgrade suture-client"
        raise UnsupportedVersion(
            f"The server at {url} has version {server}. This client, {__version__}, supports servers of version "
            f"{versions.SERVERS}. {what}"
        )


def _content(response: httpx.Response, url: str) -> dict[str, Any]:
    """The object that was answered. Raises Problem, and NotSuture where it is not Suture's API."""
    content = _object(response)
    if response.is_success and content is not None:
        return content
    problem = Problem(response.status_code, content or {}, response.headers)
    # What stands before a server refuses in a form of its own.
    if content is None and not (problem.is_temporary or response.is_server_error):
        raise NotSuture(
            f"What answers at {url} is not Suture's API (status {response.status_code}). "
            f"Set {credentials.URL_VARIABLE} to the address of the server, without a path."
        )
    raise problem


def _object(response: httpx.Response) -> dict[str, Any] | None:
    """The JSON object that was answered; None if it is none."""
    try:
        content = response.json()
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
