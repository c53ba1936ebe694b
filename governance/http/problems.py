"""All errors are RFC 9457 problem details (`application/problem+json`)."""

import logging
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from django.core import exceptions as django_exceptions
from django.db import Error as DatabaseFailure
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import set_rollback

from governance import refusals
from governance.faults import MAX_FAULTS
from governance.http.pages import error_page
from governance.http.statuses import STATUS, kind_of, status_of
from governance.refusals import Fault, Refusal
from governance.strict_json import BodyTooLarge

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = "5"

#: The codes of DRF's exceptions with the same status as one of our refusals.
_CODES = {int(status): kind.code for kind, status in STATUS.items()}


@dataclass(frozen=True)
class Problem:
    """Why a request failed. Without a `code` it has the code of its status: `method-not-allowed`."""

    status: int
    detail: str
    code: str = ""
    title: str = ""
    errors: Sequence[Fault] = ()
    headers: dict[str, str] = field(default_factory=dict)

    def body(self, request: HttpRequest) -> dict[str, Any]:
        """The problem details that answer `request`."""
        code = self.code or HTTPStatus(self.status).name.lower().replace("_", "-")
        shown: dict[str, Any] = {
            "type": type_of(code),
            "code": code,
            "title": self.title or HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "instance": request.path,
            "request_id": getattr(request, "id", None),
        }
        if self.errors:
            shown["errors"] = [_shown(fault, code) for fault in self.errors[:MAX_FAULTS]]
        return shown


def type_of(code: str) -> str:
    """The problem type (RFC 9457) for this code."""
    return f"urn:suture:problem:{code}"


#: A fault in one item of a list: `/events/3/content/text`.
_IN_ITEM = re.compile(r"/[^/]+/([0-9]{1,6})(?:/|$)")


def _shown(fault: Fault, code: str) -> dict[str, Any]:
    """The fault with its code, the index of its item in a list, from 0, and its pointer as a fragment."""
    shown: dict[str, Any] = {**fault, "code": fault.get("code", code)}
    if "pointer" in fault:
        if item := _IN_ITEM.match(fault["pointer"]):
            shown["index"] = int(item[1])
        # "replace": a key of the body may contain characters that UTF-8 cannot encode.
        shown["pointer"] = "#" + quote(fault["pointer"], safe="/~!$&'()*+,;=:@", errors="replace")
    return shown


def problem_for(exc: BaseException) -> Problem | None:
    """The problem for `exc`, or None for an unexpected exception."""
    if isinstance(exc, Refusal):
        return _of_refusal(exc)
    if isinstance(exc, DatabaseFailure):
        return _of_database(exc)
    if isinstance(exc, exceptions.APIException):
        return _of_api_exception(exc)
    if isinstance(exc, Http404):
        return _of_refusal(refusals.NotFound())
    if isinstance(exc, django_exceptions.PermissionDenied):
        return _of_refusal(refusals.Forbidden())
    if isinstance(exc, django_exceptions.RequestDataTooBig):
        return _of_refusal(BodyTooLarge())
    if isinstance(exc, UnreadablePostError):
        return Problem(400, "The body ended before the length given in Content-Length.")
    if isinstance(exc, django_exceptions.BadRequest | django_exceptions.SuspiciousOperation):
        return Problem(400, "The request was malformed.")
    return None


def _of_refusal(refusal: Refusal) -> Problem:
    status = status_of(refusal)
    headers: dict[str, str] = {}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    elif status == HTTPStatus.SERVICE_UNAVAILABLE and not isinstance(refusal, refusals.Halted):
        headers["Retry-After"] = RETRY_AFTER_SECONDS
    if type(refusal) is kind_of(refusal):
        return Problem(status, refusal.detail, refusal.code, errors=refusal.errors, headers=headers)
    return Problem(status, refusal.detail, refusal.code, refusal.title, refusal.errors, headers)


def _of_database(exc: DatabaseFailure) -> Problem:
    if refusal := refusals.from_database(exc):
        return _of_refusal(refusal)
    if isinstance(exc, InterfaceError) or _is_retryable(exc):
        return _of_refusal(refusals.Unavailable())
    return _internal_error()


#: A lock timeout, and transactions that PostgreSQL ended because they took too long or idled too long.
_RETRYABLE = frozenset({"55P03", "25P03", "25P04"})


def _is_retryable(exc: DatabaseFailure) -> bool:
    """Whether a retry may succeed: connection lost or refused, shutdown, deadlock, timeout, out of slots.

    psycopg also raises OperationalError for permanent failures (a statement too complex, a failing function), and
    InternalError for a transaction that the server ended.
    """
    sqlstate: str | None = getattr(exc.__cause__, "sqlstate", None)
    if sqlstate is None:
        return isinstance(exc, OperationalError)
    return sqlstate in _RETRYABLE or (isinstance(exc, OperationalError) and sqlstate[:2] in {"08", "40", "53", "57"})


def _internal_error() -> Problem:
    return Problem(500, "The server failed. Nothing was changed. The server's log has the cause under the request_id.")


def _of_api_exception(exc: exceptions.APIException) -> Problem:
    status = exc.status_code
    headers: dict[str, str] = {}
    if isinstance(exc, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        # DRF turns these into 403 where the view's authentication names no scheme.
        status = 401
        headers["WWW-Authenticate"] = getattr(exc, "auth_header", None) or "Bearer"
    if (wait := getattr(exc, "wait", None)) is not None:  # Throttled
        headers["Retry-After"] = str(int(wait))
    code = _CODES.get(status) or str(exc.default_code).replace("_", "-")
    return Problem(status, str(exc.detail), code, headers=headers)


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Answer with the problem for `exc`; None lets Django answer 500.

    The transaction is rolled back, except for a refusal that `keeps_record`.
    """
    request: Request = context["request"]
    problem = problem_for(exc)
    if problem is None:
        return None
    if isinstance(exc, DatabaseFailure) and problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log_failure(exc, request._request)
    # If the view has no transaction of its own, an enclosing one belongs to other code.
    has_transaction = getattr(context["view"], "has_transaction", True)
    if has_transaction and not (isinstance(exc, Refusal) and exc.keeps_record):
        set_rollback()
    return Response(problem.body(request._request), problem.status, headers=problem.headers, content_type=CONTENT_TYPE)


def _log_failure(exc: BaseException, request: HttpRequest) -> None:
    logger.error(
        "request failed: %s",
        type(exc).__name__,
        exc_info=exc,
        extra={"request_id": getattr(request, "id", None)},
    )


def _response(problem: Problem, request: HttpRequest) -> JsonResponse:
    return JsonResponse(
        problem.body(request), status=problem.status, headers=problem.headers, content_type=CONTENT_TYPE
    )


def _wants_html(request: HttpRequest) -> bool:
    """Whether people open this path in a browser and should get an admin page."""
    return re.match(r"/admin(/|$)", request.path) is not None


def method_not_allowed(request: HttpRequest, allowed: str) -> HttpResponse:
    """The answer to a method that the address does not accept; `allowed` is the header `Allow`."""
    problem = Problem(405, f'Method "{request.method}" not allowed.', headers={"Allow": allowed})
    answer = error_page(request, 405) if _wants_html(request) else _response(problem, request)
    answer.headers["Allow"] = allowed
    return answer


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler for a malformed request."""
    if _wants_html(request):
        return error_page(request, 400)
    return _response(problem_for(exception) or Problem(400, "The request was malformed."), request)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler for a request that a plain view refuses."""
    if _wants_html(request):
        return error_page(request, 403, str(exception))
    return _response(_of_refusal(refusals.Forbidden()), request)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler for an unknown address."""
    if _wants_html(request):
        return error_page(request, 404)
    return _response(_of_refusal(refusals.NotFound()), request)


def handler500(request: HttpRequest) -> HttpResponse:
    """Django's handler for exceptions outside views, including BEGIN and COMMIT of the request's transaction."""
    exc = sys.exc_info()[1]
    problem = (problem_for(exc) if exc else None) or _internal_error()
    if exc is not None and problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log_failure(exc, request)
    if not _wants_html(request):
        return _response(problem, request)
    if problem.status != HTTPStatus.SERVICE_UNAVAILABLE:
        return error_page(request, 500)
    answer = error_page(request, problem.status, problem.detail)
    for name, value in problem.headers.items():
        answer.headers[name] = value
    return answer
