"""`/healthz`, `/readyz` and `/metrics`: answered without a thread, for any Host header.

Anybody can read them, so they show no address, path, secret or tenant. Probes reach a node by its address, which
ALLOWED_HOSTS need not contain.
"""

import asyncio
import json
import os
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from memory_project.readiness.rounds import Readiness
from memory_project.web.response_streams import CompleteResponse, Headers, Send, send_whole

PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
_JSON = b"application/json"
_METHODS = ("GET", "HEAD")


class Probes:
    """The ASGI application of the three paths. Without a `metrics_token`, anybody can read the metrics."""

    def __init__(self, readiness: Readiness, *, metrics_token: str = "") -> None:
        self._readiness = readiness
        self._metrics_token = metrics_token.encode()
        self._metrics_thread = ThreadPoolExecutor(1, thread_name_prefix="metrics")

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Send) -> None:
        """Answer a request to one of PATHS; ignores its body."""
        if scope["method"] not in _METHODS:
            answer = _problem(HTTPStatus.METHOD_NOT_ALLOWED, scope["path"], (b"allow", b"GET, HEAD"))
        elif scope["path"] == "/healthz":
            answer = _answer(HTTPStatus.OK, _JSON, json.dumps({"status": "ok"}).encode())
        elif scope["path"] == "/readyz":
            answer = await self._ready()
        else:
            answer = await self._metrics(dict(scope["headers"]))
        body = b"" if scope["method"] == "HEAD" else answer.body
        await send_whole(CompleteResponse(answer.status, answer.headers, body), send)

    async def _ready(self) -> CompleteResponse:
        """200 if the server can answer requests, even if degraded, otherwise 503; with the outcome of each check."""
        report = await self._readiness.report()
        status = HTTPStatus.SERVICE_UNAVAILABLE if report.status == "unavailable" else HTTPStatus.OK
        more = [] if report.retry_after is None else [(b"retry-after", str(report.retry_after).encode())]
        return _answer(status, _JSON, json.dumps(report.content()).encode(), *more)

    async def _metrics(self, headers: Mapping[bytes, bytes]) -> CompleteResponse:
        """The metrics in Prometheus text format, of all processes of the node if PROMETHEUS_MULTIPROC_DIR is set."""
        if self._metrics_token:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() != b"bearer" or not secrets.compare_digest(given.strip(), self._metrics_token):
                return _problem(HTTPStatus.UNAUTHORIZED, "/metrics", (b"www-authenticate", b"Bearer"))
        text = await asyncio.get_running_loop().run_in_executor(self._metrics_thread, _metrics_text)
        return _answer(HTTPStatus.OK, CONTENT_TYPE_LATEST.encode(), text)


def _metrics_text() -> bytes:
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


_DETAILS = {
    HTTPStatus.METHOD_NOT_ALLOWED: "Only GET and HEAD are allowed here.",
    HTTPStatus.UNAUTHORIZED: "Send the token of the setting METRICS_TOKEN as `Authorization: Bearer TOKEN`.",
}


def _problem(status: HTTPStatus, path: str, *more: tuple[bytes, bytes]) -> CompleteResponse:
    code = status.name.lower().replace("_", "-")
    problem = {
        "type": f"urn:suture:problem:{code}",
        "code": code,
        "title": status.phrase,
        "status": int(status),
        "detail": _DETAILS[status],
        "instance": path,
    }
    return _answer(status, b"application/problem+json", json.dumps(problem).encode(), *more)


def _answer(status: HTTPStatus, content_type: bytes, body: bytes, *more: tuple[bytes, bytes]) -> CompleteResponse:
    headers: Headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-security-policy", b"default-src 'none'"),
        *more,
    ]
    return CompleteResponse(int(status), headers, body)
