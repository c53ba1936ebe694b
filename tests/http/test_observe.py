"""One line and one count per request, under its route's template; never what was asked or remembered."""

import json
import logging
import sys
import uuid
from types import SimpleNamespace
from typing import Any

import django.db
import psycopg
import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from prometheus_client import REGISTRY

from memory_project.observability import JsonFormatter, RequestLogMiddleware

pytestmark = pytest.mark.pure

TENANT, ACTOR = uuid.uuid4(), uuid.uuid4()


def serve(
    request: HttpRequest,
    status: int = 200,
    route: str | None = "api/v1/events/<uuid:id>",
    *,
    known: bool = True,
) -> HttpResponse:
    """Send `request` through the middleware to a view on `route`."""

    def view(request: HttpRequest) -> HttpResponse:
        request.resolver_match = None if route is None else SimpleNamespace(route=route)  # type: ignore
        if known:
            request.principal = SimpleNamespace(tenant_id=TENANT, id=ACTOR)  # type: ignore[attr-defined]
        logging.getLogger("suture.test").warning("inside")
        return HttpResponse(status=status)

    return RequestLogMiddleware(view)(request)


def line_of(record: logging.LogRecord) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(JsonFormatter().format(record))
    return line


@pytest.fixture(autouse=True)
def _all_levels(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.handler.setFormatter(JsonFormatter())


def test_it_works(caplog: pytest.LogCaptureFixture) -> None:
    response = serve(RequestFactory().post("/api/v1/events/7?q=secret", b"secret", "application/json"))
    record = caplog.records[-1]
    line = line_of(record)
    assert line["message"] == "request"
    assert (line["method"], line["route"], line["status"]) == ("POST", "/api/v1/events/<uuid:id>", 200)
    assert (line["tenant"], line["actor"]) == (str(TENANT), str(ACTOR))
    assert line["duration_ms"] >= 0
    assert "secret" not in caplog.text
    assert uuid.UUID(response["X-Request-ID"]).version == 7


def test_every_line_of_a_request_carries_its_id_and_tenant(caplog: pytest.LogCaptureFixture) -> None:
    response = serve(RequestFactory().get("/"))
    inside, end = (json.loads(text) for text in caplog.text.splitlines())
    assert inside["message"] == "inside"
    assert inside["request_id"] == end["request_id"] == response["X-Request-ID"]
    assert inside["tenant"] == str(TENANT)
    assert "request_id" not in line_of(caplog.records[0]), "the request is over"


def test_a_request_by_nobody_has_no_tenant(caplog: pytest.LogCaptureFixture) -> None:
    serve(RequestFactory().get("/"), 401, known=False)
    assert "tenant" not in line_of(caplog.records[-1])


def test_a_sane_request_id_is_kept() -> None:
    response = serve(RequestFactory().get("/", headers={"X-Request-ID": "trace-1.a_B"}))
    assert response["X-Request-ID"] == "trace-1.a_B"


@pytest.mark.parametrize("given", ["", "a b", "a\nb", "x" * 65, "é", '"}'])
def test_any_other_request_id_is_replaced(given: str) -> None:
    request = RequestFactory().get("/")
    request.META["HTTP_X_REQUEST_ID"] = given
    assert uuid.UUID(serve(request)["X-Request-ID"]).version == 7


def test_unknown_addresses_and_methods_are_one_route_and_one_method() -> None:
    labels = {"method": "OTHER", "route": "unmatched", "status": "404"}
    before = REGISTRY.get_sample_value("suture_http_requests_total", labels) or 0
    for n in range(3):
        serve(RequestFactory().generic(f"BREW{n}", f"/{n}"), 404, None)
    assert REGISTRY.get_sample_value("suture_http_requests_total", labels) == before + 3
    assert REGISTRY.get_sample_value("suture_http_request_seconds_count", {"route": "unmatched"})


@pytest.mark.parametrize(
    ("route", "status", "level"),
    [
        ("x", 200, logging.INFO),
        ("x", 404, logging.INFO),
        ("x", 500, logging.ERROR),
    ],
)
def test_failures_stand_out(route: str, status: int, level: int, caplog: pytest.LogCaptureFixture) -> None:
    serve(RequestFactory().get("/"), status, route)
    assert caplog.records[-1].levelno == level


def test_a_traceback_is_told_without_the_row_that_the_database_refused() -> None:
    # Joined here: the traceback may show this source.
    text = " ".join(("Failing row contains (the", "memory", "text)"))
    try:
        try:
            raise psycopg.errors.CheckViolation(text)
        except psycopg.Error as cause:
            raise django.db.IntegrityError(str(cause)) from cause
    except django.db.IntegrityError:
        record = logging.LogRecord("x", logging.ERROR, "", 1, "failed", None, sys.exc_info())
    line = line_of(record)
    assert "memory text" not in json.dumps(line)
    assert "SQLSTATE 23514" in line["exc_info"]
    assert "test_observe.py" in line["exc_info"]


def test_any_other_error_keeps_its_words() -> None:
    try:
        raise KeyError("E99")
    except KeyError:
        record = logging.LogRecord("x", logging.ERROR, "", 1, "failed", None, sys.exc_info())
    assert line_of(record)["exc_info"].endswith("KeyError: 'E99'")
