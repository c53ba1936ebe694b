"""HTTP methods that no address accepts."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from governance.http.problems import method_not_allowed

#: TRACE would reveal headers that a proxy added; the others do not request a resource.
REFUSED = {"TRACE", "TRACK", "CONNECT"}
ALLOWED = "GET, HEAD, POST, DELETE, OPTIONS"


class RefusedMethodsMiddleware:
    """Answer these methods with 405 at every address, before any view sees the request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in REFUSED:
            return method_not_allowed(request, ALLOWED)
        return self.get_response(request)
