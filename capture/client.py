"""A small client of the REST API: for the `suture` commands and for the MCP server."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

URL_VARIABLE = "SUTURE_URL"
KEY_VARIABLES = ("SUTURE_KEY", "SUTURE_API_KEY")
DEFAULT_URL = "http://127.0.0.1:8000"

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

    def __init__(self, client: httpx.AsyncClient, headers: Mapping[str, str]) -> None:
        self._client = client
        self.headers = headers

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
                method, f"/api/v1/{path}", headers={**self.headers, **headers}, **request
            )
        except httpx.TimeoutException:
            raise Away(f"Suture did not answer within {TIMEOUT:.0f} s at {self._client.base_url}.") from None
        except httpx.TransportError as error:
            raise Away(
                f"Suture cannot be reached at {self._client.base_url} ({error}). Start it with `make up`, or set "
                f"{URL_VARIABLE} to where it runs."
            ) from None
        content = _object(response)
        if response.is_success and content is not None:
            return content
        if content is None:
            raise Away(
                f"What answers at {self._client.base_url} is not Suture's API (status {response.status_code}). "
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
    """The server's address: the given one, else from the environment. Raises Failed if it is none."""
    source = "The address" if given else URL_VARIABLE
    given = given or os.environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL
    try:
        url = httpx.URL(given)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in {"http", "https"} or not url.host:
        raise Failed(f"{source} must be like {DEFAULT_URL}, not {given!r}.")
    return given.rstrip("/")


def key() -> str:
    """The key, from the environment. Raises MissingKey, and Failed for one that no header can carry."""
    for variable in KEY_VARIABLES:
        if found := os.environ.get(variable, "").strip():
            # A client that does not replace references passes them on as they stand in its file.
            if not found.isascii() or not found.isprintable() or found.startswith("$"):
                raise Failed(f"{variable} is not an API key. A key looks like sut_1a2b3c4d_… {HOW_TO_GET_A_KEY}")
            return found
    raise MissingKey


@asynccontextmanager
async def connected() -> AsyncIterator[Rest]:
    """The API of the server and for the key that the environment names. Raises Failed."""
    headers = {"Authorization": f"Bearer {key()}"}
    async with httpx.AsyncClient(base_url=address(), timeout=TIMEOUT) as client:
        yield Rest(client, headers)
