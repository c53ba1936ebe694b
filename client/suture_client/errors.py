"""Errors of requests, with messages for people and models."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from suture_client.hooks import settings

HOW_TO_GET_A_KEY = (
    "An admin of your tenant issues keys in the admin site or with `manage.py provision`; the first ones are shown by "
    "`make credentials`."
)
#: The server is running but temporarily accepts no requests.
_TEMPORARY = frozenset({408, 425, 429, 502, 503, 504})
#: Longest Retry-After that the client honours, in seconds.
MAX_RETRY_AFTER = 60.0


class Failed(Exception):  # noqa: N818 (the message is for people and models, not for a log)
    """A request failed. The message gives the reason and a solution."""


class MissingKey(Failed):
    """No key is set."""

    def __init__(self) -> None:
        first, second = settings.KEY_VARIABLES
        super().__init__(f"No key is set: set {first} (or {second}) to your API key. {HOW_TO_GET_A_KEY}")


class Away(Failed):
    """The Suture server does not respond."""


class NotSuture(Away):
    """The server is not Suture."""


class UnsupportedVersion(Failed):
    """Client and server are incompatible. The message says which side to upgrade."""


class Problem(Failed):
    """The server refused a request, as problem details (RFC 9457)."""

    def __init__(self, status: int, details: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status, self.details, self.headers = status, dict(details), headers
        super().__init__(self._text())

    @property
    def code(self) -> str:
        """The name of the problem, such as `forbidden`; "" if a proxy responded instead of the server."""
        return str(self.details.get("code", ""))

    @property
    def is_temporary(self) -> bool:
        """Whether the server temporarily accepts no requests at all."""
        return self.status in _TEMPORARY

    @property
    def is_server_error(self) -> bool:
        """Whether the server failed on this request, and may accept others."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not self.is_temporary

    @property
    def retry_after(self) -> float:
        """Seconds to wait before a retry, if the server asks for it, else 0."""
        try:
            return min(max(0.0, float(self.headers["Retry-After"])), MAX_RETRY_AFTER)
        except (KeyError, ValueError):
            return 0.0

    def _text(self) -> str:
        """Format title, detail, and each error on its own line."""
        title = self.details.get("title") or f"HTTP status {self.status}"
        lines = [f"{title}: {self.details.get('detail', '')}".rstrip(": ")]
        for error in self.details.get("errors", []):
            place = error.get("pointer") or error.get("parameter")
            lines.append(f"- {place}: {error.get('detail')}" if place else f"- {error.get('detail')}")
        if self.status == HTTPStatus.UNAUTHORIZED:
            lines.append(HOW_TO_GET_A_KEY)
        return "\n".join(lines)
