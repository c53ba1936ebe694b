"""The three addresses, asked over ASGI: no Host header, no database and no thread of requests decides their answer."""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memory_project.readiness.outcomes import Outcome
from memory_project.readiness.rounds import Report, report_of
from memory_project.web.probes import Probes

pytestmark = pytest.mark.pure

TOKEN = "a-token-of-tests"


class Known:
    """Readiness that is known."""

    def __init__(self, **checks: Outcome) -> None:
        self.checks = checks

    async def report(self) -> Report:
        return report_of(self.checks)


def ask(
    path: str,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    *,
    readiness: Known | None = None,
    metrics_token: str = "",
) -> tuple[int, dict[str, str], bytes]:
    """The status, the headers and the body of the answer."""
    sent: list[dict[str, Any]] = []
    given = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body is not read")

    probes = Probes(readiness or Known(), metrics_token=metrics_token)  # type: ignore[arg-type]
    scope = {"type": "http", "method": method, "path": path, "headers": given}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, probes(scope, receive, send)).result()
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(message["body"] for message in sent[1:])


def test_alive_needs_nothing() -> None:
    status, headers, body = ask("/healthz")
    assert (status, headers["content-type"], json.loads(body)) == (200, "application/json", {"status": "ok"})
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
@pytest.mark.parametrize("host", ["10.1.2.3", "another.example", "not a host!"])
def test_the_host_does_not_matter(path: str, host: str) -> None:
    assert ask(path, headers={"Host": host})[0] == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_only_reads_are_allowed(path: str) -> None:
    for method in ("POST", "DELETE", "TRACE"):
        status, headers, body = ask(path, method)
        assert (status, headers["allow"], json.loads(body)["code"]) == (405, "GET, HEAD", "method-not-allowed")
    status, headers, body = ask(path, "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


def test_ready_tells_each_check() -> None:
    degraded = Known(database=Outcome("ok", "reachable"), ledger=Outcome("degraded", "look"))
    status, headers, body = ask("/readyz", readiness=degraded)
    assert (status, json.loads(body)) == (
        200,
        {
            "status": "degraded",
            "checks": {
                "database": {"status": "ok", "detail": "reachable"},
                "ledger": {"status": "degraded", "detail": "look"},
            },
        },
    )
    assert "retry-after" not in headers


def test_a_failure_that_passes_says_when_to_try_again() -> None:
    status, headers, _ = ask("/readyz", readiness=Known(database=Outcome("failed", "away")))
    assert (status, headers["retry-after"]) == (503, "5")


def test_a_failure_that_lasts_does_not() -> None:
    status, headers, _ = ask("/readyz", readiness=Known(database=Outcome("failed", "wrong role", lasts=True)))
    assert (status, headers.get("retry-after")) == (503, None)


def test_the_numbers_are_prometheus_text() -> None:
    status, headers, body = ask("/metrics")
    assert status == 200
    assert headers["content-type"].startswith("text/plain")
    assert b"suture_http_requests" in body


def test_with_a_token_the_numbers_are_for_who_shows_it() -> None:
    shown = {"Authorization": f"Bearer {TOKEN}"}
    assert ask("/metrics", headers=shown, metrics_token=TOKEN)[0] == 200
    for wrong in ({}, {"Authorization": "Bearer another"}, {"Authorization": f"Basic {TOKEN}"}):
        status, headers, body = ask("/metrics", headers=wrong, metrics_token=TOKEN)
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert b"suture_http_requests" not in body
    assert ask("/readyz", metrics_token=TOKEN)[0] == 200
