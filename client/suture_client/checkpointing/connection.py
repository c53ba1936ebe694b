"""Requests to the REST API, one after another: a run waits until its checkpoint is safe."""

from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from suture_client import client

#: Seconds: a state may have 64 MiB.
TIMEOUT = 60.0


class Connection:
    """The API of one server, for the owner of one key. It may be used by several threads.

    In a `with` block, or until `close()`, the requests share their connections.
    """

    def __init__(self, url: str | None = None, key: str | None = None, timeout: float = TIMEOUT) -> None:
        """`url` and `key` default to the environment's and the configuration's (SUTURE_URL, SUTURE_KEY, config.toml);
        `timeout` is in seconds. Raises `Failed`, if there is no key or one of them cannot be right."""
        self._url, self._timeout = client.address(url), timeout
        self._headers = {"Authorization": f"Bearer {client.checked_key(key, 'The key') if key else client.key()}"}
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
        """The answer to a GET; parameters that are None are left out. Raises Problem, Away."""
        return self._answer("GET", path, params=_given(parameters))

    def send(self, method: str, *path: str, body: str = "{}", **parameters: Any) -> dict[str, Any]:
        """The answer to a body of JSON. Raises Problem, Away."""
        json = {"Content-Type": "application/json"}
        return self._answer(method, path, params=_given(parameters), content=body.encode("utf-8"), headers=json)

    def delete(self, *path: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a DELETE. Raises Problem, Away."""
        return self._answer("DELETE", path, params=_given(parameters))

    def _answer(self, method: str, path: tuple[str, ...], **request: Any) -> dict[str, Any]:
        opened = self._client
        if opened is None:
            with self._made() as once:
                return _answer(once, method, path, request)
        return _answer(opened, method, path, request)

    def _made(self) -> httpx.Client:
        return httpx.Client(base_url=self._url, headers=self._headers, timeout=self._timeout)


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


def _answer(http: httpx.Client, method: str, path: tuple[str, ...], request: dict[str, Any]) -> dict[str, Any]:
    # An identifier may hold a slash.
    route = "/".join(quote(part, safe="") for part in path)
    try:
        response = http.request(method, f"/api/v1/{route}", **request)
    except httpx.TransportError as error:
        raise client.away(error, http) from None
    return client.answer_in(response, http)
