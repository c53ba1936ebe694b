"""The header X-Suture-Version: every response has the server's version; unsupported clients are refused."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from memory_project.web.refusals import problem
from memory_project.web.request_bodies import Message, Receive
from memory_project.web.response_streams import CompleteResponse, Headers, Send, send_whole
from suture_client.versions import HEADER, Range

#: The clients that this server supports.
CLIENTS = Range((0, 1), (0, 2))
VERSION = version("suture")

_HEADER = HEADER.lower().encode()
_OWN: Headers = [(_HEADER, VERSION.encode())]


class Versioned:
    """An ASGI application in front of another. Requests without the header, such as curl's, are accepted."""

    def __init__(self, application: Callable[[dict[str, Any], Receive, Send], Awaitable[None]]) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or handle the lifespan of the process."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def send_with_version(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_OWN]}
            await send(dict(message))

        given = next((value for name, value in scope["headers"] if name == _HEADER), None)
        if given is not None and (refusal := refusal_of(given.decode("latin-1"))):
            await send_whole(_refused(refusal, scope["path"]), send_with_version)
        else:
            await self._application(scope, receive, send_with_version)


def refusal_of(client: str) -> str:
    """Why a client of this version is refused, and what to upgrade; empty for a supported version."""
    supported = f"This server, {VERSION}, supports clients of version {CLIENTS}."
    try:
        side = CLIENTS.side(client)
    except ValueError:
        return f"{HEADER} is not a version, such as {VERSION}. {supported}"
    if not side:
        return ""
    what = "Upgrade the client: pip install --upgrade suture-client" if side < 0 else "Upgrade the server."
    return f"The client has version {client}. {supported} {what}"


def _refused(detail: str, path: str) -> CompleteResponse:
    status = HTTPStatus.BAD_REQUEST
    content = problem(status, "unsupported-client-version", "Unsupported client version", detail, path)
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(content)).encode()),
        (b"x-content-type-options", b"nosniff"),
        # the body has not been read
        (b"connection", b"close"),
    ]
    return CompleteResponse(int(status), headers, content)
