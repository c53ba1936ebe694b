"""Logs and metrics: a JSON line and metrics per request, never any memory text."""

import logging
import re
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Protocol, cast
from uuid import UUID

import psycopg
import uuid_utils.compat
from django.db import Error as DatabaseFailure
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram
from pythonjsonlogger import json as pythonjsonlogger

from governance.http.waiting import ASK_AGAIN

logger = logging.getLogger("suture.request")

REQUESTS = Counter("suture_http_requests", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram("suture_http_request_seconds", "Time to answer a request.", ["route"])

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Principal(Protocol):
    """The authenticated sender of a request, as set on the Django request."""

    tenant_id: UUID
    id: UUID


class ObservedRequest(Protocol):
    id: str
    principal: Principal


_current: ContextVar[HttpRequest | None] = ContextVar("suture_request", default=None)


class JsonFormatter(pythonjsonlogger.JsonFormatter):
    """Writes one JSON object per line, with the request and its tenant."""

    def __init__(self) -> None:
        super().__init__(
            ["levelname", "name", "message"],
            rename_fields={"levelname": "level", "name": "logger"},
            timestamp=True,
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Add `request_id` and `tenant` to lines that are logged during a request."""
        if (request := _current.get()) is not None:
            log_data.setdefault("request_id", getattr(request, "id", None))
            if (principal := _principal(request)) is not None:
                log_data.setdefault("tenant", str(principal.tenant_id))
        return super().process_log_record(log_data)

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 (logging's name)
        """The traceback without the text of database errors: PostgreSQL quotes the rejected row."""
        parts: list[str] = []
        error = ei[1]
        while error is not None:
            stack = "".join(traceback.format_tb(error.__traceback__))
            parts.append(f"{stack}{type(error).__qualname__}: {_safe_text(error)}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\n\ncaused:\n".join(reversed(parts))


def _safe_text(error: BaseException) -> str:
    if isinstance(error, DatabaseFailure):
        return "see its cause" if error.__cause__ else "(text withheld)"
    if isinstance(error, psycopg.Error):
        return f"SQLSTATE {error.sqlstate}, constraint {error.diag.constraint_name} (text withheld)"
    return str(error)


class RequestLogMiddleware:
    """Gives every request an id, one log line and metrics. First in MIDDLEWARE, so that it sees every response."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        observed = cast(ObservedRequest, request)
        observed.id = _request_id(request)
        token = _current.set(request)
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = observed.id
            if ASK_AGAIN not in response:  # the request is retried, and logged when it ends
                _record(request, response, time.perf_counter() - started)
            return response
        finally:
            _current.reset(token)


def _request_id(request: HttpRequest) -> str:
    given = request.headers.get("X-Request-ID", "")
    return given if _SANE_REQUEST_ID.fullmatch(given) else str(uuid_utils.compat.uuid7())


def _principal(request: HttpRequest) -> Principal | None:
    return getattr(request, "principal", None)


def _route(request: HttpRequest) -> str:
    """The route's template: raw paths contain ids, and each would become a separate metric."""
    match = request.resolver_match
    return f"/{match.route}" if match is not None else "unmatched"


def _record(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    method = request.method if request.method in _METHODS else "OTHER"
    route, status = _route(request), response.status_code
    REQUESTS.labels(method, route, str(status)).inc()
    SECONDS.labels(route).observe(seconds)
    line: dict[str, Any] = {
        "method": method,
        "route": route,
        "status": status,
        "duration_ms": round(seconds * 1000, 1),
    }
    if (principal := _principal(request)) is not None:
        line |= {"tenant": str(principal.tenant_id), "actor": str(principal.id)}
    if status >= 500:
        logger.error("request", extra=line)
    else:
        logger.info("request", extra=line)
