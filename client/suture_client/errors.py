"""Why a request was not done, in words for people and models."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from suture_client.hooks import settings

HOW_TO_GET_A_KEY = (
    "An admin of your tenant issues keys in the admin site or with `manage.py provision`; the first ones are shown by "
    "`make credentials`."
)
#: The server is there, but takes nothing now.
_TEMPORARY = frozenset({408, 425, 429, 502, 503, 504})
#: Seconds for which the client waits at most because the server asks for it.
LONGEST_RETRY_AFTER = 60.0


class Failed(Exception):  # noqa: N818 (the message is for people and models, not for a log)
    """A request was not done; the message says why, and what to do."""


class MissingKey(Failed):
    """No key is set."""

    def __init__(self) -> None:
        first, second = settings.KEY_VARIABLES
        super().__init__(f"No key is set: set {first} (or {second}) to your API key. {HOW_TO_GET_A_KEY}")


class Away(Failed):
    """No Suture server answers there."""


class NotSuture(Away):
    """Something else than Suture's API answers there."""


class UnsupportedVersion(Failed):
    """Client and server do not support each other's version; the message says which side to upgrade."""


class Problem(Failed):
    """The server refused a request, as problem details (RFC 9457)."""

    def __init__(self, status: int, details: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status, self.details, self.headers = status, dict(details), headers
        super().__init__(self._text())

    @property
    def code(self) -> str:
        """The name of the problem, such as `forbidden`; empty where something before the server answered."""
        return str(self.details.get("code", ""))

    @property
    def is_temporary(self) -> bool:
        """Whether the server takes nothing now, whatever is sent."""
        return self.status in _TEMPORARY

    @property
    def is_server_error(self) -> bool:
        """Whether the server failed over what was sent, and may take something else."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not self.is_temporary

    @property
    def retry_after(self) -> float:
        """Seconds to wait before the next try, if the server asks for it; 0 if it does not."""
        try:
            return min(max(0.0, float(self.headers["Retry-After"])), LONGEST_RETRY_AFTER)
        except (KeyError, ValueError):
            return 0.0

    def _text(self) -> str:
        """Title, detail, and the place and cause of each error, one a line."""
        title = self.details.get("title") or f"HTTP status {self.status}"
        lines = [f"{title}: {self.details.get('detail', '')}".rstrip(": ")]
        for error in self.details.get("errors", []):
            place = error.get("pointer") or error.get("parameter")
            lines.append(f"- {place}: {error.get('detail')}" if place else f"- {error.get('detail')}")
        if self.status == HTTPStatus.UNAUTHORIZED:
            lines.append(HOW_TO_GET_A_KEY)
        return "\n".join(lines)
