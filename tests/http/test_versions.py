"""`X-Suture-Version`: each answer has the server's version, and the server refuses unsupported clients with advice."""

import asyncio
import json
from typing import Any

import pytest

from memory_project.web import versions
from memory_project.web.versions import VERSION, Versioned

pytestmark = pytest.mark.pure


def ask(*headers: tuple[bytes, bytes]) -> tuple[int, dict[bytes, bytes], bytes]:
    """The answer of an application that answers 204 to everything."""
    sent: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": [(b"x-other", b"1")]})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "path": "/api/v1/events", "headers": list(headers)}
    asyncio.run(Versioned(application)(scope, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])


@pytest.mark.parametrize("headers", [[], [(b"x-suture-version", b"0.1.0")], [(b"x-suture-version", b"0.1.99.dev1")]])
def test_a_supported_client_and_one_without_a_version_are_answered(headers: list[tuple[bytes, bytes]]) -> None:
    assert ask(*headers) == (204, {b"x-other": b"1", b"x-suture-version": VERSION.encode()}, b"")


@pytest.mark.parametrize(
    ("client", "said"),
    [
        (b"0.0.9", "Upgrade the client: pip install --upgrade suture-client"),
        (b"0.2.0", "Upgrade the server."),
        (b"1.0", "Upgrade the server."),
        (b"nonsense", "is not a version"),
        (b"\xff", "is not a version"),
        (b"0." + b"9" * 10_000, "is not a version"),
    ],
)
def test_another_client_is_refused_and_told_which_versions_are_supported(client: bytes, said: str) -> None:
    status, headers, body = ask((b"x-suture-version", client))
    problem = json.loads(body)
    assert (status, problem["status"]) == (400, 400)
    assert problem["code"] == "unsupported-client-version"
    assert said in problem["detail"]
    assert "supports clients of version 0.1 or later, before 0.2" in problem["detail"]
    assert headers[b"x-suture-version"] == VERSION.encode()


def test_the_server_supports_the_client_beside_it() -> None:
    from suture_client import __version__
    from suture_client.versions import SERVERS

    assert versions.refusal_of(__version__) == ""
    assert SERVERS.side(VERSION) == 0
