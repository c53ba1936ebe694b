"""Error pages of the admin site."""

from collections.abc import Sequence
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

_TITLES = {
    400: "This request cannot be read",
    403: "You may not do this",
    404: "Page not found",
    405: "This page does not accept that method",
    500: "The server failed",
    503: "Temporarily unavailable",
}
_DETAILS = {
    400: "Nothing was changed. The address or the form contains a value that this page does not accept.",
    403: "Your roles in this tenant do not allow it. An admin of the tenant can give you another role.",
    404: "Nothing in this tenant has this id or address. It may belong to another tenant.",
    405: "Nothing was changed. Open the page with the form and submit the form there.",
    500: "Nothing was changed. The server's log has the cause under the id of this request.",
}


def error_page(
    request: HttpRequest, status: int, detail: str = "", *, title: str = "", faults: Sequence[str] = ()
) -> HttpResponse:
    """The error page for this status. It only queries who is logged in, because it is rendered after the request's
    transaction was rolled back."""
    context = {
        "title": title or _TITLES.get(status) or HTTPStatus(status).phrase,
        "detail": detail or _DETAILS.get(status, ""),
        "faults": faults,
        "status": status,
        "request_id": getattr(request, "id", None),
    }
    return render(request, "admin/governance/error.html", context, status=status)
