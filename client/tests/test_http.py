"""The HTTP client: retries, refusals and compatible versions."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from suture_client import __version__
from suture_client.errors import Away, MissingKey, NotSuture, Problem, UnsupportedVersion
from suture_client.http import Api, AsyncApi
from suture_client.versions import Range

pytestmark = pytest.mark.pure

Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """Gives the answers of a list, each once, and records the requests. Exceptions are raised."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def api(self, **options: Any) -> Api:
        return Api("http://suture", "sut_x", transport=httpx.MockTransport(self), **options)


def ok(**headers: str) -> httpx.Response:
    return httpx.Response(200, json={"done": True}, headers={name.replace("_", "-"): headers[name] for name in headers})


def refused(status: int, code: str = "", **headers: str) -> httpx.Response:
    details = {"title": "No", "detail": "For a test.", "code": code}
    return httpx.Response(status, json=details, headers={name.replace("_", "-"): headers[name] for name in headers})


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The recorded pauses, which take no time."""
    pauses: list[float] = []
    monkeypatch.setattr("suture_client.http.time.sleep", pauses.append)
    return pauses


def test_each_request_has_the_key_the_session_and_the_clients_version() -> None:
    server = Server(ok())
    assert server.api(session="Söhne".encode()).get("sessions", "a/b", limit=3, cursor=None) == {"done": True}
    [request] = server.requests
    assert str(request.url) == "http://suture/api/v1/sessions/a%2Fb?limit=3"
    assert request.headers["Authorization"] == "Bearer sut_x"
    assert request.headers["X-Suture-Version"] == __version__
    assert dict(request.headers.raw)[b"X-Session-Id"] == "Söhne".encode()


def test_temporary_errors_are_retried_with_one_idempotency_key(slept: list[float]) -> None:
    server = Server(httpx.ReadError("gone"), refused(503, Retry_After="7"), refused(429, Retry_After="9999"), ok())
    assert server.api(pauses=(1, 2, 4)).send("POST", "events") == {"done": True}
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 1
    assert slept == [1, 7, 60]


def test_a_failure_of_the_server_is_tried_again_once() -> None:
    server = Server(refused(500), refused(500), ok())
    with pytest.raises(Problem) as failed:
        server.api(pauses=(1, 2, 4)).send("POST", "events")
    assert failed.value.is_server_error
    assert len(server.requests) == 2


def test_a_refusal_is_not_tried_again() -> None:
    server = Server(refused(409, "conflict"))
    with pytest.raises(Problem, match="No: For a test") as failed:
        server.api(pauses=(1,)).send("POST", "events")
    assert (failed.value.status, failed.value.code, failed.value.is_temporary) == (409, "conflict", False)


def test_without_pauses_each_request_is_tried_once() -> None:
    server = Server(refused(503, Retry_After="3"))
    with pytest.raises(Problem) as failed:
        server.api().send("POST", "events")
    assert (failed.value.is_temporary, failed.value.retry_after) == (True, 3.0)
    assert "Idempotency-Key" not in server.requests[0].headers


def test_a_server_that_is_away_is_named_with_the_tries() -> None:
    with pytest.raises(Away, match=r"cannot be reached at http://suture \(refused\), after 2 tries"):
        Server(httpx.ConnectError("refused"), httpx.ConnectError("refused")).api(pauses=(1,)).get("events")
    with pytest.raises(Away, match="did not answer within 3 s"):
        Server(httpx.ReadTimeout("late")).api(timeout=3).get("events")


def test_something_else_that_answers_is_not_suture() -> None:
    with pytest.raises(NotSuture, match=r"not Suture \(status 404\)"):
        Server(httpx.Response(404, text="<html>")).api().get("events")
    with pytest.raises(NotSuture):
        Server(httpx.Response(200, json=[])).api().get("events")
    with pytest.raises(Problem) as failed:  # a proxy in front of it
        Server(httpx.Response(502, text="<html>")).api().get("events")
    assert failed.value.is_temporary


def test_a_key_is_needed_and_an_empty_one_is_not_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("SUTURE_KEY", "SUTURE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(MissingKey):
        Api("http://suture")
    server = Server(ok())
    Api("http://suture", "", transport=httpx.MockTransport(server)).get("events")
    assert "Authorization" not in server.requests[0].headers


def of_server(version: str) -> dict[str, str]:
    return {"X_Suture_Version": version}


def test_an_unsupported_client_is_reported() -> None:
    details = {"code": "unsupported-client-version", "detail": "Upgrade the client: pip install."}
    answer = httpx.Response(400, json=details, headers={"X-Suture-Version": "9.0.0"})
    with pytest.raises(UnsupportedVersion, match="Upgrade the client: pip install"):
        Server(answer).api().get("events")


@pytest.mark.parametrize(("version", "said"), [("0.0.9", "Upgrade the server"), ("0.2.0", "Upgrade the client")])
def test_a_server_that_the_client_does_not_support_is_not_used(version: str, said: str) -> None:
    with pytest.raises(UnsupportedVersion, match=f"has version {version}.* 0.1 or later, before 0.2.* {said}"):
        Server(ok(**of_server(version))).api().get("events")


@pytest.mark.parametrize("version", ["0.1.0", "0.1.9rc1", "something else"])
def test_another_server_is_used(version: str) -> None:
    assert Server(ok(**of_server(version))).api().get("events")


def test_several_things_at_once_have_the_same_rules() -> None:
    server = Server(ok(), ok(**of_server("0.2.0")))

    async def ask() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(server), base_url="http://suture") as client:
            api = AsyncApi(client, {"Authorization": "Bearer x"})
            assert await api.post("tools/x", {}) == {"done": True}
            await api.get("tools")

    with pytest.raises(UnsupportedVersion):
        asyncio.run(ask())
    assert {request.headers["X-Suture-Version"] for request in server.requests} == {__version__}


def test_a_range_of_versions() -> None:
    some = Range((0, 9), (1, 2))
    assert [some.side(one) for one in ("0.8.9", "0.9", "0.10.1", "1.1.5", "1.2.0", "2.0")] == [-1, 0, 0, 0, 1, 1]
    for nonsense in ("", "1", "x", "1.x", "-1.2"):
        with pytest.raises(ValueError, match="is not a version"):
            some.side(nonsense)
