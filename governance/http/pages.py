"""The pages that say why a request to the admin site was not done."""

from collections.abc import Sequence
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

_TITLES = {
    400: "This request cannot be read",
    403: "You may not do this",
    404: "There is nothing here",
    405: "This address takes no such request",
    500: "The server failed",
    503: "This cannot be done now",
}
_DETAILS = {
    400: "Nothing was changed. The address or the form has something in it that the page does not take.",
    403: "Your roles in this tenant do not include it. An admin of the tenant can give you another role.",
    404: "Nothing in this tenant has this id or address. It may belong to another tenant.",
    405: "Nothing was changed. Open the page that has the form, and send the form from there.",
    500: "Nothing was changed. The server's log has the cause under the id of this request.",
}


def error_page(
    request: HttpRequest, status: int, detail: str = "", *, title: str = "", faults: Sequence[str] = ()
) -> HttpResponse:
    """The page for an answer of this status. It asks the database nothing but who has logged in, because it is shown
    after the request's transaction was rolled back."""
    context = {
        "title": title or _TITLES.get(status) or HTTPStatus(status).phrase,
        "detail": detail or _DETAILS.get(status, ""),
        "faults": faults,
        "status": status,
        "request_id": getattr(request, "id", None),
    }
    return render(request, "admin/governance/error.html", context, status=status)
