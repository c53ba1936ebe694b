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

    @property
    def code(self) -> str:
        """The name of the problem, such as `forbidden`; "" if the server gave no answer, or a proxy gave it."""
        return ""

    @property
    def detail(self) -> str:
        """The reason, in a sentence."""
        return str(self)

    @property
    def pointers(self) -> tuple[str, ...]:
        """The faulty places of the request, such as `#/metadata`."""
        return ()

    @property
    def request_id(self) -> str:
        """The id of the request in the server's log; "" if there is none."""
        return ""


class Unavailable(Failed):
    """The server cannot answer now. The same request may succeed later."""


class MissingKey(Failed):
    """No key is set."""

    def __init__(self) -> None:
        first, second = settings.KEY_VARIABLES
        super().__init__(f"No key is set: set {first} (or {second}) to your API key. {HOW_TO_GET_A_KEY}")


class Away(Unavailable):
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
        return str(self.details.get("code", ""))

    @property
    def detail(self) -> str:
        return str(self.details.get("detail") or self)

    @property
    def pointers(self) -> tuple[str, ...]:
        return tuple(error["pointer"] for error in self.details.get("errors", ()) if error.get("pointer"))

    @property
    def request_id(self) -> str:
        return str(self.details.get("request_id") or "")

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


class Invalid(Problem):
    """The request is faulty. `pointers` names the places."""


class Unauthorized(Problem):
    """The key is missing, unknown, revoked or expired."""


class Forbidden(Problem):
    """The key may not do this."""


class NotFound(Problem):
    """There is nothing with this id or key that the caller may see."""


class Conflict(Problem):
    """The request contradicts the current state."""


class Busy(Problem, Unavailable):
    """The server temporarily accepts no requests."""


class RateLimited(Busy):
    """Too many requests. `retry_after` says when to continue."""


_KINDS: dict[int, type[Problem]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: Invalid,
    415: Invalid,
    422: Invalid,
    **dict.fromkeys(_TEMPORARY, Busy),
    429: RateLimited,
}


def problem_of(status: int, details: Mapping[str, Any], headers: Mapping[str, str]) -> Problem:
    """Return the problem of an answer, as the class of its status."""
    return _KINDS.get(status, Problem)(status, details, headers)
