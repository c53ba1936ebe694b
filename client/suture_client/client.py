"""A small client of the REST API: for the `suture` commands and for the MCP server."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from suture_client.hooks import settings

URL_VARIABLE, KEY_VARIABLES = settings.URL_VARIABLE, settings.KEY_VARIABLES
DEFAULT_URL = settings.DEFAULT_URL

#: In which session a request is made: the uses of memory are counted by it.
SESSION_HEADER, SESSION_VARIABLE = "X-Session-Id", "SUTURE_SESSION_ID"

#: Seconds that one request may take.
TIMEOUT = 60.0

HOW_TO_GET_A_KEY = (
    "An admin of your tenant issues keys in the admin site or with `manage.py provision`; the first ones are shown by "
    "`make credentials`."
)


class Failed(Exception):  # noqa: N818 (the message is for people and models, not for a log)
    """A request was not done; the message says why, and what to do."""


class MissingKey(Failed):
    """The environment has no key."""

    def __init__(self) -> None:
        first, second = KEY_VARIABLES
        super().__init__(f"No key is set: set {first} (or {second}) to your API key. {HOW_TO_GET_A_KEY}")


class Away(Failed):
    """No Suture server answers there."""


class Problem(Failed):
    """The server refused a request, as problem details (RFC 9457)."""

    def __init__(self, status: int, details: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status, self.details, self.headers = status, dict(details), headers
        super().__init__(self._text())

    def _text(self) -> str:
        """Title, detail, and the place and cause of each error, one a line."""
        title = self.details.get("title") or f"HTTP status {self.status}"
        lines = [f"{title}: {self.details.get('detail', '')}".rstrip(": ")]
        for error in self.details.get("errors", []):
            place = error.get("pointer") or error.get("parameter")
            lines.append(f"- {place}: {error.get('detail')}" if place else f"- {error.get('detail')}")
        if self.status == httpx.codes.UNAUTHORIZED:
            lines.append(HOW_TO_GET_A_KEY)
        return "\n".join(lines)


class Rest:
    """The REST API of one server, for the owner of one key."""

    def __init__(self, client: httpx.AsyncClient, headers: Mapping[str, str], session_id: bytes | None = None) -> None:
        """`headers` say who asks, `session_id` in which session, in UTF-8."""
        self._client = client
        self.headers = headers
        self._session = [] if session_id is None else [(SESSION_HEADER.encode(), session_id)]

    async def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """The answer to GET /api/v1/`path`. Raises Problem, Away."""
        return await self._answer("GET", path, params=parameters)

    async def post(self, path: str, body: Any, **headers: str) -> dict[str, Any]:
        """The answer to POST /api/v1/`path`. Raises Problem, Away."""
        # What JSON has no form for (NaN, half a surrogate pair) goes as it came: the API refuses it, with its place.
        return await self._answer(
            "POST", path, content=json.dumps(body).encode(), headers={"Content-Type": "application/json", **headers}
        )

    async def _answer(self, method: str, path: str, headers: Mapping[str, str] = {}, **request: Any) -> dict[str, Any]:
        try:
            response = await self._client.request(
                method,
                f"/api/v1/{path}",
                headers=[
                    *((name.encode(), value.encode()) for name, value in {**self.headers, **headers}.items()),
                    *self._session,
                ],
                **request,
            )
        except httpx.TransportError as error:
            raise away(error, self._client) from None
        return answer_in(response, self._client)


def away(error: httpx.TransportError, client: httpx.Client | httpx.AsyncClient) -> Away:
    """What to tell of a request of `client` that got no answer."""
    if isinstance(error, httpx.TimeoutException):
        return Away(f"Suture did not answer within {client.timeout.read or 0:.0f} s at {client.base_url}.")
    return Away(
        f"Suture cannot be reached at {client.base_url} ({error}). Start it with `make up`, or set {URL_VARIABLE} to "
        "where it runs."
    )


def answer_in(response: httpx.Response, client: httpx.Client | httpx.AsyncClient) -> dict[str, Any]:
    """The object that was answered to a request of `client`. Raises Problem, and Away where it is not Suture's API."""
    content = _object(response)
    if response.is_success and content is not None:
        return content
    if content is None:
        raise Away(
            f"What answers at {client.base_url} is not Suture's API (status {response.status_code}). "
            f"Set {URL_VARIABLE} to the address of the server, without a path."
        )
    raise Problem(response.status_code, content, response.headers)


def _object(response: httpx.Response) -> dict[str, Any] | None:
    """The JSON object that was answered; None if it is none."""
    try:
        content = response.json()
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def address(given: str | None = None) -> str:
    """The server's address: the given one, else from the environment, else from the client's configuration. Raises
    Failed if it is none."""
    source = "The address" if given else URL_VARIABLE
    given = given or settings.read().url
    try:
        url = httpx.URL(given)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in {"http", "https"} or not url.host:
        raise Failed(f"{source} must be like {DEFAULT_URL}, not {given!r}.")
    return given.rstrip("/")


def key() -> str:
    """The key, from the environment, else from the client's configuration, which `suture install-hooks` writes. Raises
    MissingKey, and Failed for one that no header can carry."""
    for variable in KEY_VARIABLES:
        if found := os.environ.get(variable, "").strip():
            return checked_key(found, variable)
    configured = settings.read()
    if configured.key:
        return configured.key
    if configured.problem:
        raise Failed(configured.problem)
    raise MissingKey


def checked_key(found: str, source: str) -> str:
    """The key that was found there. Raises Failed for one that no header can carry."""
    # A client that does not replace references passes them on as they stand in its file.
    if not found.isascii() or not found.isprintable() or " " in found or found.startswith("$"):
        raise Failed(f"{source} is not an API key. A key looks like sut_1a2b3c4d_… {HOW_TO_GET_A_KEY}")
    return found


def session() -> bytes | None:
    """The session that the environment names; None without one. Raises Failed for one that no header can carry."""
    found = os.environ.get(SESSION_VARIABLE, "").strip()
    if not found.isprintable():
        raise Failed(f"{SESSION_VARIABLE} is not the name of a session: it contains a control character.")
    return found.encode() or None


@asynccontextmanager
async def connected() -> AsyncIterator[Rest]:
    """The API of the server and for the key and the session that the environment names. Raises Failed."""
    headers = {"Authorization": f"Bearer {key()}"}
    async with httpx.AsyncClient(base_url=address(), timeout=TIMEOUT) as client:
        yield Rest(client, headers, session())
