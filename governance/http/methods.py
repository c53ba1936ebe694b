"""Methods that no address takes."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from governance.http.problems import method_not_allowed

#: TRACE would answer what a proxy added to the request; the others are no requests for a resource.
REFUSED = {"TRACE", "TRACK", "CONNECT"}
ALLOWED = "GET, HEAD, POST, DELETE, OPTIONS"


class RefusedMethodsMiddleware:
    """Answers 405 to TRACE and its like, at every address, before any view looks at the request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in REFUSED:
            return method_not_allowed(request, ALLOWED)
        return self.get_response(request)
