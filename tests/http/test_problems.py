"""Whatever goes wrong, the answer has one shape, the right status, and nothing of the database in it."""

import json
import logging
import re
from collections.abc import Iterator
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import django.db
import psycopg
import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from django.test import RequestFactory
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from governance import refusals
from governance.http import problems, statuses
from governance.refusals import Conflict, Fault, Forbidden, Invalid, NotFound, Refusal

pytestmark = pytest.mark.pure


class EditNotPending(Conflict):
    """This edit was
    decided already."""


def answer_to(exc: Exception, method: str = "POST") -> Response:
    """What a view answers that raises `exc`."""

    class Refusing(APIView):
        authentication_classes = []
        permission_classes = []

        def post(self, request: Request) -> Response:
            raise exc

        get = delete = post

    request = APIRequestFactory().generic(method, "/api/v1/edits")
    request.id = "the-request"  # type: ignore[attr-defined]
    response = Refusing.as_view()(request)
    response.render()
    assert response["Content-Type"] == "application/problem+json"
    body = json.loads(response.content)
    assert body["status"] == response.status_code
    assert body["instance"] == "/api/v1/edits"
    assert body["request_id"] == "the-request"
    return response


def database_error(sqlstate: str, constraint: str | None = None, kind: Any = django.db.DatabaseError) -> Any:
    class Cause(psycopg.DatabaseError):
        diag = SimpleNamespace(message_primary="Our own words.", constraint_name=constraint)  # type: ignore

    Cause.sqlstate = sqlstate
    error = kind("secret row (the memory text)")
    error.__cause__ = Cause("secret row (the memory text)")
    return error


@pytest.fixture
def registered() -> Iterator[None]:
    refusals.register_constraint("edit_pending_once", EditNotPending)
    yield
    del refusals._refusals_by_constraint["edit_pending_once"]


def test_it_works() -> None:
    body = answer_to(EditNotPending()).data
    assert body == {
        "type": "urn:suture:problem:edit-not-pending",
        "code": "edit-not-pending",
        "title": "Edit not pending",
        "status": 409,
        "detail": "This edit was decided already.",
        "instance": "/api/v1/edits",
        "request_id": "the-request",
    }


@pytest.mark.parametrize(
    ("kind", "status", "title", "code"),
    [
        (refusals.Invalid, 400, "Bad Request", "invalid"),
        (refusals.Unauthenticated, 401, "Unauthorized", "unauthenticated"),
        (refusals.Forbidden, 403, "Forbidden", "forbidden"),
        (refusals.NotFound, 404, "Not Found", "not-found"),
        (refusals.Conflict, 409, "Conflict", "conflict"),
        (refusals.TooLarge, 413, "Request Entity Too Large", "too-large"),
        (refusals.Unavailable, 503, "Service Unavailable", "unavailable"),
        (refusals.Failed, 500, "Internal Server Error", "failed"),
    ],
)
def test_a_kind_itself_has_its_code_and_the_phrase_of_its_status(
    kind: type[Refusal], status: int, title: str, code: str
) -> None:
    body = answer_to(kind("Why.")).data
    assert (body["status"], body["type"], body["code"], body["detail"]) == (
        status,
        f"urn:suture:problem:{code}",
        code,
        "Why.",
    )
    assert body["title"] == HTTPStatus(status).phrase
    assert title


def test_every_kind_has_a_status() -> None:
    assert set(statuses.STATUS) == set(Refusal.__subclasses__())


def test_a_refusal_points_into_the_body() -> None:
    assert answer_to(Invalid("Too long.", pointer="/content/a b~1c")).data["errors"] == [
        {"pointer": "#/content/a%20b~1c", "detail": "Too long.", "code": "invalid"}
    ]
    assert answer_to(Invalid("No.", pointer="")).data["errors"] == [
        {"pointer": "#", "detail": "No.", "code": "invalid"}
    ]


def test_a_key_that_utf_8_cannot_hold_still_gets_an_answer() -> None:
    assert answer_to(Invalid("No.", pointer="/\ud800")).status_code == 400


def test_a_refusal_may_name_a_parameter() -> None:
    fault = Fault(parameter="cursor", detail="Not ours.")
    assert answer_to(Invalid(errors=[fault]), "GET").data["errors"] == [{**fault, "code": "invalid"}]


@pytest.mark.parametrize(
    ("exc", "status"),
    [
        (exceptions.ParseError(), 400),
        (exceptions.NotAuthenticated(), 401),
        (exceptions.AuthenticationFailed(), 401),
        (exceptions.PermissionDenied(), 403),
        (PermissionDenied("inner words"), 403),
        (exceptions.NotFound(), 404),
        (Http404("No Edit matches the given query."), 404),
        (exceptions.MethodNotAllowed("PUT"), 405),
        (exceptions.UnsupportedMediaType("text/plain"), 415),
        (exceptions.Throttled(wait=7), 429),
        (RequestDataTooBig("inner words"), 413),
    ],
)
def test_what_django_and_drf_raise_has_the_same_shape(exc: Exception, status: int) -> None:
    response = answer_to(exc)
    assert response.status_code == status
    assert "inner words" not in str(response.data)
    assert "matches the given query" not in str(response.data)
    assert response.data["type"] == f"urn:suture:problem:{response.data['code']}"
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", response.data["code"])


def test_401_names_the_scheme_and_429_the_wait() -> None:
    assert answer_to(exceptions.NotAuthenticated())["WWW-Authenticate"] == "Bearer"
    assert answer_to(refusals.Unauthenticated())["WWW-Authenticate"] == "Bearer"
    assert answer_to(exceptions.Throttled(wait=7))["Retry-After"] == "7"


@pytest.mark.parametrize(
    ("sqlstate", "kind"), [("SU400", Invalid), ("SU403", Forbidden), ("SU404", NotFound), ("SU409", Conflict)]
)
def test_what_our_sql_functions_refuse_is_said_in_their_words(sqlstate: str, kind: type[Refusal]) -> None:
    response = answer_to(database_error(sqlstate))
    assert response.status_code == statuses.STATUS[kind]
    assert response.data["detail"] == "Our own words."


@pytest.mark.usefixtures("registered")
def test_a_named_constraint_has_its_own_refusal() -> None:
    broken = answer_to(database_error("23505", "edit_pending_once", django.db.IntegrityError)).data
    assert (broken["status"], broken["type"]) == (409, "urn:suture:problem:edit-not-pending")
    assert broken["detail"] == "This edit was decided already."
    raised = answer_to(database_error("SU409", "edit_pending_once")).data
    assert (raised["type"], raised["detail"]) == ("urn:suture:problem:edit-not-pending", "Our own words.")


@pytest.mark.parametrize(
    ("exc", "status"),
    [
        (django.db.OperationalError("connection to host secret failed"), 503),
        (django.db.InterfaceError("connection already closed, secret"), 503),
        (database_error("40P01", kind=django.db.OperationalError), 503),
        # the server ended a transaction that waited for its client, or lasted, for too long
        (database_error("25P03", kind=django.db.InternalError), 503),
        (database_error("25P04", kind=django.db.InternalError), 503),
        (database_error("25P02", kind=django.db.InternalError), 500),
        (database_error("54001", kind=django.db.OperationalError), 500),
        (database_error("23514", "unregistered", django.db.IntegrityError), 500),
        (database_error("22003", kind=django.db.DataError), 500),
    ],
)
def test_a_database_error_is_logged_and_tells_the_client_nothing(
    exc: Exception, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    response = answer_to(exc)
    assert response.status_code == status
    assert "secret" not in str(response.data)
    assert response.has_header("Retry-After") == (status == 503)
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.__dict__["request_id"] == "the-request"


def test_what_nobody_foresaw_is_left_to_django() -> None:
    with pytest.raises(ZeroDivisionError):
        answer_to(ZeroDivisionError())


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/nothing", "/administration"])
def test_an_unknown_address_is_json(path: str) -> None:
    response = problems.handler404(RequestFactory().get(path), Http404())
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")
    assert json.loads(response.content)["instance"] == path


def test_the_admin_keeps_its_pages() -> None:
    for response in (
        problems.handler404(RequestFactory().get("/admin/x"), Http404()),
        problems.handler403(RequestFactory().get("/admin/x"), PermissionDenied()),
        problems.handler400(RequestFactory().get("/admin/x"), RequestDataTooBig()),
        problems.handler500(RequestFactory().get("/admin/x")),
    ):
        assert response["Content-Type"].startswith("text/html")
        assert b"governance/page.css" in response.content


def test_a_failure_outside_the_view_tells_nothing_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ZeroDivisionError("secret")
    except ZeroDivisionError:
        response = problems.handler500(RequestFactory().get("/api/v1/x"))
    assert response.status_code == 500
    assert b"secret" not in response.content
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_database_that_is_down_before_the_view_is_a_503() -> None:
    try:
        raise django.db.OperationalError("secret")
    except django.db.OperationalError:
        response = problems.handler500(RequestFactory().get("/api/v1/x"))
    assert response.status_code == 503
    assert response["Retry-After"]
